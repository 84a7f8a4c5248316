package io.sluice.harness.cli.cassandra;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.cassandra.Cql;
import io.sluice.harness.cli.Beside;
import io.sluice.harness.cli.RateConverter;
import io.sluice.harness.cli.ReportFile;
import io.sluice.harness.config.AddressText;
import io.sluice.harness.config.ByteAmounts;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.json.Json;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
            defaultValue = "100MiB/s",
            description = "What --dry-run assumes for its estimate of time (default: ${DEFAULT-VALUE}).")
    private String rate = "";

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

    @Option(names = "--json", paramLabel = "FILE", description = "Write the report as JSON, too.")
    private @Nullable Path json;

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
    }

    /**
     * Does it, or shows what would be done.
     *
     * @param ended what the last line says of the node
     * @return the exit code
     */
    Integer run(Wanted wanted, String ended) throws IOException, InterruptedException {
        Beside.forbid("--dry-run", isDryRun, "--abort", abortReason != null);
        ReportFile.require("--json", json);
        if (timeoutSeconds < 1) {
            throw new ConfigException("--timeout " + timeoutSeconds + " (expected: 1 or more)");
        }
        long assumedRate = rateBytesPerSecond();
        JoinOrder order = new JoinOrder(
                wanted.operation(),
                wanted.dead().map(JoinOptions::inRing),
                inRing(wanted.target()),
                source(),
                Duration.ofSeconds(timeoutSeconds),
                Optional.ofNullable(throttle),
                wanted.datacenter());
        JoinProgress progress = new JoinProgress(System.out::println);
        Members members = agents.members();
        if (abortReason != null) {
            new Join(order, members, TablesNow::none, progress).abort(abortReason);
            return ExitCode.OK.number();
        }
        Cql connected = connected();
        try (Cql session = connected) { // open until the end: it is asked again after each wait
            Join join = new Join(order, members, TablesNow.at(session), progress);
            if (isDryRun) {
                return (join.dryRun(assumedRate) ? ExitCode.OK : ExitCode.REFUSED).number();
            }
            return done(shown(join, progress), ended + ": ", wanted.took());
        } catch (RefusedException e) {
            String refused = String.valueOf(e.getMessage());
            refused.lines().forEach(reason -> System.err.println("sluice: " + reason));
            return ExitCode.REFUSED.number();
        }
    }

    private Cql connected() throws RefusedException {
        try {
            return cql.connect();
        } catch (IOException e) {
            throw new RefusedException(Refusal.because(e) + "; nothing was begun", e);
        }
    }

    private static JoinReport shown(Join join, JoinProgress progress) throws IOException, InterruptedException {
        try (WorkProgress shown = WorkProgress.of(progress::step, progress::details)) {
            progress.sayTo(line -> shown.aside(() -> System.out.println(line)));
            return join.run();
        }
    }

    private Integer done(JoinReport report, String ended, String took) throws IOException {
        report.print(System.out);
        System.out.printf(
                Locale.ROOT,
                "%s%s, %s %.1f s%n",
                ended,
                report.transfers().isEmpty()
                        ? "nothing was brought"
                        : ByteFormat.text(report.bytes()) + " brought, with equal digests, and imported",
                took,
                report.held().toMillis() / 1000.0);
        if (json != null) {
            Files.writeString(json, Json.MAPPER.writeValueAsString(report));
        }
        return (report.isWhole() ? ExitCode.OK : ExitCode.PARTLY).number();
    }

    private long rateBytesPerSecond() {
        long bytes = ByteAmounts.rate("--rate", rate);
        if (bytes < 1) {
            throw new ConfigException("--rate " + rate + " (expected: more than 0)");
        }
        return bytes;
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
