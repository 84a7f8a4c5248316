package io.sluice.cassandra.ring;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A table of the cluster. Immutable.
 *
 * @param id in this cluster; it may differ from the id in a folder's name
 * @param cql statements that create its types and the table
 * @param attachedIndexes names of its storage-attached indexes, which live in components of its SSTables
 * @param columns empty if they are unknown: a type is not one of Cassandra, or the table has compact storage
 */
public record LiveTable(
        String keyspace,
        String name,
        UUID id,
        String cql,
        List<String> attachedIndexes,
        Optional<LiveColumns> columns) {
    public LiveTable {
        attachedIndexes = List.copyOf(attachedIndexes);
    }

    /** A table whose columns are unknown. */
    public LiveTable(String keyspace, String name, UUID id, String cql, List<String> attachedIndexes) {
        this(keyspace, name, id, cql, attachedIndexes, Optional.empty());
    }

    @Override
    public String toString() {
        return keyspace + "." + name;
    }
}
