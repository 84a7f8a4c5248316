package io.sluice.streaming.store;

import java.util.UUID;

/**
 * A table: its id, which never changes and never comes back, and its present names, human-readable. Immutable.
 *
 * @param id the table's id; two tables are the same iff their ids are
 */
public record TableRef(UUID id, String keyspace, String name) {
    @Override
    public String toString() {
        return keyspace + "." + name;
    }
}
