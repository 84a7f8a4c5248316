package io.sluice.harness.admin;

import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.ring.Node;
import java.util.List;

/**
 * A node that is up. Immutable.
 *
 * @param transport how its engine moves bytes: {@code epoll} or {@code nio}
 */
public record NodeInfo(Node node, String transport, Mode mode, List<TableStatus> tables, List<VolumeStatus> volumes) {
    /** What a node is in the ring, by what it fetches now: one that leaves is not known by what it does itself. */
    public enum Mode {
        /** A member. */
        NORMAL("N"),
        /** Fetches what it will own. */
        JOINING("J"),
        /** Fetches the ranges of another place in the ring. */
        MOVING("M");

        private final String letter;

        Mode(String letter) {
            this.letter = letter;
        }

        /** As {@code nodetool status} has it. */
        public String letter() {
            return letter;
        }

        /** That of a node which fetches for an operation. */
        public static Mode of(Operation operation) {
            return switch (operation) {
                case BOOTSTRAP, REPLACE, REBUILD -> JOINING;
                case MOVE -> MOVING;
                case DECOMMISSION, REMOVE_NODE, REPAIR, TABLET_MIGRATION, BULK_LOAD -> NORMAL;
            };
        }
    }

    public NodeInfo {
        volumes = List.copyOf(volumes);
        tables = List.copyOf(tables);
    }
}
