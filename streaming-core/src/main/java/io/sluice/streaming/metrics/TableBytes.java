package io.sluice.streaming.metrics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * File bytes that a node has moved in one direction, by mode and table. The first {@value #MOST_TABLES} tables have
 * counts of their own until the node stops, all others share one of the name {@value #OTHER}: who creates and drops
 * tables all day fills no memory, here or where counts are kept. Thread-safe.
 */
public final class TableBytes {
    /** With counts of their own. */
    public static final int MOST_TABLES = 100;
    /** The name for all tables beyond those. */
    public static final String OTHER = "other";

    private final Set<String> tables = new HashSet<>(); // guarded by this, as are the others
    private final Map<Key, Count> counts = new HashMap<>();
    private final List<Consumer<Count>> listeners = new ArrayList<>();

    private record Key(String mode, String table) {}

    /** The bytes of one table that moved in one mode. Thread-safe. */
    public static final class Count {
        private final Key key;
        private final LongAdder bytes = new LongAdder();

        private Count(Key key) {
            this.key = key;
        }

        /** As {@code entire}. */
        public String mode() {
            return key.mode();
        }

        /** Keyspace and name, or {@value TableBytes#OTHER}. */
        public String table() {
            return key.table();
        }

        /** So many more have moved. */
        public void add(long more) {
            bytes.add(more);
        }

        /** All that have moved. */
        public long sum() {
            return bytes.sum();
        }
    }

    /** Where the bytes of a table are counted; to be asked for once for each SSTable, not for each byte. */
    public Count of(String mode, String table) {
        Count count;
        List<Consumer<Count>> told;
        synchronized (this) {
            boolean isKnown = tables.contains(table) || (tables.size() < MOST_TABLES && tables.add(table));
            Key key = new Key(mode, isKnown ? table : OTHER);
            Count known = counts.get(key);
            if (known != null) {
                return known;
            }
            count = new Count(key);
            counts.put(key, count);
            told = List.copyOf(listeners);
        }
        told.forEach(listener -> listener.accept(count));
        return count;
    }

    /** Has {@code listener} told of each count that there is, and of each new one, on any thread. */
    public void onCount(Consumer<Count> listener) {
        List<Count> there;
        synchronized (this) {
            listeners.add(listener);
            there = List.copyOf(counts.values());
        }
        there.forEach(listener);
    }
}
