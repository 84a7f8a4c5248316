package io.sluice.harness.predict;

import io.sluice.simulation.fluid.FluidCluster;
import io.sluice.simulation.fluid.Hardware;
import io.sluice.simulation.fluid.Prediction;
import io.sluice.streaming.plan.DataSizes;
import io.sluice.streaming.plan.Planner;
import io.sluice.streaming.plan.PlannerOptions;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A cluster that nobody has at hand. Immutable.
 *
 * @param dataPerNodeBytes before the change, all replicas that a node holds
 * @param sstableBytes size of the SSTables
 * @param connections data connections of each session
 */
public record ClusterModel(
        Layout layout, long dataPerNodeBytes, long sstableBytes, int connections, Hardware hardware) {
    private static final TableRef TABLE = new TableRef(new UUID(0, 1), "all", "tables");

    /** How long the replacement of one node takes. */
    public Prediction replace(OptionalDouble killSourceAt) {
        Ring ring = layout.ring();
        return run(layout.replacement(ring), ring, killSourceAt);
    }

    /**
     * How long it takes until so many nodes have joined, one after another.
     *
     * @param each told of each as soon as it is known
     */
    public List<Prediction> expand(int count, Consumer<Prediction> each) {
        List<Prediction> all = new ArrayList<>();
        Ring ring = layout.ring();
        for (int i = 0; i < count; i++) {
            TopologyChange.Bootstrap join = (TopologyChange.Bootstrap) layout.join(ring);
            Prediction prediction = run(join, ring, OptionalDouble.empty());
            all.add(prediction);
            each.accept(prediction);
            ring = ring.with(join.joining());
        }
        return all;
    }

    private Prediction run(TopologyChange change, Ring ring, OptionalDouble killSourceAt) {
        double total = (double) dataPerNodeBytes * layout.nodes() / layout.replicationFactor();
        DataSizes sizes = DataSizes.even(Math.round(total));
        double sendRate = Math.min(hardware.throttle(), Math.min(hardware.nic(), hardware.diskRead()));
        TopologyPlan plan = Planner.plan(
                change,
                Map.of(TABLE, ring),
                sizes,
                PlannerOptions.DEFAULTS
                        .withRate(sendRate)
                        .withReceiveRate(Math.min(hardware.nic(), hardware.diskWrite()))
                        .cuttingSSTables());
        return new FluidCluster(hardware, sizes, sstableBytes, connections).run(plan, killSourceAt);
    }
}
