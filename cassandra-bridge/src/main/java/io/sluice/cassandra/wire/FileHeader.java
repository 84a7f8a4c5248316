package io.sluice.cassandra.wire;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.Section;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The header in front of the bytes of one SSTable, or of a slice of one. Immutable.
 *
 * @param route session to which the file belongs
 * @param version letters, {@code nb}
 * @param format {@code big} or {@code bti}
 * @param estimatedKeys for the receiver's Bloom filter; 0 for a whole SSTable
 * @param sections that are sent, ascending; may be empty for a whole SSTable
 * @param compression of Data.db, if the file is a slice and compressed
 * @param level of compaction
 * @param serializationHeader as in Statistics.db
 * @param whole present if the file is an entire SSTable
 */
public record FileHeader(
        Route route,
        String version,
        String format,
        long estimatedKeys,
        List<Section> sections,
        Optional<PartCompression> compression,
        int level,
        Bytes serializationHeader,
        Optional<Whole> whole)
        implements StreamMessage {

    public FileHeader {
        sections = List.copyOf(sections);
    }

    /**
     * Identifies the session for the receiver.
     *
     * @param sender identity of the sending side
     * @param sentByFollower whether the sender is the follower, not the initiator
     * @param sequence counts the files of one table and direction from 0
     * @param repairedAtMillis since the epoch, 0 for not repaired
     */
    public record Route(
            UUID tableId,
            InetSocketAddress sender,
            UUID planId,
            boolean sentByFollower,
            int sessionIndex,
            int sequence,
            long repairedAtMillis,
            Optional<UUID> pendingRepair) {}

    /**
     * An entire SSTable.
     *
     * @param manifest in the order in which the components follow
     * @param firstKey of the first partition
     */
    public record Whole(List<Entry> manifest, Bytes firstKey) {
        public Whole {
            manifest = List.copyOf(manifest);
        }
    }

    /** A component, such as {@code Data.db}, and its length. */
    public record Entry(String component, long lengthBytes) {}

    /** How many files a summary counts for this file. */
    public int countedFiles() {
        return whole.map(entire -> entire.manifest().size()).orElse(1);
    }
}
