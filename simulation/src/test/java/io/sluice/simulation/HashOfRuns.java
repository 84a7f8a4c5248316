package io.sluice.simulation;

import java.util.stream.LongStream;

/** What some seeds did, as one number: the program of another process. */
final class HashOfRuns {
    private HashOfRuns() {}

    static long of(long first, long last) {
        return LongStream.rangeClosed(first, last)
                .map(seed -> new Simulation(seed, false).run().hash())
                .reduce(0, (hash, next) -> 31 * hash + next);
    }

    public static void main(String[] seeds) {
        System.out.println(of(Long.parseLong(seeds[0]), Long.parseLong(seeds[1])));
    }
}
