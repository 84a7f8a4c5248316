package io.sluice.streaming.plan;

import java.util.Locale;

/** What a stream plan is for. Travels by its {@link #code()}. */
public enum Operation {
    BOOTSTRAP(1, true, Priority.REBALANCE),
    REPLACE(2, true, Priority.REPLACE),
    REBUILD(3, true, Priority.REBUILD),
    DECOMMISSION(4, true, Priority.REBALANCE),
    REMOVE_NODE(5, false, Priority.REPLACE),
    MOVE(6, true, Priority.REBALANCE),
    REPAIR(7, false, Priority.REPAIR),
    TABLET_MIGRATION(8, true, Priority.REBALANCE),
    BULK_LOAD(9, false, Priority.REBALANCE);

    private final int code;
    private final boolean keepsLevel;
    private final Priority priority;

    Operation(int code, boolean keepsLevel, Priority priority) {
        this.code = code;
        this.keepsLevel = keepsLevel;
        this.priority = priority;
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

    /** Whether the nodes that receive serve clients meanwhile: not those that join, or are rebuilt. */
    public boolean isBesideClients() {
        return switch (this) {
            case BOOTSTRAP, REPLACE, REBUILD -> false;
            case DECOMMISSION, REMOVE_NODE, MOVE, REPAIR, TABLET_MIGRATION, BULK_LOAD -> true;
        };
    }

    /** How urgent its plans are, unless the database or an operator decides otherwise. */
    public Priority priority() {
        return priority;
    }

    /** That of the operation with this code; of one that this release does not know, {@link Priority#REBALANCE}. */
    public static Priority priorityOf(int code) {
        for (Operation operation : values()) {
            if (operation.code == code) {
                return operation.priority;
            }
        }
        return Priority.REBALANCE;
    }

    /**
     * How urgent a plan is, in ascending order. Where sessions wait for the same slot or memory, one of the most urgent
     * is next; where connections share a {@link io.sluice.streaming.Limit}, each gets a part in proportion to
     * {@link #weight()}.
     */
    public enum Priority {
        /** Every replica has its data: it only has to agree with the others. */
        REPAIR(1),
        /** Data moves to other nodes, and has all its replicas meanwhile. */
        REBALANCE(2),
        /** A node lacks data that others have. */
        REBUILD(4),
        /** A replica is lost. */
        REPLACE(8);

        private final int weight;

        Priority(int weight) {
            this.weight = weight;
        }

        /** Its part of what is shared, relative to the others: 1 to 8. */
        public int weight() {
            return weight;
        }

        /** As operators write it, such as {@code rebalance}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
