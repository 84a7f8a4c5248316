package io.sluice.streaming.plan;

/** What a stream plan is for. Travels by its {@link #code()}. */
public enum Operation {
    BOOTSTRAP(1, true),
    REPLACE(2, true),
    REBUILD(3, true),
    DECOMMISSION(4, true),
    REMOVE_NODE(5, false),
    MOVE(6, true),
    REPAIR(7, false),
    TABLET_MIGRATION(8, true),
    BULK_LOAD(9, false);

    private final int code;
    private final boolean keepsLevel;

    Operation(int code, boolean keepsLevel) {
        this.code = code;
        this.keepsLevel = keepsLevel;
    }

    /** The number of the operation on the wire. */
    public int code() {
        return code;
    }

    /**
     * Whether SSTables keep their level of leveled compaction where they arrive, as in Cassandra. Otherwise they get
     * level 0: the receiver has partitions of the same tokens already, and SSTables of a higher level must not overlap.
     */
    public boolean keepsLevel() {
        return keepsLevel;
    }
}
