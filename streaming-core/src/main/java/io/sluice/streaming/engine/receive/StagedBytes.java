package io.sluice.streaming.engine.receive;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Staged bytes of each table, by session: data of a failed session is staged again by another one. Thread-safe, with a
 * lock of its own that nobody holds during a disk operation, which may hang: the node's loop takes it.
 */
final class StagedBytes {
    private final Map<UUID, Map<UUID, Long>> byTable = new HashMap<>(); // guarded by this

    synchronized void add(UUID tableId, UUID session, long lengthBytes) {
        byTable.computeIfAbsent(tableId, any -> new HashMap<>()).merge(session, lengthBytes, Long::sum);
    }

    /** Forgets what a session has staged of a table. */
    synchronized void remove(UUID tableId, UUID session) {
        byTable.getOrDefault(tableId, new HashMap<>()).remove(session);
    }

    synchronized void remove(UUID tableId) {
        byTable.remove(tableId);
    }

    synchronized long of(UUID tableId) {
        return byTable.getOrDefault(tableId, Map.of()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
