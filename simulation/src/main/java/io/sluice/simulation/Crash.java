package io.sluice.simulation;

/** Kills the simulated process. An error, so that no production code treats it as a failure that it can handle. */
final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash() {
        super("the process dies", null, false, false);
    }
}
