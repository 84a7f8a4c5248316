package io.sluice.simulation.cassandra;

import io.sluice.simulation.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * Runs seeds of the simulation of the Cassandra dialect: returns what a seed breaks, if anything. Any thread may call
 * it. Its files are removed when the process ends.
 */
public final class DialectSeedRun implements LongFunction<Optional<String>> {
    private final DialectData data;

    /**
     * Prepares what all runs send.
     *
     * @throws UncheckedIOException if the disk fails
     */
    public DialectSeedRun() {
        try {
            data = DialectData.create();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::remove));
    }

    private void remove() {
        try {
            data.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Optional<String> apply(long seed) {
        return run(seed).violation();
    }

    /** Runs a seed. */
    public Simulation.Result run(long seed) {
        try {
            return new DialectSimulation(seed, data).run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
