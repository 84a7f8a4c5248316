package io.sluice.harness.agent;

import java.util.Arrays;
import java.util.List;

/** The mode of a Cassandra node, by the names of its StorageService. */
public enum OperationMode {
    /** It does not serve yet. */
    STARTING,
    /** A member of the ring. */
    NORMAL,
    /** It receives its data. */
    JOINING,
    /** It could not receive all of its data. */
    JOINING_FAILED,
    /** It hands its data over. */
    LEAVING,
    /** It has left the ring. */
    DECOMMISSIONED,
    /** It could not hand over all of its data. */
    DECOMMISSION_FAILED,
    /** It changes its token. */
    MOVING,
    /** It could not change its token. */
    MOVE_FAILED,
    /** It stops to serve. */
    DRAINING,
    /** It no longer serves. */
    DRAINED;

    /**
     * Reads the name that a node reports.
     *
     * @throws IllegalStateException if there is no such mode
     */
    static OperationMode of(String name) {
        return Arrays.stream(values())
                .filter(mode -> mode.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("mode of the node: " + name + " (expected: one of "
                        + List.of(values()) + "); is this release of Cassandra supported?"));
    }
}
