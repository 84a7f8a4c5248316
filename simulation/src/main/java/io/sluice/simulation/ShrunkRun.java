package io.sluice.simulation;

import java.util.List;
import java.util.function.LongFunction;

/**
 * Repeats a failing run with as few kinds of faults as possible; returns its trace. Uses types that all class loaders
 * share. Stateless.
 */
public final class ShrunkRun implements LongFunction<List<String>> {
    @Override
    public List<String> apply(long seed) {
        return Simulation.shrink(seed).trace();
    }
}
