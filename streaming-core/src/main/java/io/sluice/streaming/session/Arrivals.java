package io.sluice.streaming.session;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Crc32Combination;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a receiving session still has to fetch, what is on its way, and what has arrived. Extents of one file may arrive
 * in any order: the checksum of a file is combined from those of its extents. Not thread-safe.
 */
final class Arrivals {
    /** Long enough for one system call to move much, short enough to share a file between connections. */
    static final int EXTENT_LENGTH_BYTES = 8 << 20;

    private static final int MAX_ATTEMPTS = 3;

    private final Map<Integer, Map<Component, NavigableMap<Long, Checked>>> arrived = new java.util.HashMap<>();
    private final Map<Integer, SSTableOffer> incomplete = new java.util.LinkedHashMap<>();
    private final Map<Integer, SSTableOffer> offers = new java.util.HashMap<>();
    private final Map<Damaged, List<Long>> damages = new java.util.HashMap<>();
    private final Deque<Extent> waiting = new ArrayDeque<>();
    private long bytesTotal;
    private long bytesArrived;
    private int filesTotal;
    private int filesArrived;

    private record Damaged(int offer, Component component) {}

    private record Checked(int lengthBytes, long crc32) {}

    /** What the arrival of an extent completed. */
    sealed interface Outcome {
        /** Nothing yet. */
        record Partly() implements Outcome {}

        /** All components of an SSTable are here, with the right checksums. */
        record SSTableWhole(SSTableOffer offer) implements Outcome {}

        /** A file has another checksum than its manifest says; it will be fetched again. */
        record Again(String reason) implements Outcome {}

        /**
         * The same, too often.
         *
         * @param atSource whether it was the same wrong checksum each time: no network damages a file alike three times
         */
        record Corrupt(String reason, boolean atSource) implements Outcome {}

        /** Nobody asked for this extent. */
        record Unasked() implements Outcome {}
    }

    /** Adds everything that {@code offer} holds to what has to be fetched; empty files need no fetching. */
    void expect(SSTableOffer offer) {
        offers.put(offer.number(), offer);
        incomplete.put(offer.number(), offer);
        Map<Component, NavigableMap<Long, Checked>> files = new EnumMap<>(Component.class);
        arrived.put(offer.number(), files);
        for (ComponentManifest manifest : offer.components()) {
            files.put(manifest.component(), new TreeMap<>());
            filesTotal++;
            bytesTotal = Math.addExact(bytesTotal, manifest.lengthBytes());
            if (manifest.lengthBytes() == 0) {
                filesArrived++;
            }
            enqueue(offer.number(), manifest);
        }
    }

    private void enqueue(int offer, ComponentManifest manifest) {
        for (long at = 0; at < manifest.lengthBytes(); at += EXTENT_LENGTH_BYTES) {
            int length = (int) Math.min(EXTENT_LENGTH_BYTES, manifest.lengthBytes() - at);
            waiting.add(new Extent(offer, manifest.component(), at, length));
        }
    }

    /** Takes the next extents to fetch: at least one if any is left, at most {@code lengthBytes} in all. */
    List<Extent> next(long lengthBytes) {
        List<Extent> taken = new ArrayList<>();
        long left = lengthBytes;
        while (!waiting.isEmpty()
                && taken.size() < 1_000
                && (taken.isEmpty() || waiting.peek().lengthBytes() <= left)) {
            Extent extent = waiting.remove();
            left -= extent.lengthBytes();
            taken.add(extent);
        }
        return taken;
    }

    /** Offers whose files are all empty or absent cannot exist: data is never empty. */
    Outcome arrived(Extent extent, long crc32) {
        Map<Component, NavigableMap<Long, Checked>> files = arrived.getOrDefault(extent.offer(), Map.of());
        SSTableOffer offer = incomplete.get(extent.offer());
        NavigableMap<Long, Checked> file = files.get(extent.component());
        if (offer == null
                || file == null
                || file.put(extent.offset(), new Checked(extent.lengthBytes(), crc32)) != null) {
            return new Outcome.Unasked();
        }
        bytesArrived += extent.lengthBytes();
        Optional<ComponentManifest> manifest = offer.manifest(extent.component());
        if (manifest.isEmpty() || lengthOf(file) < manifest.get().lengthBytes()) {
            return new Outcome.Partly();
        }
        return fileWhole(offer, files, manifest.get(), file);
    }

    private Outcome fileWhole(
            SSTableOffer offer,
            Map<Component, NavigableMap<Long, Checked>> files,
            ComponentManifest manifest,
            NavigableMap<Long, Checked> file) {
        long crc32 = 0;
        for (Checked part : file.values()) {
            crc32 = Crc32Combination.combine(crc32, part.crc32(), part.lengthBytes());
        }
        if (crc32 != manifest.crc32()) {
            return damaged(offer, manifest, file, crc32);
        }
        filesArrived++;
        for (ComponentManifest other : offer.components()) {
            NavigableMap<Long, Checked> parts = files.get(other.component());
            if (parts == null || lengthOf(parts) < other.lengthBytes()) {
                return new Outcome.Partly();
            }
        }
        incomplete.remove(offer.number());
        arrived.remove(offer.number());
        return new Outcome.SSTableWhole(offer);
    }

    private Outcome damaged(
            SSTableOffer offer, ComponentManifest manifest, NavigableMap<Long, Checked> file, long crc32) {
        String name = offer.source().fileName(manifest.component());
        List<Long> crcs =
                damages.computeIfAbsent(new Damaged(offer.number(), manifest.component()), any -> new ArrayList<>());
        crcs.add(crc32);
        String reason = String.format(
                "%s: CRC-32 of the received file is %08x (expected: %08x by its manifest), attempt %d of %d",
                name, crc32, manifest.crc32(), crcs.size(), MAX_ATTEMPTS);
        if (crcs.size() == MAX_ATTEMPTS) {
            boolean atSource = crcs.stream().distinct().count() == 1;
            String advice = atSource
                    ? ", the same each time: the file is damaged at the source; verify it there, and repair the table"
                    : ", another each time: the network or the memory of a node damages data";
            return new Outcome.Corrupt(reason + advice, atSource);
        }
        bytesArrived -= lengthOf(file);
        file.clear();
        enqueue(offer.number(), manifest);
        return new Outcome.Again(reason);
    }

    private static long lengthOf(NavigableMap<Long, Checked> file) {
        return file.values().stream().mapToLong(Checked::lengthBytes).sum();
    }

    int sstablesTotal() {
        return offers.size();
    }

    int filesTotal() {
        return filesTotal;
    }

    int filesArrived() {
        return filesArrived;
    }

    long bytesTotal() {
        return bytesTotal;
    }

    long bytesArrived() {
        return bytesArrived;
    }
}
