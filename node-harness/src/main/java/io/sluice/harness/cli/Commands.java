package io.sluice.harness.cli;

import io.sluice.harness.cli.cassandra.CassandraCommand;
import io.sluice.harness.cli.operate.CancelCommand;
import io.sluice.harness.cli.operate.ClearHoldCommand;
import io.sluice.harness.cli.operate.NetStatsCommand;
import io.sluice.harness.cli.operate.PauseCommand;
import io.sluice.harness.cli.operate.PrioritizeCommand;
import io.sluice.harness.cli.operate.ResumeCommand;
import io.sluice.harness.cli.operate.RingCommand;
import io.sluice.harness.cli.operate.SetThroughputCommand;
import io.sluice.harness.cli.operate.StatusCommand;
import io.sluice.harness.cli.sstable.SSTableCommand;
import io.sluice.harness.config.OperationName;
import io.sluice.harness.config.ScenarioFile.Operation;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** All commands, in the order and the groups of the help. Stateless. */
final class Commands {
    /** What somebody may want to do, and a line that does it. */
    enum Group {
        CHANGE(
                "Change a cluster: node processes on this machine, data moved for real, contents compared afterwards",
                "./sluice replace-node --size 4GiB --nodes 6"),
        CASSANDRA(
                "Move SSTables into and out of a live Apache Cassandra (4.0 to 5.0)",
                "./sluice load backup/shop --hosts 10.0.0.1,10.0.0.2 --dry-run"),
        LOOK("Look before you move", "./sluice sstable verify /var/lib/cassandra/data/shop"),
        OPERATE("Watch and control nodes that run", "./sluice netstats --watch"),
        MEASURE("Measure, and try to break it", "./sluice compare --size 256MiB"),
        HELP("Learn more", "./sluice help replace-node");

        private final String heading;
        private final String example;

        Group(String heading, String example) {
            this.heading = heading;
            this.example = example;
        }

        /** What somebody may want to do. */
        String heading() {
            return heading;
        }

        /** A line that does it. */
        String example() {
            return example;
        }
    }

    /**
     * A command.
     *
     * @param name as its own description has it, too; but to read those of all takes a tenth of a short command's CPU
     * @param summary for the list of all commands, on one line
     * @param make all that it takes, to be run
     */
    record Named(String name, Group group, String summary, Supplier<CommandSpec> make) {
        private static Named of(String name, Group group, String summary, Class<?> command) {
            return new Named(name, group, summary, () -> CommandSpec.forAnnotatedObject(command));
        }

        private static Named of(Operation operation, String summary) {
            return new Named(operation.command(), Group.CHANGE, summary, () -> OperationCommand.of(operation));
        }

        /** Ready to be run; of a group of commands the one of this name alone, if it has it. */
        CommandLine commandLine(String subcommand) {
            CommandSpec spec = subcommand.isEmpty() ? make.get() : only(subcommand);
            HelpOptions.addTo(spec);
            CommandLine command = new CommandLine(spec);
            if (name.equals(BENCH)) {
                BenchCommand.addPrograms(command);
            }
            return command;
        }

        private CommandSpec only(String subcommand) {
            return name.equals(SSTABLE) ? SSTableCommand.only(subcommand) : make.get();
        }
    }

    private static final String SSTABLE = "sstable";
    private static final String BENCH = "bench";

