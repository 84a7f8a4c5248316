package io.sluice.harness.cli;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cli.cassandra.CassandraCommand;
import io.sluice.harness.cli.operate.CancelCommand;
import io.sluice.harness.cli.operate.ClearHoldCommand;
import io.sluice.harness.cli.operate.NetStatsCommand;
import io.sluice.harness.cli.operate.PauseCommand;
import io.sluice.harness.cli.operate.ResumeCommand;
import io.sluice.harness.cli.operate.RingCommand;
import io.sluice.harness.cli.operate.SetThroughputCommand;
import io.sluice.harness.cli.operate.StatusCommand;
import io.sluice.harness.cli.sstable.SSTableCommand;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.ScenarioFile.Operation;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.sstable.component.SSTableException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code ./sluice <command>}. */
@Command(
        name = "sluice",
        mixinStandardHelpOptions = true,
        version = "Sluice 0.1.0",
        description = "Streams SSTables between nodes: zero-copy, verified, all or nothing.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all went well and was verified",
            "1:something failed, or contents differ",
            "2:the command line or a configuration file is wrong",
            "3:refused before anything was moved",
            "4:installed in part, or some SSTables were left out",
            "5:cancelled"
        })
public final class Main {
    /**
     * As the annotation of the class calls it, too; but to read those of all takes a tenth of a short command's CPU.
     */
    record Named(String name, Class<?> command) {}

    static final List<Named> COMMANDS = List.of(
            new Named("run", RunCommand.class),
            new Named("status", StatusCommand.class),
            new Named("ring", RingCommand.class),
            new Named("netstats", NetStatsCommand.class),
            new Named("cancel", CancelCommand.class),
            new Named("pause", PauseCommand.class),
            new Named("resume", ResumeCommand.class),
            new Named("clear-hold", ClearHoldCommand.class),
            new Named("certs", CertsCommand.class),
            new Named("set-throughput", SetThroughputCommand.class),
            new Named("plan", PlanCommand.class),
            new Named("soak", SoakCommand.class),
            new Named("simulate", SimulateCommand.class),
            new Named("load", LoadCommand.class),
            new Named("pull", PullCommand.class),
            new Named("follow", FollowCommand.class),
            new Named("cassandra", CassandraCommand.class),
            new Named("node", NodeCommand.class),
            new Named("bench", BenchCommand.class),
            new Named("compare", CompareCommand.class),
            new Named("sstable", SSTableCommand.class));

    private static final int MOST_SUGGESTIONS = 3;

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
        for (Named named : COMMANDS) {
            if (named.name().equals(name)) {
                sluice.addSubcommand(named.command());
                return configured(sluice);
            }
        }
        COMMANDS.forEach(named -> sluice.addSubcommand(named.command()));
        sluice.addSubcommand(CommandLine.HelpCommand.class);
        for (Operation operation : Operation.values()) {
            sluice.addSubcommand(new CommandLine(OperationCommand.of(operation)));
        }
        return configured(sluice);
    }

    private static CommandLine configured(CommandLine sluice) {
        CommandLine bench = sluice.getSubcommands().get("bench");
        if (bench != null) {
            BenchCommand.addPrograms(bench);
        }
        return sluice.setUsageHelpWidth(120)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((wrong, arguments) -> explain(wrong))
                .setExecutionExceptionHandler((failure, command, parsed) -> explain(failure, command));
    }

    /** The reason alone: a page of help after it would push it out of sight. */
    private static int explain(CommandLine.ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        command.getErr()
                .println("sluice: " + wrong.getMessage() + didYouMean(wrong) + " (see ./"
                        + command.getCommandSpec().qualifiedName() + " --help)");
        command.getErr().flush();
        return ExitCode.WRONG_USAGE.number();
    }

    private static String didYouMean(CommandLine.ParameterException wrong) {
        List<String> likely = wrong instanceof CommandLine.UnmatchedArgumentException unmatched
                ? unmatched.getSuggestions().stream().limit(MOST_SUGGESTIONS).toList()
                : List.of();
        return likely.isEmpty() ? "" : "; did you mean " + String.join(" or ", likely) + "?";
    }

    /** One human-readable sentence; the stack trace went to the log, if it is worth one. */
    private static int explain(Exception failure, CommandLine command) {
        PrintWriter err = command.getErr();
        err.println("sluice: " + Refusal.because(failure));
        err.flush();
        boolean wrongUsage = failure instanceof ConfigException
                || (failure instanceof ScenarioException scenario
                        && scenario.kind() == ScenarioException.Kind.WRONG_USAGE);
        boolean isRefused = failure instanceof SSTableException unreadable && unreadable.isUnsupported();
        ExitCode otherwise = isRefused ? ExitCode.REFUSED : ExitCode.FAILED;
        return (wrongUsage ? ExitCode.WRONG_USAGE : otherwise).number();
    }
}
