package io.sluice.simulation;

/**
 * One version of one partition. Immutable.
 *
 * @param value {@link #DELETED} if it was deleted then
 */
record SimulatedRow(long token, int timestamp, int value) {
    static final int DELETED = -1;

    boolean isDeleted() {
        return value == DELETED;
    }
}
