package io.sluice.harness.audit;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What to audit. Immutable.
 *
 * @param tables what was written
 * @param nodes whose files are read
 */
public record AuditOrder(List<Table> tables, List<Disk> nodes) {
    public AuditOrder {
        tables = List.copyOf(tables);
        nodes = List.copyOf(nodes);
    }

    /** The files of a node, by its name; {@code data} are its data directories. */
    public record Disk(String node, List<String> data) {
        public Disk {
            data = List.copyOf(data);
        }
    }

    /**
     * A table.
     *
     * @param folder its path in every data directory: {@code keyspace/table-id}
     * @param ledger folder with the record of what was written to it
     * @param now the ring that determines the replicas
     * @param ever all rings of the run: a former replica may still hold data
     * @param isDeletedFrom whether rows were deleted: then only live data is compared
     */
    public record Table(String name, String folder, String ledger, Ring now, List<Ring> ever, boolean isDeletedFrom) {
        public Table {
            ever = List.copyOf(ever);
        }
    }

    /**
     * Nodes, their tokens, and replication: exactly one of the last three is present.
     *
     * @param simple number of nodes clockwise
     * @param byDc number of nodes of each data centre, in different racks if possible
     * @param tablets replicas of the tokens up to the last of each, ascending
     */
    public record Ring(
            List<Member> members,
            Optional<Integer> simple,
            Optional<Map<String, Integer>> byDc,
            Optional<List<Tablet>> tablets) {
        public Ring {
            members = List.copyOf(members);
        }
    }

    /** A node of a ring. */
    public record Member(String node, String dc, String rack, List<Long> tokens) {
        public Member {
            tokens = List.copyOf(tokens);
        }
    }

    /** A part of a table, and the names of who holds it. */
    public record Tablet(long last, List<String> nodes) {
        public Tablet {
            nodes = List.copyOf(nodes);
        }
    }
}
