package io.sluice.harness.replace;

import io.sluice.harness.cassandra.Cql;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * What a live node says over CQL of all tables, at one moment. Immutable.
 *
 * @param takingNoFiles keyspaces with a table that takes no files, and why
 */
public record TablesNow(Map<String, String> takingNoFiles) {
    public TablesNow {
        takingNoFiles = Map.copyOf(takingNoFiles);
    }

    /** Where it is asked, as often as the answer may have changed: a join may last for hours. Not thread-safe. */
    public interface Source {
        /** Asks. */
        TablesNow ask() throws IOException;
    }

    /** Asks a live node. */
    public static TablesNow of(Cql node) throws IOException {
        return new TablesNow(UnsupportedKeyspaces.leftToCassandra(node));
    }

    /** For what is about no table. */
    public static TablesNow none() {
        return new TablesNow(Map.of());
    }

    /** Why nothing of a keyspace may be imported; empty if nothing speaks against it. */
    Optional<String> objection(String keyspace) {
        return Optional.ofNullable(takingNoFiles.get(keyspace));
    }
}
