package io.sluice.simulation;

/** An invariant was broken. */
final class Violation extends Error {
    private static final long serialVersionUID = 1L;

    Violation(String what) {
        super(what);
    }
}
