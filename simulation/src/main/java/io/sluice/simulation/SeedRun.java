package io.sluice.simulation;

import java.util.Optional;
import java.util.function.LongFunction;

/**
 * One run of the simulation: returns what the seed breaks, if anything. Uses types that all class loaders share.
 * Stateless.
 */
public final class SeedRun implements LongFunction<Optional<String>> {
    @Override
    public Optional<String> apply(long seed) {
        return new Simulation(seed, false).run().violation();
    }
}
