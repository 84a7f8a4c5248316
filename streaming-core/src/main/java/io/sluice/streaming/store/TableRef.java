package io.sluice.streaming.store;

import java.util.UUID;

/**
 * A table: its id, which never changes and never comes back, and its present names, human-readable. Immutable.
 *
 * @param id the table's id; two tables are the same iff their ids are, so a renamed table equals itself
 */
public record TableRef(UUID id, String keyspace, String name) {
    @Override
    public boolean equals(Object other) {
        return other instanceof TableRef table && table.id.equals(id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return keyspace + "." + name;
    }
}
