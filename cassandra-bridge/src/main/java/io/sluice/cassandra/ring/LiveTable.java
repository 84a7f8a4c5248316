package io.sluice.cassandra.ring;

import java.util.List;
import java.util.UUID;

/**
 * A table of the cluster. Immutable.
 *
 * @param id in this cluster, which need not be that of a folder's name
 * @param cql the statements that make its types and itself
 * @param attachedIndexes names of the indexes that live in components of its SSTables
 * @param hasViews whether rows that arrive go through materialized views
 */
public record LiveTable(
        String keyspace, String name, UUID id, String cql, List<String> attachedIndexes, boolean hasViews) {
    public LiveTable {
        attachedIndexes = List.copyOf(attachedIndexes);
    }

    @Override
    public String toString() {
        return keyspace + "." + name;
    }
}
