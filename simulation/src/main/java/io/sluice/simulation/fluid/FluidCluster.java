package io.sluice.simulation.fluid;

import io.sluice.streaming.plan.DataSizes;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Deadlines;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.SessionSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;

/**
 * Executes a plan on a modelled cluster: production coordinators and sessions decide, the model says how long what they
 * decide takes. The same input gives the same prediction. Not thread-safe; used once.
 */
public final class FluidCluster {
    static final Duration HEARTBEAT = Duration.ofSeconds(5);
    private static final int MAX_BUSY = 3;
    private static final double CHECK_SECONDS = 0.1;

    final Clock clock = new Clock();
    final Fluid fluid = new Fluid(clock);
    final Hardware hardware;
    final Offers offers;
    private final int connections;
    private final Map<UUID, Machine> machines = new HashMap<>();
    private final Resource machine;

    /**
     * A cluster of equal nodes.
     *
     * @param sizes what nodes hold
     * @param sstableBytes the size of the SSTables that they hold it in
     * @param connections data connections of each session
     */
    public FluidCluster(Hardware hardware, DataSizes sizes, long sstableBytes, int connections) {
        this.hardware = hardware;
        this.offers = new Offers(sizes, sstableBytes);
        this.connections = connections;
        this.machine = new Resource("the one machine that all nodes share", hardware.machine());
    }

    Machine machine(Node node) {
        return machines.computeIfAbsent(node.id(), id -> new Machine(node, hardware, clock));
    }

    /** A data connection: what a byte on it takes of whom. */
    Flow connect(Machine source, Machine target) {
        List<Flow.Use> uses = new ArrayList<>();
        use(uses, source.throttle, 1);
        use(uses, source.nicOut, 1);
        use(uses, target.nicIn, 1);
        use(uses, source.diskRead, 1);
        use(uses, target.diskWrite, 1);
        use(uses, machine, 1);
        use(uses, source.cores, hardware.sendCpu());
        use(uses, target.cores, hardware.receiveCpu());
        // One thread receives, checks and writes what comes on a connection: it has no more than one core.
        use(uses, new Resource("the thread of a connection at " + target.name, 1), hardware.receiveCpu());
        return new Flow(uses);
    }

    private static void use(List<Flow.Use> uses, Resource resource, double perByte) {
        if (perByte > 0 && !Double.isInfinite(resource.capacity)) {
            uses.add(new Flow.Use(resource, perByte));
        }
    }

    /**
     * Executes a plan, all destinations at the same time.
     *
     * @param killSourceAt when this share of the bytes has arrived, 0 to 1, the source with most left dies for good
     */
    public Prediction run(TopologyPlan plan, OptionalDouble killSourceAt) {
        SessionSettings settings = SessionSettings.of(connections, Deadlines.of(HEARTBEAT));
        List<FluidPlan> plans = new ArrayList<>();
        for (Node destination : plan.destinations()) {
            plans.add(new FluidPlan(
                    this, plan.streamPlan(new UUID(0, plans.size() + 1), destination), machine(destination), settings));
        }
        Optional<String> lost = Optional.empty();
        plans.forEach(FluidPlan::start);
        boolean isKillDue = killSourceAt.isPresent();
        double checkAt = 0;
        while (!plans.stream().allMatch(FluidPlan::hasEnded)) {
            if (!clock.step()) {
                throw new IllegalStateException("nothing happens any more, and the plan has not ended");
            }
            if (isKillDue && clock.nowSeconds() >= checkAt) {
                checkAt = clock.nowSeconds() + CHECK_SECONDS;
                if (arrivedBytes(plans) >= killSourceAt.getAsDouble() * plan.totalBytes()) {
                    isKillDue = false;
                    lost = plans.stream()
                            .flatMap(each -> each.killBusiestSource().stream())
                            .findFirst()
                            .map(dead -> dead.name);
                }
            }
        }
        return prediction(plan, plans, lost);
    }

    private static long arrivedBytes(List<FluidPlan> plans) {
        return plans.stream()
                .flatMap(plan -> plan.arrivedBytes().values().stream())
                .mapToLong(Long::longValue)
                .sum();
    }

    private Prediction prediction(TopologyPlan plan, List<FluidPlan> plans, Optional<String> lost) {
        double lastByte =
                plans.stream().mapToDouble(FluidPlan::lastByteSeconds).max().orElse(0);
        List<Prediction.Busy> busiest = new ArrayList<>();
        machines.values().stream()
                .flatMap(node -> node.resources().stream())
                .forEach(resource -> busiest.add(new Prediction.Busy(resource.name, resource.utilisation(lastByte))));
        busiest.add(new Prediction.Busy(machine.name, machine.utilisation(lastByte)));
        busiest.sort(
                Comparator.comparingDouble(Prediction.Busy::share).reversed().thenComparing(Prediction.Busy::resource));
        return new Prediction(
                plans.stream().mapToDouble(FluidPlan::endSeconds).max().orElse(0),
                lastByte,
                plan.finishSeconds(),
                arrivedBytes(plans),
                plans.stream().mapToLong(FluidPlan::sstables).sum(),
                (int) plans.stream()
                        .flatMap(each -> each.arrivedBytes().keySet().stream())
                        .distinct()
                        .count(),
                plans.stream().mapToInt(FluidPlan::opened).sum(),
                busiest.stream()
                        .filter(busy -> busy.share() > 0)
                        .limit(MAX_BUSY)
                        .toList(),
                lost,
                plans.stream()
                        .flatMap(each -> each.failure().stream())
                        .findFirst()
                        .map(Failure::toString),
                clock.events());
    }
}
