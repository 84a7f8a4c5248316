package io.sluice.harness.replace;

import io.sluice.harness.cassandra.Cql;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What a live node says over CQL of all tables, at one moment. Immutable.
 *
 * @param takingNoFiles keyspaces with a table that takes no files, and why
 * @param truncations the node's own note of the latest truncation of a table, by its id; only to be compared
 */
public record TablesNow(Map<String, String> takingNoFiles, Map<UUID, String> truncations) {
    public TablesNow {
        takingNoFiles = Map.copyOf(takingNoFiles);
        truncations = Map.copyOf(truncations);
    }

    /** Where it is asked, as often as the answer may have changed: a join may last for hours. Not thread-safe. */
    public interface Source {
        /** Asks. */
        TablesNow ask() throws IOException;

        /** The node that is asked, as its ring calls it: {@code host:port}; empty if that is not known. */
        default Optional<String> endpoint() throws IOException {
            return Optional.empty();
        }
    }

    /** Asks a live node, closed by the caller. */
    public static Source at(Cql node) {
        return new Source() {
            @Override
            public TablesNow ask() throws IOException {
                return of(node);
            }

            @Override
            public Optional<String> endpoint() throws IOException {
                return Optional.of(
                        TablesNow.endpoint(node.execute("SELECT broadcast_address, broadcast_port FROM system.local")));
            }
        };
    }

    private static TablesNow of(Cql node) throws IOException {
        // The node's own, not the cluster's: a truncation reaches all live nodes, so that one of them is enough.
        return new TablesNow(
                UnsupportedKeyspaces.leftToCassandra(node),
                truncations(node.execute("SELECT truncated_at FROM system.local")));
    }

    /** For what is about no table. */
    public static TablesNow none() {
        return new TablesNow(Map.of(), Map.of());
    }

    /** Of a row with address and port, as {@code '10.0.0.1'} and {@code 7000}. */
    static String endpoint(Cql.Answer answer) throws IOException {
        try {
            List<String> row = answer.rows().get(0);
            return Address.text(row.get(0).replace("'", ""), Integer.parseInt(row.get(1)));
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw new IOException(
                    "system.local: " + answer.rows()
                            + " (expected: one row with the node's broadcast address and port)",
                    e);
        }
    }

    /** Of a row with one map, as the literal {@code {id:0x01,id:0x02}}. */
    static Map<UUID, String> truncations(Cql.Answer answer) throws IOException {
        Map<UUID, String> truncations = new TreeMap<>();
        for (List<String> row : answer.rows()) {
            String literal = row.get(0);
            String entries = literal.equals("NULL") ? "" : literal.replaceAll("[{}\\s]", "");
            for (String entry : entries.isEmpty() ? new String[0] : entries.split(",", -1)) {
                String[] parts = entry.split(":", -1);
                if (parts.length != 2) {
                    throw new IOException("truncated_at in system.local: " + literal
                            + " (expected: ids of tables with a blob each, as {id:0x01})");
                }
                truncations.put(UUID.fromString(parts[0]), parts[1]);
            }
        }
        return truncations;
    }

    /**
     * Why nothing more of a keyspace may be imported; empty if nothing speaks against it.
     *
     * @param pinned its tables
     * @param before as it was before they were pinned
     */
    Optional<String> objection(String keyspace, Collection<TableRef> pinned, TablesNow before) {
        return Optional.ofNullable(takingNoFiles.get(keyspace))
                .or(() -> truncatedSince(before, pinned).stream()
                        .map(
                                table -> table
                                        + " was truncated since it was pinned: what is pinned has rows of before (expected:"
                                        + " no truncation meanwhile; if the node has such rows in the end, truncate the table again)")
                        .sorted()
                        .findFirst());
    }

    /** Those of some tables whose latest truncation is another one than it was before; none that was dropped. */
    List<TableRef> truncatedSince(TablesNow before, Collection<TableRef> some) {
        return some.stream()
                .filter(table -> truncations.containsKey(table.id())
                        && !Objects.equals(truncations.get(table.id()), before.truncations.get(table.id())))
                .toList();
    }
}
