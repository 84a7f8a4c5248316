package io.sluice.cassandra.ring;

import java.util.List;
import java.util.UUID;

/**
 * A table of the cluster. Immutable.
 *
 * @param id in this cluster; it may differ from the id in a folder's name
 * @param cql statements that create its types and the table
 * @param attachedIndexes names of its storage-attached indexes, which live in components of its SSTables
 */
public record LiveTable(String keyspace, String name, UUID id, String cql, List<String> attachedIndexes) {
    public LiveTable {
        attachedIndexes = List.copyOf(attachedIndexes);
    }

    @Override
    public String toString() {
        return keyspace + "." + name;
    }
}
