package io.sluice.simulation.cassandra;

/** Ends a thread of a process that was killed, or of a run that is over. */
final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
        super("killed", null, false, false);
    }
}