    static final List<Named> ALL = List.of(
            Named.of(Operation.REPLACE, "A node dies, another one takes its place and its data."),
            Named.of(Operation.BOOTSTRAP, "Nodes join, one after another."),
            Named.of(Operation.REBUILD, "A node has lost its disk, or a new data centre is filled."),
            Named.of(Operation.DECOMMISSION, "A node leaves; others have fetched its data before."),
            Named.of(Operation.REMOVENODE, "A dead node is taken out."),
            Named.of(Operation.MOVE, "A node takes another token."),
            Named.of(Operation.REPAIR, "Replicas differ, and get what they lack, and only that."),
            Named.of(Operation.TABLET_MIGRATION, "Tablets go to a node that has none."),
            Named.of(
                    "run",
                    Group.CHANGE,
                    "One of these as a file says, with faults: see conf/scenarios.",
                    RunCommand.class),
            Named.of("load", Group.CASSANDRA, "Loads SSTables into a cluster.", LoadCommand.class),
            Named.of("pull", Group.CASSANDRA, "Takes token ranges of a table out of a node.", PullCommand.class),
            Named.of(
                    "follow",
                    Group.CASSANDRA,
                    "Receives what sstableloader, or a node, streams to this machine.",
                    FollowCommand.class),
            Named.of("agent", Group.CASSANDRA, "Runs beside a node, for cassandra replace-node.", AgentCommand.class),
            Named.of(
                    "cassandra",
                    Group.CASSANDRA,
                    "Replaces a dead node; starts nodes on this machine, to try these with.",
                    CassandraCommand.class),
            Named.of("plan", Group.LOOK, "Who would send what to whom, how long it takes, and why.", PlanCommand.class),
            Named.of(
                    SSTABLE,
                    Group.LOOK,
                    "Looks at, verifies, digests, dumps, slices, rewrites and generates SSTables.",
                    SSTableCommand.class),
            Named.of("status", Group.OPERATE, "Which nodes are up, and what they hold.", StatusCommand.class),
            Named.of("ring", Group.OPERATE, "Whose tokens are where.", RingCommand.class),
            Named.of("netstats", Group.OPERATE, "Who streams what: rate, time left, waits.", NetStatsCommand.class),
            Named.of("pause", Group.OPERATE, "Asks for nothing more of a plan until resume.", PauseCommand.class),
            Named.of("resume", Group.OPERATE, "Goes on with a plan that was paused.", ResumeCommand.class),
            Named.of("prioritize", Group.OPERATE, "Makes a plan more or less urgent.", PrioritizeCommand.class),
            Named.of("cancel", Group.OPERATE, "Ends a plan.", CancelCommand.class),
            Named.of(
                    "set-throughput", Group.OPERATE, "Limits what nodes send from now on.", SetThroughputCommand.class),
            Named.of("clear-hold", Group.OPERATE, "Lets a peer in again that is on hold.", ClearHoldCommand.class),
            Named.of("certs", Group.OPERATE, "Makes certificates to try TLS with.", CertsCommand.class),
            Named.of("node", Group.OPERATE, "Runs one node until it is stopped.", NodeCommand.class),
            Named.of(
                    "compare",
                    Group.MEASURE,
                    "Moves a table in every way, side by side, with plots.",
                    CompareCommand.class),
            Named.of(
                    BENCH, Group.MEASURE, "Benchmarks of transfers, links, reads and the planner.", BenchCommand.class),
            Named.of("report", Group.MEASURE, "Compares two runs: report diff A.json B.json.", ReportCommand.class),
            Named.of("soak", Group.MEASURE, "Hours of changes and kills, with a report.", SoakCommand.class),
            Named.of("simulate", Group.MEASURE, "Simulated clusters through bad days.", SimulateCommand.class),
            Named.of(
                    "help",
                    Group.HELP,
                    "Says how a command is used; --man: all of them, as a page for man.",
                    HelpCommand.class),
            Named.of(
                    "completion",
                    Group.HELP,
                    "Installs completion by the Tab key for bash and zsh.",
                    CompletionCommand.class));

    private Commands() {}

    /**
     * The words of a command line with the name of its command for another one that the command had: {@code replace} is
     * {@code replace-node}. The command's own name alone is in help, completion and manual page.
     */
    static String[] canonical(String... words) {
        String[] canonical = words.clone();
        int at = words.length > 1 && words[0].equals("help") ? 1 : 0;
        if (words.length > at && named(words[at]).isEmpty()) {
            OperationName.meantBy(words[at])
                    .filter(meant -> named(meant.word()).isPresent())
                    .ifPresent(meant -> canonical[at] = meant.word());
        }
        return canonical;
    }

    /** The command of this name. */
    static Optional<Named> named(String name) {
        return ALL.stream().filter(command -> command.name().equals(name)).findFirst();
    }

    /** The list of the help: what each does, by what somebody wants, with an example each. */
    static String grouped() {
        StringBuilder text = new StringBuilder();
        for (Group group : Group.values()) {
            text.append(String.format("%n%s:%n", group.heading));
            ALL.stream()
                    .filter(command -> command.group() == group)
                    .forEach(command -> text.append(String.format("  %-16s %s%n", command.name(), command.summary())));
            text.append(String.format("  %-16s %s%n", "for example:", group.example));
        }
        return text.toString();
    }
}
