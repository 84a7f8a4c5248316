package io.sluice.cassandra.ring;

import io.sluice.sstable.token.TokenRanges;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one node of a cluster sees at one moment. Immutable.
 *
 * @param name of the cluster
 * @param keyspace that was asked for
 * @param schemaVersion changes with any change of any schema
 * @param owned what each node that replicates the keyspace owns of the ring
 * @param tables of the keyspace
 */
public record ClusterView(
        String name,
        String keyspace,
        String schemaVersion,
        Map<CassandraNode, TokenRanges> owned,
        List<LiveTable> tables) {
    public ClusterView {
        owned = Map.copyOf(owned);
        tables = List.copyOf(tables);
    }

    /** The table of this name, or empty if there is none. */
    public Optional<LiveTable> table(String table) {
        return tables.stream()
                .filter(candidate -> candidate.name().equals(table))
                .findFirst();
    }
}
