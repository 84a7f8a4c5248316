package io.sluice.harness.audit;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What to audit, as the process reads it. Immutable.
 *
 * @param tables what was written
 * @param nodes whose files are read
 */
public record AuditOrder(List<Table> tables, List<Disk> nodes) {
    public AuditOrder {
        tables = List.copyOf(tables);
        nodes = List.copyOf(nodes);
    }

    /** The files of a node, by its name; {@code data} is its data directory. */
    public record Disk(String node, String data) {}

    /**
     * A table.
     *
     * @param folder its path in every data directory: {@code keyspace/table-id}
     * @param ledger the folder of what was written to it
     * @param now who has to hold it
     * @param ever all rings of the run: who held something once may hold it still
     * @param isDeletedFrom whether rows were deleted: then what is alive is compared
     */
    public record Table(String name, String folder, String ledger, Ring now, List<Ring> ever, boolean isDeletedFrom) {
        public Table {
            ever = List.copyOf(ever);
        }
    }

    /**
     * Nodes, their tokens, and how many hold each partition; just one of the last three is there.
     *
     * @param simple so many nodes clockwise
     * @param byDc so many nodes of each data centre, of different racks as far as there are any
     * @param tablets who holds the tokens up to the last of each, ascending
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
