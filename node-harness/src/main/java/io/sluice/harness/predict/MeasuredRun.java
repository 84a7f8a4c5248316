package io.sluice.harness.predict;

import io.sluice.harness.report.RunReport;
import io.sluice.simulation.fluid.FluidCluster;
import io.sluice.simulation.fluid.Hardware;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.DataSizes;
import io.sluice.streaming.plan.Planner;
import io.sluice.streaming.plan.PlannerOptions;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.UUID;

/**
 * A run that was measured, asked again of the model: the same ring, change and number of bytes. Immutable.
 *
 * @param name for people
 */
public record MeasuredRun(String name, RunReport report) {
    private static final TableRef TABLE = new TableRef(new UUID(0, 1), "all", "tables");
    private static final long SOME_BYTES = 1L << 40;
    private static final String REPLACEMENT = "replacement";
    private static final String JOINING = "joining";

    /**
     * What is predicted, and what was measured, in seconds.
     *
     * @param bytes that were moved
     */
    public record Comparison(String run, long bytes, double predictedSeconds, double measuredSeconds) {
        /** 0.1 is ten percent too long. */
        public double error() {
            return predictedSeconds / measuredSeconds - 1;
        }
    }

    /**
     * Predicts the run.
     *
     * @throws IllegalArgumentException if it was no replacement or bootstrap of one node in one data centre and rack,
     *     or did not end installed
     */
    public Comparison compare(Hardware hardware) {
        RunReport.Transfer transfer = report.transfer()
                .filter(moved -> report.verified() && moved.bytes() > 0)
                .orElseThrow(() -> wrong("nothing was installed and verified"));
        Ring ring = ring();
        TopologyChange change = change();
        TopologyPlan unscaled = plan(change, ring, DataSizes.even(SOME_BYTES));
        long bytesPerReplica = Math.round((double) SOME_BYTES * transfer.bytes() / unscaled.totalBytes());
        DataSizes sizes = DataSizes.even(bytesPerReplica);
        long sstableBytes = Math.max(1L << 20, transfer.bytes() / Math.max(1, transfer.sstables()));
        double predicted = new FluidCluster(hardware, sizes, sstableBytes, 1)
                .run(plan(change, ring, sizes), OptionalDouble.empty())
                .seconds();
        return new Comparison(name, transfer.bytes(), predicted, transfer.seconds());
    }

    private static TopologyPlan plan(TopologyChange change, Ring ring, DataSizes sizes) {
        return Planner.plan(change, Map.of(TABLE, ring), sizes, PlannerOptions.DEFAULTS.cuttingSSTables());
    }

    private Ring ring() {
        if (report.setting().dcs().size() > 1 || report.setting().racks() > 1) {
            throw wrong("it has several data centres or racks");
        }
        return new Ring(
                report.members().stream()
                        .filter(member -> !isNew(member))
                        .map(MeasuredRun::node)
                        .toList(),
                report.setting().replicationFactor());
    }

    private TopologyChange change() {
        List<Node> newcomers = report.members().stream()
                .filter(MeasuredRun::isNew)
                .map(MeasuredRun::node)
                .toList();
        if (newcomers.size() != 1) {
            throw wrong(newcomers.size() + " nodes came");
        }
        return report.members().stream()
                .filter(member -> member.role().equals("dead"))
                .map(MeasuredRun::node)
                .findFirst()
                .<TopologyChange>map(dead -> new TopologyChange.Replace(dead, newcomers.get(0)))
                .orElseGet(() -> new TopologyChange.Bootstrap(newcomers.get(0), true));
    }

    private static boolean isNew(RunReport.Member member) {
        return member.role().equals(REPLACEMENT) || member.role().equals(JOINING);
    }

    private static Node node(RunReport.Member member) {
        return new Node(
                UUID.nameUUIDFromBytes(member.name().getBytes(StandardCharsets.UTF_8)),
                member.name(),
                new Address("127.0.0.1", 7000),
                member.tokens().stream()
                        .map(token -> new Token(Long.parseLong(token)))
                        .toList());
    }

    private IllegalArgumentException wrong(String why) {
        return new IllegalArgumentException(
                name + ": " + why + " (expected: a verified replacement or bootstrap of one node, in one rack)");
    }
}
