package io.sluice.bench.replace;

import java.util.List;
import java.util.Locale;

/** In what a node dies. Immutable. */
enum ReplaceCase {
    /** All that a node holds is one other's, too: SSTables travel as they are, also Cassandra's. */
    WHOLE(2, 1, "two nodes with one token each, replication 2: Cassandra streams SSTables as whole files"),
    /** Of each SSTable the replacement wants many range sections: Cassandra sends rows, Sluice slices. */
    ROWS(
            3,
            16,
            "three nodes with 16 tokens each, replication 2, SSTables that span all that a node holds:"
                    + " Cassandra streams row by row");

    static final int REPLICAS = 2;

    private final int nodes;
    private final int tokens;
    private final String what;

    ReplaceCase(int nodes, int tokens, String what) {
        this.nodes = nodes;
        this.tokens = tokens;
        this.what = what;
    }

    /**
     * The cases that a word of the command line names.
     *
     * @throws IllegalArgumentException if it names none
     */
    static List<ReplaceCase> named(String word) {
        return switch (word) {
            case "both" -> List.of(values());
            case "whole" -> List.of(WHOLE);
            case "rows" -> List.of(ROWS);
            default -> throw new IllegalArgumentException("--case " + word + " (expected: whole, rows or both)");
        };
    }

    /** Members of the cluster, the one that dies with them. */
    int nodes() {
        return nodes;
    }

    /** Of each node. */
    int tokens() {
        return tokens;
    }

    /** The cluster in one sentence. */
    String what() {
        return what;
    }

    /** As the command line has it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
