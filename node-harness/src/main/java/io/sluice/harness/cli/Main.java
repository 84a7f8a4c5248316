package io.sluice.harness.cli;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cli.cassandra.CassandraCommand;
import io.sluice.harness.cli.operate.CancelCommand;
import io.sluice.harness.cli.operate.NetStatsCommand;
import io.sluice.harness.cli.operate.PauseCommand;
import io.sluice.harness.cli.operate.ResumeCommand;
import io.sluice.harness.cli.operate.RingCommand;
import io.sluice.harness.cli.operate.SetThroughputCommand;
import io.sluice.harness.cli.operate.StatusCommand;
import io.sluice.harness.cli.sstable.SSTableCommand;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.scenario.ScenarioException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code ./sluice <command>}. */
@Command(
        name = "sluice",
        mixinStandardHelpOptions = true,
        version = "Sluice 0.1.0-SNAPSHOT",
        description = "Streams SSTables between nodes: zero-copy, verified, all or nothing.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all went well and was verified",
            "1:something failed, or contents differ",
            "2:the command line or a configuration file is wrong",
            "3:refused before anything was moved",
            "4:installed in part",
            "5:cancelled"
        })
public final class Main {
    private static final List<Class<?>> COMMANDS = List.of(
            RunCommand.class,
            StatusCommand.class,
            RingCommand.class,
            NetStatsCommand.class,
            CancelCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            CertsCommand.class,
            SetThroughputCommand.class,
            PlanCommand.class,
            SimulateCommand.class,
            SimulateClusterCommand.class,
            LoadCommand.class,
            PullCommand.class,
            FollowCommand.class,
            CassandraCommand.class,
            NodeCommand.class,
            BenchCommand.class,
            CompareCommand.class,
            SSTableCommand.class);

    private Main() {}

    public static void main(String[] args) {
        System.exit(commandLine(args.length == 0 ? "" : args[0]).execute(args));
    }

    /** All commands, ready to be run. */
    public static CommandLine commandLine() {
        return commandLine("");
    }

    /**
     * The command of this name alone: to look at all of them takes a third of a short command's time. Or all of them.
     */
    private static CommandLine commandLine(String name) {
        CommandLine sluice = new CommandLine(new Main());
        for (Class<?> command : COMMANDS) {
            if (Objects.requireNonNull(command.getAnnotation(Command.class))
                    .name()
                    .equals(name)) {
                sluice.addSubcommand(command);
                return configured(sluice);
            }
        }
        COMMANDS.forEach(sluice::addSubcommand);
        sluice.addSubcommand(CommandLine.HelpCommand.class);
        for (Operation operation : Operation.values()) {
            sluice.addSubcommand(new CommandLine(OperationCommand.of(operation)));
        }
        return configured(sluice);
    }

    private static CommandLine configured(CommandLine sluice) {
        return sluice.setUsageHelpWidth(120)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((wrong, arguments) -> explain(wrong))
                .setExecutionExceptionHandler((failure, command, parsed) -> explain(failure, command));
    }

    /** The reason alone: a page of help after it would push it out of sight. */
    private static int explain(CommandLine.ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        command.getErr()
                .println("sluice: " + wrong.getMessage() + " (see ./"
                        + command.getCommandSpec().qualifiedName() + " --help)");
        command.getErr().flush();
        return ExitCode.WRONG_USAGE.number();
    }

    /** One sentence for people; the stack trace went to the log, if it is worth one. */
    private static int explain(Exception failure, CommandLine command) {
        PrintWriter err = command.getErr();
        err.println("sluice: " + Refusal.because(failure));
        err.flush();
        boolean wrongUsage = failure instanceof ConfigException
                || (failure instanceof ScenarioException scenario
                        && scenario.kind() == ScenarioException.Kind.WRONG_USAGE);
        return (wrongUsage ? ExitCode.WRONG_USAGE : ExitCode.FAILED).number();
    }
}
