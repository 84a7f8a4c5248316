package io.sluice.harness.cli.cassandra;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cli.Beside;
import io.sluice.harness.cli.EndHook;
import io.sluice.harness.cli.Explanations;
import io.sluice.harness.cli.RateConverter;
import io.sluice.harness.cli.ReportFile;
import io.sluice.harness.config.AddressText;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.OperationName;
import io.sluice.harness.replace.Join;
import io.sluice.harness.replace.JoinOrder;
import io.sluice.harness.replace.JoinProgress;
import io.sluice.harness.replace.JoinReport;
import io.sluice.harness.replace.Members;
import io.sluice.harness.replace.RefusedException;
import io.sluice.harness.replace.TablesNow;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.WorkProgress;
import io.sluice.streaming.plan.Operation;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The options of a command that brings the data of a node that joins or is rebuilt, and what they have in common. Not
 * thread-safe.
 */
final class JoinOptions {
    @Mixin
    private NamedAgents agents = new NamedAgents();

    @Mixin
    private CqlOptions cql = new CqlOptions();

    @Option(
            names = "--from",
            paramLabel = "needed|one|all-replicas",
            defaultValue = "needed",
            description = "Who sends a range: every live replica, so that a write that one has missed is there all the"
                    + " same; those of them that are needed, one of each content, by digests of all that is pinned; or"
                    + " the one that Cassandra chooses (default: ${DEFAULT-VALUE}).")
    private String from = "";

