package io.sluice.streaming.engine.send;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The temporary files that a session has prepared and its receiver has not received: if they occupy too much, the
 * preparation waits, and goes on when half of the room is free. Thread-safe.
 */
final class PreparedAhead {
    private long mostBytes = Long.MAX_VALUE;
    /** By number of the offer. */
    private final Map<Integer, Files> files = new HashMap<>();

    private final Set<UUID> skipped = new HashSet<>();
    private long heldBytes;
    private long changes;
    private boolean isWaiting;
    private boolean isOver;

    /** The temporary files of one offer. */
    private record Files(UUID tableId, long lengthBytes) {}

    /** Limits the bytes, which are unlimited for a receiver that fetches nothing before everything is prepared. */
    synchronized void limit(long bytes) {
        mostBytes = bytes;
    }

    /** Whether so many more bytes may be prepared now for a table; those of one offer may be more than the limit. */
    synchronized boolean hasRoom(UUID tableId, long lengthBytes) {
        return !isSkipped(tableId) && (heldBytes == 0 || lengthBytes == 0 || lengthBytes <= mostBytes - heldBytes);
    }

    /** Whether files will be removed before the preparation is over. */
    synchronized boolean frees() {
        return mostBytes != Long.MAX_VALUE && heldBytes > 0;
    }

    /** Adds the temporary files of an offer. */
    synchronized void add(UUID tableId, int offer, long lengthBytes) {
        if (lengthBytes > 0 && !isSkipped(tableId)) {
            files.put(offer, new Files(tableId, lengthBytes));
            heldBytes += lengthBytes;
        }
    }

    /** The files of an offer are gone. Returns whether the caller is to go on with the preparation. */
    synchronized boolean remove(int offer) {
        Files gone = files.remove(offer);
        if (gone == null) {
            return false;
        }
        changes++;
        heldBytes -= gone.lengthBytes();
        return heldBytes <= mostBytes / 2 && stopsWaiting();
    }

    /**
     * The receiver has abandoned a table: its files, which stay until the session ends, count no more. Returns whether
     * the caller is to go on with the preparation.
     */
    synchronized boolean skip(UUID tableId) {
        skipped.add(tableId);
        files.values().removeIf(gone -> {
            boolean isOfTable = gone.tableId().equals(tableId);
            heldBytes -= isOfTable ? gone.lengthBytes() : 0;
            return isOfTable;
        });
        changes++;
        return stopsWaiting();
    }

    /** Whether the receiver has abandoned a table. */
    synchronized boolean isSkipped(UUID tableId) {
        return skipped.contains(tableId);
    }

    /** A counter of everything that may let the preparation go on. */
    synchronized long changes() {
        return changes;
    }

    /**
     * Begins to wait.
     *
     * @param seen {@link #changes} before it was found that there is no room
     * @return whether it waits; otherwise there may be room meanwhile
     */
    synchronized boolean waits(long seen) {
        isWaiting = changes == seen && !isOver;
        return isWaiting;
    }

    /** The session is over. Returns whether the caller is to go on, so that the preparation ends. */
    synchronized boolean end() {
        isOver = true;
        return stopsWaiting();
    }

    private boolean stopsWaiting() {
        boolean was = isWaiting;
        isWaiting = false;
        return was;
    }
}
