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
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code ./sluice <command>}. */
@Command(
        name = "sluice",
        mixinStandardHelpOptions = true,
        version = "Sluice 0.1.0-SNAPSHOT",
        description = "Streams SSTables between nodes: zero-copy, verified, all or nothing.",
        subcommands = {
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
            SSTableCommand.class,
            CommandLine.HelpCommand.class
        },
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
    private Main() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** All commands, ready to be run. */
    public static CommandLine commandLine() {
        CommandLine all = new CommandLine(new Main());
        for (Operation operation : Operation.values()) {
            all.addSubcommand(new CommandLine(OperationCommand.of(operation)));
        }
        return all.setUsageHelpWidth(120)
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