    @Option(
            names = "--dry-run",
            description = "Show refusals, who would send what, how much, and for how long; change nothing.")
    private boolean isDryRun;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            converter = RateConverter.class,
            defaultValue = "100MiB/s",
            description = "What --dry-run assumes for its estimate of time (default: ${DEFAULT-VALUE}).")
    private long rate;

    @Option(
            names = "--throttle",
            paramLabel = "RATE",
            converter = RateConverter.class,
            description = "What the new node receives at most, as 24MiB/s; 0 for no limit (default: as it is, from"
                    + " sluice.yaml or set-throughput).")
    private @Nullable Long throttle;

    @Option(
            names = "--abort",
            paramLabel = "REASON",
            description =
                    "Abort: a node that waits goes on by itself at once; snapshots, and what landed for nothing, are removed.")
    private @Nullable String abortReason;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description =
                    "How long each wait may last: for the new node to ask for data, for others to know of it, for it"
                            + " to have joined (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Write at the end how it ended, and the report, as JSON.")
    private @Nullable Path json;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    /**
     * What a command is about.
     *
     * @param dead the node that is replaced; empty if none is
     * @param target the node that receives
     * @param datacenter of the nodes that may send; empty for all
     */
    record Wanted(Operation operation, Optional<String> dead, String target, Optional<String> datacenter) {
        Wanted(Operation operation, Optional<String> dead, String target) {
            this(operation, dead, target, Optional.empty());
        }

        private String took() {
            return operation == Operation.REBUILD ? "in" : "held for";
        }

        /** What goes on when the command ends before it is over. */
        private String goesOn() {
            return operation == Operation.REBUILD
                    ? "snapshots stay, and transfers run on at the agents, if they have begun"
                    : "snapshots stay, and transfers run on at the agents, if they have begun, and a node that waits"
                            + " waits on, so that each write of its ranges needs one more acknowledgement, until its agent"
                            + " has had no order for its --coordinator-timeout, 15 minutes by default; then it goes on"
                            + " by itself, and Cassandra streams, unverified, what is not marked";
        }
    }

    /**
     * Does it, or shows what would be done.
     *
     * @param ended what the last line says of the node
     * @return the exit code
     */
    Integer run(Wanted wanted, String ended) throws IOException, InterruptedException {
        Beside.forbid("--dry-run", isDryRun, "--abort", abortReason != null);
        Beside.forbid("--json", json != null, "--dry-run", isDryRun);
        ReportFile.begin("--json", json);
        try {
            JoinOrder order = order(wanted);
            requireRate();
            Members members = agents.members();
            Done done = interruptibly(wanted, () -> work(order, members));
            done.report().ifPresent(report -> print(report, ended + ": ", wanted.took()));
            return ended(wanted, done.code(), Optional.empty(), done.report());
        } catch (RefusedException e) {
            String refused = String.valueOf(e.getMessage());
            PrintWriter err = spec.commandLine().getErr();
            refused.lines().forEach(reason -> err.println("sluice: " + reason));
            return ended(wanted, ExitCode.REFUSED, Optional.of(refused), Optional.empty());
        } catch (IOException | InterruptedException | RuntimeException e) {
            failed(wanted, e);
            throw e;
        }
    }

    private JoinOrder order(Wanted wanted) {
        if (timeoutSeconds < 1) {
            throw new ConfigException("--timeout " + timeoutSeconds + " (expected: 1 or more)");
        }
        return new JoinOrder(
                wanted.operation(),
                wanted.dead().map(JoinOptions::inRing),
                inRing(wanted.target()),
                source(),
                Duration.ofSeconds(timeoutSeconds),
                Optional.ofNullable(throttle),
                wanted.datacenter());
    }

    /** @param report of what was brought; empty if nothing was to be */
    private record Done(ExitCode code, Optional<JoinReport> report) {}

    private interface Work {
        Done run() throws IOException, InterruptedException;
    }

    private Done interruptibly(Wanted wanted, Work work) throws IOException, InterruptedException {
        EndHook hook = EndHook.of("interruption", () -> cancelled(wanted));
        try {
            return work.run();
        } finally {
            hook.close(); // before anything is said of the end: else two might say it
        }
    }

    /** Ends the process: what agents and nodes have begun does not wait for it. */
    private void cancelled(Wanted wanted) {
        String problem = "cancelled; " + afterCancelling(wanted);
        System.err.println("sluice: " + problem);
        try {
            ended(wanted, ExitCode.CANCELLED, Optional.of(problem), Optional.empty());
        } catch (IOException e) {
            System.err.println("sluice: " + Refusal.because(e));
        }
        Runtime.getRuntime().halt(ExitCode.CANCELLED.number());
    }

    private String afterCancelling(Wanted wanted) {
        if (isDryRun) {
            return "nothing was changed";
        }
        return abortReason == null
                ? wanted.goesOn() + " (run it again, or end it by --abort REASON)"
                : "what is not removed yet stays (run it again, with --abort)";
    }

    private Done work(JoinOrder order, Members members) throws IOException, InterruptedException {
        JoinProgress progress = new JoinProgress(System.out::println);
        String reason = abortReason;
        if (reason != null) {
            Join join = new Join(order, members, TablesNow::none, progress);
            return shown(progress, () -> {
                join.abort(reason);
                return new Done(ExitCode.OK, Optional.empty());
            });
        }
        Cql connected = connected();
        try (Cql session = connected) { // open until the end: it is asked again after each wait
            Join join = new Join(order, members, TablesNow.at(session), progress);
            return shown(progress, () -> isDryRun ? dryRun(join) : bring(join));
        }
    }

    private Done dryRun(Join join) throws IOException, InterruptedException {
        return new Done(join.dryRun(rate) ? ExitCode.OK : ExitCode.REFUSED, Optional.empty());
    }

    private static Done bring(Join join) throws IOException, InterruptedException {
        JoinReport report = join.run();
        return new Done(report.isWhole() ? ExitCode.OK : ExitCode.PARTLY, Optional.of(report));
    }

    private void failed(Wanted wanted, Exception failure) {
        String reason = Refusal.because(failure).reason();
        try {
            ended(wanted, Explanations.code(failure), Optional.of(reason), Optional.empty());
        } catch (IOException unwritten) {
            failure.addSuppressed(unwritten);
        }
    }

    /** For programs. */
    private Integer ended(Wanted wanted, ExitCode code, Optional<String> problem, Optional<JoinReport> report)
            throws IOException {
        if (json != null) {
            String command = OperationName.of(wanted.operation()).word();
            new JoinDocument(command, wanted.target(), code.number(), problem, report).write(json);
        }
        return code.number();
    }

    private Cql connected() throws RefusedException {
        try {
            return cql.connect();
        } catch (IOException e) {
            throw new RefusedException(Refusal.because(e) + "; nothing was begun", e);
        }
    }

    /** Says what is waited for, too: an agent that is none may not answer for long. */
    private static Done shown(JoinProgress progress, Work work) throws IOException, InterruptedException {
        try (WorkProgress shown = WorkProgress.of(progress::step, progress::details)) {
            progress.sayTo(line -> shown.aside(() -> System.out.println(line)));
            return work.run();
        }
    }

    private static void print(JoinReport report, String ended, String took) {
        report.print(System.out);
        System.out.printf(
                Locale.ROOT,
                "%s%s, %s %.1f s%n",
                ended,
                report.transfers().isEmpty()
                        ? "nothing was brought"
                        : ByteFormat.text(report.bytes()) + " brought, with equal digests, and imported",
                took,
                report.heldSeconds());
    }

    private void requireRate() {
        if (rate < 1) {
            throw new ConfigException("--rate " + rate + " (expected: more than 0)");
        }
    }

    private JoinOrder.From source() {
        return switch (from) {
            case "needed" -> JoinOrder.From.NEEDED;
            case "one" -> JoinOrder.From.ONE;
            case "all-replicas" -> JoinOrder.From.ALL_REPLICAS;
            default -> throw new ConfigException("--from " + from + " (expected: needed, one or all-replicas)");
        };
    }

    /** An operator writes an address of IPv6 in short, the ring does not. */
    private static String inRing(String node) {
        try {
            return AddressText.inRing(node);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("node " + node + " (expected: its address, as the ring calls it)", e);
        }
    }
}
