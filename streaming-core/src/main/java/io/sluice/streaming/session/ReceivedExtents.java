package io.sluice.streaming.session;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.install.StagedExtent;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The missing, in-flight and received extents of a receiving session. Extents of one file may arrive in any order: the
 * checksum of a file is combined from those of its extents. Not thread-safe.
 */
final class ReceivedExtents {
    private static final int MAX_EXTENTS_AT_ONCE = 1_000;
    /** On one connection, however short they are: a source refuses more than 20,000. */
    private static final int MAX_EXTENTS_IN_FLIGHT = 5_000;

    private final int extentLengthBytes;
    private final Map<Integer, IncompleteSSTable> incomplete = new LinkedHashMap<>();
    private final Map<Integer, InFlight> inFlight = new HashMap<>();
    private final PendingExtents waiting = new PendingExtents();
    private final Map<UUID, TableProgress> tables = new LinkedHashMap<>();
    private int sstablesTotal;
    private long bytesTotal;
    private long bytesReceived;
    private long bytesVerified;
    private long bytesHeld;
    private int filesTotal;
    private int filesReceived;

    ReceivedExtents(int extentLengthBytes) {
        this.extentLengthBytes = extentLengthBytes;
    }

    /** An offer that is not completely received. */
    private static final class IncompleteSSTable {
        final SSTableOffer offer;
        final Map<Component, FileExtents> files = new EnumMap<>(Component.class);

        IncompleteSSTable(SSTableOffer offer) {
            this.offer = offer;
        }
    }

    /** The requested extents of one connection that have not arrived, in order. */
    private static final class InFlight {
        final Deque<Extent> extents = new ArrayDeque<>();
        long lengthBytes;

        void add(Extent extent) {
            extents.add(extent);
            lengthBytes += extent.lengthBytes();
        }

        void removeFirst() {
            lengthBytes -= extents.remove().lengthBytes();
        }
    }

    /** What a received extent completed. */
    sealed interface Outcome {
        /** Nothing yet. */
        record Incomplete() implements Outcome {}

        /** All components of an SSTable are received, with correct checksums. */
        record SSTableWhole(SSTableOffer offer) implements Outcome {}

        /** A file is received, and its checksum differs from the manifest. */
        record Damaged(SSTableOffer offer, FileExtents file) implements Outcome {}
    }

    /**
     * Adds the extents of {@code offer} that are not retained to the missing ones; empty files need no extents.
     *
     * @return what that completes: an SSTable may be retained completely
     */
    List<Outcome> expect(SSTableOffer offer, List<StagedExtent> held) {
        IncompleteSSTable sstable = new IncompleteSSTable(offer);
        sstablesTotal++;
        incomplete.put(offer.number(), sstable);
        for (ComponentManifest manifest : offer.components()) {
            sstable.files.put(manifest.component(), new FileExtents(manifest, extentLengthBytes));
            filesTotal++;
            bytesTotal = Math.addExact(bytesTotal, manifest.lengthBytes());
            count(offer, manifest.lengthBytes(), 0);
            if (manifest.lengthBytes() == 0) {
                filesReceived++;
            }
        }
        List<Outcome> outcomes = new ArrayList<>();
        for (StagedExtent landed : held) {
            FileExtents file = sstable.files.get(landed.extent().component());
            if (file != null && file.accepts(landed.extent())) {
                bytesHeld += landed.extent().lengthBytes();
                Outcome outcome = land(sstable, file, landed.extent(), landed.crc32());
                if (!(outcome instanceof Outcome.Incomplete)) {
                    outcomes.add(outcome);
                }
            }
        }
        sstable.files.values().forEach(file -> waiting.add(offer.number(), file));
        return outcomes;
    }

    private void count(SSTableOffer offer, long total, long received) {
        tables.merge(offer.tableId(), new TableProgress(offer.tableId(), total, received), TableProgress::plus);
    }

    /** Takes the next extents for {@code connection}, so that at most {@code window} are in flight on it. */
    List<Extent> next(int connection, int window) {
        long windowBytes = (long) window * extentLengthBytes;
        InFlight ahead = inFlight.computeIfAbsent(connection, number -> new InFlight());
        if (windowBytes - ahead.lengthBytes < windowBytes / 2
                || ahead.extents.size() > MAX_EXTENTS_IN_FLIGHT - MAX_EXTENTS_AT_ONCE) {
            return List.of();
        }
        List<Extent> taken = new ArrayList<>();
        Optional<Extent> next = waiting.peek(connection);
        while (next.isPresent()
                && taken.size() < MAX_EXTENTS_AT_ONCE
                && (taken.isEmpty() || next.get().lengthBytes() <= windowBytes - ahead.lengthBytes)) {
            waiting.remove(connection);
            ahead.add(next.get());
            taken.add(next.get());
            next = waiting.peek(connection);
        }
        return taken;
    }

