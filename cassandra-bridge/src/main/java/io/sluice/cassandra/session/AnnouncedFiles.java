package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage.Summary;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Compares what a peer announced with what was received. Not thread-safe: confined to its session. */
final class AnnouncedFiles {
    private record FileId(UUID tableId, int sequence) {}

    private final Map<UUID, Integer> outstanding = new HashMap<>();
    private final Set<FileId> received = new HashSet<>();

    /** Adds announced tables; returns false if a table is announced twice. */
    boolean add(List<Summary> summaries) {
        for (Summary summary : summaries) {
            if (outstanding.put(summary.tableId(), summary.files()) != null) {
                return false;
            }
        }
        return true;
    }

    /** Counts a received file; returns false if it exceeds what was announced. */
    boolean received(SessionEvent.FileReceived file) {
        Integer left = outstanding.get(file.tableId());
        boolean isNew = received.add(new FileId(file.tableId(), file.sequence()));
        if (left == null || !isNew || file.counted() < 1 || file.counted() > left) {
            return false;
        }
        outstanding.put(file.tableId(), left - file.counted());
        return true;
    }

    /** Number of announced files that are outstanding: components of whole SSTables, and slices sent as rows. */
    long outstanding() {
        return outstanding.values().stream().mapToLong(Integer::longValue).sum();
    }
}
