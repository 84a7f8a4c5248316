package io.sluice.simulation;

/** The process dies here. An error, so that no production code takes it for a failure that it could handle. */
final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash() {
        super("the process dies", null, false, false);
    }
}