    /** Registers {@code connection} as open without taking extents. */
    List<Extent> none(int connection) {
        inFlight.computeIfAbsent(connection, number -> new InFlight());
        return List.of();
    }

    /** Whether nothing expected is missing. */
    boolean isComplete() {
        return incomplete.isEmpty();
    }

    /** Whether a connection is registered and not lost. */
    boolean isOpen(int connection) {
        return inFlight.containsKey(connection);
    }

    /** Whether any connection is open. */
    boolean hasConnection() {
        return !inFlight.isEmpty();
    }

    /** Whether a matching extent is in flight. */
    boolean isInFlight(Predicate<Extent> kind) {
        return inFlight.values().stream()
                .anyMatch(ahead -> ahead.extents.stream().anyMatch(kind));
    }

    /** A connection is lost: its in-flight extents are fetched first on other connections. */
    void lost(int connection) {
        InFlight ahead = inFlight.remove(connection);
        waiting.release(connection);
        while (ahead != null && !ahead.extents.isEmpty()) {
            waiting.addFirst(ahead.extents.removeLast());
        }
        waiting.removeIf(offer -> !incomplete.containsKey(offer));
    }

    /**
     * Handles a completely received extent of {@code connection}.
     *
     * @return empty if it is not the next requested one on this connection
     */
    Optional<Outcome> received(int connection, Extent extent, long crc32) {
        InFlight ahead = inFlight.get(connection);
        if (ahead == null || !extent.equals(ahead.extents.peek())) {
            return Optional.empty();
        }
        ahead.removeFirst();
        IncompleteSSTable sstable = incomplete.get(extent.offer());
        if (sstable == null) {
            return Optional.of(new Outcome.Incomplete()); // its table was abandoned meanwhile
        }
        FileExtents file = sstable.files.get(extent.component());
        if (file == null || !file.accepts(extent)) {
            return Optional.empty();
        }
        return Optional.of(land(sstable, file, extent, crc32));
    }

    private Outcome land(IncompleteSSTable sstable, FileExtents file, Extent extent, long crc32) {
        bytesReceived += extent.lengthBytes();
        count(sstable.offer, 0, extent.lengthBytes());
        file.land(extent, crc32);
        if (!file.isFull()) {
            return new Outcome.Incomplete();
        }
        if (!file.isRight()) {
            return new Outcome.Damaged(sstable.offer, file);
        }
        filesReceived++;
        bytesVerified += file.lengthBytes();
        if (sstable.files.values().stream().allMatch(FileExtents::isRight)) {
            incomplete.remove(sstable.offer.number());
            return new Outcome.SSTableWhole(sstable.offer);
        }
        return new Outcome.Incomplete();
    }

    /** A completely received file with a checksum mismatch; empty if the file is not in that state. */
    Optional<Outcome.Damaged> damaged(int offer, Component component) {
        IncompleteSSTable sstable = incomplete.get(offer);
        FileExtents file = sstable == null ? null : sstable.files.get(component);
        return sstable == null || file == null || !file.isFull() || file.isRight()
                ? Optional.empty()
                : Optional.of(new Outcome.Damaged(sstable.offer, file));
    }

    /** Adds extents of a corrupt file to the missing ones. */
    void again(SSTableOffer offer, FileExtents file, List<Integer> extents) {
        for (int number : extents) {
            long forgotten = file.forget(number);
            bytesReceived -= forgotten;
            count(offer, 0, -forgotten);
        }
        waiting.addAgain(offer.number(), file);
    }

    /** Abandons a table: its in-flight extents are ignored when they arrive. */
    void abandon(UUID tableId) {
        incomplete.values().removeIf(sstable -> sstable.offer.tableId().equals(tableId));
        waiting.removeIf(offer -> !incomplete.containsKey(offer));
    }

    int sstablesTotal() {
        return sstablesTotal;
    }

    int filesTotal() {
        return filesTotal;
    }

    int filesReceived() {
        return filesReceived;
    }

    long bytesTotal() {
        return bytesTotal;
    }

    /** Received bytes, including retained ones. */
    long bytesReceived() {
        return bytesReceived;
    }

    /** The same for each table that was offered. */
    List<TableProgress> tables() {
        return List.copyOf(tables.values());
    }

    /** Bytes of completely received files with correct checksums. */
    long bytesVerified() {
        return bytesVerified;
    }

    /** Retained bytes from before the session. */
    long bytesHeld() {
        return bytesHeld;
    }
}
