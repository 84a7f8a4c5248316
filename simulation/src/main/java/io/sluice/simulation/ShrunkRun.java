package io.sluice.simulation;

import java.util.List;
import java.util.function.LongFunction;

/**
 * A run that fails, once more with no more faults than that takes: its trace. In types that all class loaders share.
 * Stateless.
 */
public final class ShrunkRun implements LongFunction<List<String>> {
    @Override
    public List<String> apply(long seed) {
        return Simulation.shrink(seed).trace();
    }
}
