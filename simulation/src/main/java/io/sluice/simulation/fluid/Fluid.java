package io.sluice.simulation.fluid;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Flows that share resources fairly: all rates rise together until something is used up; who needs it stays at that
 * rate, the others rise on (max-min fairness, as TCP connections of equal round trips come to it). Rates change when a
 * flow begins or runs dry. Not thread-safe.
 */
final class Fluid {
    private static final double NOTHING = 1e-9;

    private final Clock clock;
    private final Set<Flow> active = new LinkedHashSet<>();
    private boolean isStale;

    Fluid(Clock clock) {
        this.clock = clock;
    }

    /** Appends to what flows. */
    void add(Flow flow, List<Flow.Part> parts) {
        boolean wasActive = flow.isActive();
        flow.parts.addAll(parts);
        if (!wasActive && flow.isActive()) {
            flow.leftBytes = flow.parts.getFirst().bytes();
            flow.rate = 0;
            flow.flowedUntil = clock.nowSeconds();
            active.add(flow);
            rateLater();
        }
    }

    /** Whatever was on its way does not arrive. */
    void stop(Flow flow) {
        advance(flow);
        flow.parts.clear();
        flow.version++;
        if (active.remove(flow)) {
            rateLater();
        }
    }

    /** Lets bytes flow until now. */
    private void advance(Flow flow) {
        double now = clock.nowSeconds();
        double bytes = Math.min(flow.leftBytes, flow.rate * (now - flow.flowedUntil));
        flow.flowedUntil = now;
        flow.leftBytes -= bytes;
        for (Flow.Use use : flow.uses) {
            use.resource().use(bytes * use.perByte());
        }
    }

    /** Once for all changes of one moment. */
    private void rateLater() {
        if (!isStale) {
            isStale = true;
            clock.after(0, () -> {
                isStale = false;
                active.forEach(this::advance);
                rate();
                active.forEach(this::foresee);
            });
        }
    }

    private void foresee(Flow flow) {
        long version = ++flow.version;
        clock.after(flow.leftBytes / flow.rate, () -> {
            if (flow.version == version) {
                arrive(flow);
            }
        });
    }

    private void arrive(Flow flow) {
        advance(flow);
        Flow.Part part = flow.parts.remove();
        if (flow.isActive()) {
            flow.leftBytes += flow.parts.getFirst().bytes();
            foresee(flow);
        } else {
            active.remove(flow);
            rateLater();
        }
        part.onArrival().run();
    }

    private void rate() {
        Set<Resource> resources = new LinkedHashSet<>();
        for (Flow flow : active) {
            flow.isFixed = false;
            flow.rate = 0;
            flow.uses.forEach(use -> resources.add(use.resource()));
        }
        resources.forEach(resource -> resource.left = resource.capacity);
        int rising = active.size();
        while (rising > 0) {
            double rise = rise(resources);
            rising = 0;
            for (Flow flow : active) {
                if (!flow.isFixed) {
                    flow.rate += rise;
                    flow.uses.forEach(use -> use.resource().left -= rise * use.perByte());
                }
            }
            for (Flow flow : active) {
                flow.isFixed = flow.isFixed || flow.uses.stream().anyMatch(use -> isUsedUp(use.resource()));
                rising += flow.isFixed ? 0 : 1;
            }
        }
    }

    /** By how much all rates that still rise can rise until something is used up. */
    private double rise(Set<Resource> resources) {
        resources.forEach(resource -> resource.weights = 0);
        for (Flow flow : active) {
            if (!flow.isFixed) {
                flow.uses.forEach(use -> use.resource().weights += use.perByte());
            }
        }
        double rise = resources.stream()
                .filter(resource -> resource.weights > 0)
                .mapToDouble(resource -> Math.max(0, resource.left) / resource.weights)
                .min()
                .orElse(Double.POSITIVE_INFINITY);
        if (Double.isInfinite(rise)) {
            throw new IllegalStateException(
                    "nothing limits these flows (expected: at least a network of finite speed)");
        }
        return rise;
    }

    private static boolean isUsedUp(Resource resource) {
        return resource.left <= resource.capacity * NOTHING;
    }
}
