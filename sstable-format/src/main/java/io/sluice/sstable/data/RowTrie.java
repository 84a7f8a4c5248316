package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.index.IndexFiles;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Builds the row tries in Rows.db of partitions with two or more blocks. Blocks are written when they end; only their
 * separators are in memory. Not thread-safe: confined to its writer.
 *
 * <p>A block is found by its separator: the shortest prefix of its first item's {@link ComparableClustering} that is
 * greater than the previous item. The first block has the empty separator; the end of the partition has the shortest
 * one that is greater than its last item, computed by incrementing a byte. If a clustering type has no such encoding
 * there is no index: readers scan the partition from its start.
 */
final class RowTrie implements BlockIndex {
    /** A block ends with the item that reaches this length. */
    static final int BLOCK_BYTES = 1 << 14;

    private final IndexFiles.Tries index;
    private final ComparableClustering comparable;
    private final boolean isKnown;
    private final Times times;
    private byte[] separator = new byte[0];
    private byte[] lastForm = new byte[0];
    private int blocks;
    private long firstStart;
    private long blockStart;
    private @Nullable ClusteringPrefix first;
    private @Nullable ClusteringPrefix last;
    private DeletionTime openAtStart = DeletionTime.LIVE;
    private DeletionTime open = DeletionTime.LIVE;

    RowTrie(IndexFiles.Tries index, ComparableClustering comparable, Times times) {
        this.index = index;
        this.comparable = comparable;
        this.isKnown = comparable.isKnown();
        this.times = times;
    }

    @Override
    public void start(long headerBytes) {
        separator = new byte[0];
        blocks = 0;
        firstStart = headerBytes;
        blockStart = headerBytes;
        first = null;
        last = null;
        openAtStart = DeletionTime.LIVE;
        open = DeletionTime.LIVE;
    }

    @Override
    public void add(Unfiltered item, long end) throws IOException {
        if (first == null) {
            first = item.clustering();
        }
        last = item.clustering();
        if (item instanceof Marker marker) {
            open = marker.starting();
        }
        if (end - blockStart >= BLOCK_BYTES && isKnown) {
            closeBlock(end);
        }
    }

    @Override
    public void finish(PartitionHeader partition, long position, long lengthBytes) throws IOException {
        long end = lengthBytes - 1; // of the items: the position of the end byte
        if (blocks > 0 && first != null) {
            closeBlock(end);
        }
        if (blocks < 2) {
            index.add(partition.key(), position);
            return;
        }
        byte[] behind = behind(lastForm, separator);
        index.rows().addBlock(behind, behind.length, end, Bytes.EMPTY);
        index.addWithRows(partition.key(), position, encode(partition.deletion()));
    }

    private void closeBlock(long end) throws IOException {
        if (first == null || last == null) {
            throw new AssertionError("no item in the block at " + blockStart);
        }
        if (blocks == 1) {
            index.rows().addBlock(separator, 0, firstStart, Bytes.EMPTY); // nothing is open before the first item
        }
        if (blocks > 0) {
            separator = between(lastForm, comparable.of(first));
            index.rows().addBlock(separator, separator.length, blockStart, encodeIfAny(openAtStart));
        }
        lastForm = comparable.of(last);
        blocks++;
        blockStart = end;
        openAtStart = open;
        first = null;
        last = null;
    }

    private Bytes encodeIfAny(DeletionTime deletion) {
        return deletion.isLive() ? Bytes.EMPTY : encode(deletion);
    }

    private Bytes encode(DeletionTime deletion) {
        var out = new GrowingBuffer();
        times.writeFullDeletion(deletion, out);
        return out.toBytes();
    }

    /** The shortest prefix of {@code next} that is greater than {@code before}. */
    static byte[] between(byte[] before, byte[] next) {
        return Arrays.copyOf(next, Arrays.mismatch(before, next) + 1);
    }

    /** The shortest path that is greater than {@code last} and, like all others, than {@code separator}. */
    static byte[] behind(byte[] last, byte[] separator) {
        int mismatch = Arrays.mismatch(last, separator);
        // A last block of one item may have all of it as its separator: then the byte that ends it is incremented.
        int at = mismatch < 0 ? last.length - 1 : mismatch;
        while (last[at] == (byte) 0xff) {
            at++;
        }
        byte[] behind = Arrays.copyOf(last, at + 1);
        behind[at]++;
        return behind;
    }
}
