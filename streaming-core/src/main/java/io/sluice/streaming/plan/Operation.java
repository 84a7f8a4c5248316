package io.sluice.streaming.plan;

/** What a stream plan is for. Travels by its {@link #code()}. */
public enum Operation {
    BOOTSTRAP(1),
    REPLACE(2),
    REBUILD(3),
    DECOMMISSION(4),
    REMOVE_NODE(5),
    MOVE(6),
    REPAIR(7),
    TABLET_MIGRATION(8),
    BULK_LOAD(9);

    private final int code;

    Operation(int code) {
        this.code = code;
    }

    /** The number of the operation on the wire. */
    public int code() {
        return code;
    }
}
