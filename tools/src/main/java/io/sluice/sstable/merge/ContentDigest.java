package io.sluice.sstable.merge;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.ComplexColumn;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Marker;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Optional;

/**
 * A fingerprint of the content of a table in some token ranges. It does not depend on how the rows are spread over
 * SSTables, on format version or compression, or on the time of day. Digests of disjoint ranges add up. Immutable.
 *
 * @param high the upper half of the sum, modulo 2^128, of a 128-bit hash of each partition
 * @param low the lower half
 * @param partitions that have any content, including deletions
 * @param rows including static rows, but not markers
 * @param cells including tombstones
 */
public record ContentDigest(long high, long low, long partitions, long rows, long cells) {
    /** The digest of no content. */
    public static final ContentDigest EMPTY = new ContentDigest(0, 0, 0, 0, 0);

    /** The digest of the partitions of {@code sstables}, all of one table, in {@code ranges}. */
    public static ContentDigest of(Collection<SSTable> sstables, TokenRanges ranges) throws IOException {
        try (MergedPartitions merged = MergedPartitions.open(sstables, ranges)) {
            return of(merged);
        }
    }

    /** The digest of all partitions of {@code source}, which returns each partition once. */
    public static ContentDigest of(MergedPartitions source) throws IOException {
        ContentDigest sum = EMPTY;
        Hasher hasher = new Hasher();
        for (Optional<Partition> partition = source.next(); partition.isPresent(); partition = source.next()) {
            sum = sum.plus(hasher.hash(partition.get()));
        }
        return sum;
    }

    /** The digest of both, if no partition is in both. */
    public ContentDigest plus(ContentDigest other) {
        long lowSum = low + other.low;
        long carry = Long.compareUnsigned(lowSum, low) < 0 ? 1 : 0;
        return new ContentDigest(
                high + other.high + carry,
                lowSum,
                partitions + other.partitions,
                rows + other.rows,
                cells + other.cells);
    }

    /** The sum as 32 hex digits. */
    public String hex() {
        return "%016x%016x".formatted(high, low);
    }

    @Override
    public String toString() {
        return hex() + " (" + partitions + " partitions, " + rows + " rows, " + cells + " cells)";
    }

    /** Hashes one partition after another. Not thread-safe: confined to its user. */
    public static final class Hasher {
        private final MessageDigest sha = sha256();
        private final GrowingBuffer encoded = new GrowingBuffer();
        private long rows;
        private long cells;

        /** The digest of one partition, which is read to its end; {@link #EMPTY} if the partition is empty. */
        public ContentDigest hash(Partition partition) throws IOException {
            PartitionHeader header = partition.header();
            Optional<Unfiltered> item = partition.next();
            if (item.isEmpty()
                    && header.deletion().isLive()
                    && header.staticRow().isEmpty()) {
                return EMPTY;
            }
            rows = 0;
            cells = 0;
            sized(header.key().bytes());
            add(header.deletion());
            if (!header.staticRow().isEmpty()) {
                add(header.staticRow());
            }
            for (; item.isPresent(); item = partition.next()) {
                add(item.get());
                sha.update(encoded.written());
                encoded.clear();
            }
            sha.update(encoded.written());
            encoded.clear();
            ByteBuffer hash = ByteBuffer.wrap(sha.digest());
            return new ContentDigest(hash.getLong(), hash.getLong(), 1, rows, cells);
        }

        private static MessageDigest sha256() {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException impossible) {
                throw new AssertionError("every Java platform has SHA-256", impossible);
            }
        }

        private void sized(Bytes bytes) {
            encoded.putInt(bytes.length()).put(bytes);
        }

        private void add(DeletionTime deletion) {
            encoded.putLong(deletion.timestamp()).putLong(deletion.localDeletionTime());
        }

        private void add(Unfiltered item) {
            ClusteringPrefix clustering = item.clustering();
            encoded.putByte(clustering.kind().number()).putInt(clustering.length());
            for (int i = 0; i < clustering.length(); i++) {
                encoded.putByte(clustering.isNull(i) ? 1 : 0);
                sized(clustering.value(i));
            }
            if (item instanceof Marker marker) {
                add(marker.ending());
                add(marker.starting());
            } else if (item instanceof Row row) {
                addContent(row);
            }
        }

        private void addContent(Row row) {
            rows++;
            addTimes(
                    row.liveness().timestamp(),
                    row.liveness().ttl(),
                    row.liveness().localDeletionTime());
            add(row.deletion());
            encoded.putByte(row.isShadowable() ? 1 : 0);
            encoded.putInt(row.columns().size());
            for (ColumnData data : row.columns()) {
                sized(data.column().name());
                if (data instanceof Cell cell) {
                    add(cell);
                } else if (data instanceof ComplexColumn complex) {
                    add(complex.deletion());
                    encoded.putInt(complex.cells().size());
                    complex.cells().forEach(this::add);
                }
            }
        }

        private void add(Cell cell) {
            cells++;
            addTimes(cell.timestamp(), cell.ttl(), cell.localDeletionTime());
            sized(cell.path());
            sized(cell.value());
        }

        private void addTimes(long timestamp, int ttl, long localDeletionTime) {
            encoded.putLong(timestamp).putInt(ttl).putLong(localDeletionTime);
        }
    }
}
