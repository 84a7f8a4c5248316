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
 * File bytes that a node has transferred in one direction, by mode and table. The first {@value #MOST_TABLES} tables
 * have their own counts until the node stops, all others share the count {@value #OTHER}, so that creating and dropping
 * tables does not fill the memory, here or in a metrics system. Thread-safe.
 */
public final class TableBytes {
    /** The number of tables with their own counts. */
    static final int MOST_TABLES = 100;
    /** The name for all further tables. */
    static final String OTHER = "other";

    private final Set<String> tables = new HashSet<>(); // guarded by this, as are the others
    private final Map<Key, Count> counts = new HashMap<>();
    private final List<Consumer<Count>> listeners = new ArrayList<>();

    private record Key(String mode, String table) {}

    /** Transferred bytes of one table in one mode. Thread-safe. */
    public static final class Count {
        private final Key key;
        private final LongAdder bytes = new LongAdder();

        private Count(Key key) {
            this.key = key;
        }

        /** The mode, in lower case. */
        public String mode() {
            return key.mode();
        }

        /** Keyspace and name, or {@value TableBytes#OTHER}. */
        public String table() {
            return key.table();
        }

        /** Adds transferred bytes. */
        public void add(long more) {
            bytes.add(more);
        }

        /** The sum of transferred bytes. */
        public long sum() {
            return bytes.sum();
        }
    }

    /** The counter of a table and mode; to be looked up once for each SSTable, not for each byte. */
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

    /**
     * Passes each existing count, and each new one, to {@code listener}, on any thread.
     *
     * @return ends that
     */
    public Runnable onCount(Consumer<Count> listener) {
        List<Count> there;
        synchronized (this) {
            listeners.add(listener);
            there = List.copyOf(counts.values());
        }
        there.forEach(listener);
        return () -> remove(listener);
    }

    private synchronized void remove(Consumer<Count> listener) {
        listeners.remove(listener);
    }
}
