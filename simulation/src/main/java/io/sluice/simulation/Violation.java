package io.sluice.simulation;

/** A promise was broken. */
final class Violation extends Error {
    private static final long serialVersionUID = 1L;

    Violation(String what) {
        super(what);
    }
}
