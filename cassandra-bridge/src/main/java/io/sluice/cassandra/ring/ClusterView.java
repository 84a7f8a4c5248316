package io.sluice.cassandra.ring;

import io.sluice.sstable.token.TokenRanges;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A snapshot of the cluster as one node sees it. Immutable.
 *
 * @param name of the cluster
 * @param keyspace that was asked for
 * @param schemaVersion changes with any change of any schema
 * @param owned token ranges of each node that replicates the keyspace
 * @param tables of the keyspace
 * @param materializedViews the keyspace's views, which nodes write themselves, with their base tables
 */
public record ClusterView(
        String name,
        String keyspace,
        String schemaVersion,
        Map<CassandraNode, TokenRanges> owned,
        List<LiveTable> tables,
        Map<String, String> materializedViews) {
    public ClusterView {
        owned = Map.copyOf(owned);
        tables = List.copyOf(tables);
        materializedViews = Map.copyOf(materializedViews);
    }

    /** The table with this name, or empty if there is none. */
    public Optional<LiveTable> table(String table) {
        return tables.stream()
                .filter(candidate -> candidate.name().equals(table))
                .findFirst();
    }
}
