package io.sluice.simulation.cassandra;

/** A promise of the dialect was broken. */
final class BrokenPromise extends Error {
    private static final long serialVersionUID = 1L;

    BrokenPromise(String what) {
        super(what);
    }
}
