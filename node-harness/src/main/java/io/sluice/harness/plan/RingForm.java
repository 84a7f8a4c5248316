package io.sluice.harness.plan;

import io.sluice.streaming.ring.Replication;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a ring file says, word for word; {@link RingFile} is what it means. Immutable.
 *
 * @param nodes members, and nodes that are going to join
 * @param keyspaces with their tables
 * @param receiveRate bytes that each node can receive per second
 */
record RingForm(List<Member> nodes, List<Keyspace> keyspaces, Optional<String> receiveRate) {
    /**
     * A node.
     *
     * @param state {@code up} (default), {@code down}, or {@code joining}: not a member yet
     * @param rate bytes that it can send per second, as {@code 200MiB/s}
     */
    record Member(
            String name,
            Optional<String> dc,
            Optional<String> rack,
            Optional<List<Long>> tokens,
            OptionalInt vnodes,
            Optional<String> state,
            Optional<String> address,
            Optional<String> rate) {}

    /** A keyspace. */
    record Keyspace(String name, Replication replication, List<Table> tables) {}

    /**
     * A table.
     *
     * @param size bytes of one copy of all rows, spread evenly over the ring, as {@code 1TiB}
     * @param hot ranges that hold additional bytes
     * @param compaction {@code size_tiered} (default) or {@code leveled}
     * @param sstableSize of a leveled table, as {@code 160MiB} (default)
     * @param chunkLength of compressed chunks, as {@code 16KiB} (default), or {@code none}
     */
    record Table(
            String name,
            String size,
            List<Hot> hot,
            Optional<String> compaction,
            Optional<String> sstableSize,
            Optional<String> chunkLength) {}

    /**
     * Additional bytes of the tokens after {@code start} up to {@code end}, across the end of the ring if that is less.
     */
    record Hot(long start, long end, String size) {}

    RingForm {
        nodes = List.copyOf(nodes);
        keyspaces = List.copyOf(keyspaces);
    }
}
