package io.sluice.sstable.data;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.index.IndexFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the block indexes in Index.db of partitions with two or more blocks. Its memory grows with the number of
 * blocks. Not thread-safe: confined to its writer.
 *
 * <pre>
 * uvint header length, deletion, uvint32 number of blocks, block*, i32 offset of each block from the first
 * block := first place, last place, uvint offset in the partition, svint (length - 65536), u8 open, [deletion]
 * place := u8 4, values of a row | u8 kind, u16 count, values of a bound
 * </pre>
 */
final class PromotedIndex implements BlockIndex {
    /** A block ends with the item that reaches this length. */
    static final int BLOCK_BYTES = 1 << 16;

    private final IndexFiles.Big index;
    private final ClusteringCodec clusterings;
    private final Times times;
    private final GrowingBuffer blocks = new GrowingBuffer();
    private final List<Integer> offsets = new ArrayList<>();
    private long headerLength;
    private long blockStart;
    private @Nullable ClusteringPrefix first;
    private @Nullable ClusteringPrefix last;
    private DeletionTime open = DeletionTime.LIVE;

    PromotedIndex(IndexFiles.Big index, ClusteringCodec clusterings, Times times) {
        this.index = index;
        this.clusterings = clusterings;
        this.times = times;
    }

    @Override
    public void start(long headerBytes) {
        blocks.clear();
        offsets.clear();
        headerLength = headerBytes;
        blockStart = headerBytes;
        first = null;
        last = null;
        open = DeletionTime.LIVE;
    }

    @Override
    public void add(Unfiltered item, long end) {
        if (first == null) {
            first = item.clustering();
        }
        last = item.clustering();
        if (item instanceof Marker marker) {
            open = marker.starting();
        }
        if (end - blockStart >= BLOCK_BYTES) {
            closeBlock(end);
        }
    }

    @Override
    public void finish(PartitionHeader partition, long position, long lengthBytes) throws IOException {
        index.add(partition.key(), position, encode(lengthBytes, partition.deletion()));
    }

    private Bytes encode(long length, DeletionTime deletion) {
        if (offsets.isEmpty()) { // the open block would be the only one, and is not indexed
            return Bytes.EMPTY;
        }
        if (first != null) {
            closeBlock(length);
        }
        if (offsets.size() < 2) {
            return Bytes.EMPTY;
        }
        GrowingBuffer out = new GrowingBuffer();
        out.putUnsignedVInt(headerLength);
        times.writeFullDeletion(deletion, out);
        out.putUnsignedVInt(offsets.size());
        out.put(blocks);
        offsets.forEach(out::putInt);
        return out.toBytes();
    }

    private void closeBlock(long end) {
        if (first == null || last == null) {
            throw new AssertionError("no item in the block at " + blockStart);
        }
        offsets.add(blocks.length());
        clusterings.writePrefix(first, blocks);
        clusterings.writePrefix(last, blocks);
        blocks.putUnsignedVInt(blockStart);
        blocks.putSignedVInt(end - blockStart - BLOCK_BYTES);
        blocks.putByte(open.isLive() ? 0 : 1);
        if (!open.isLive()) {
            times.writeFullDeletion(open, blocks);
        }
        blockStart = end;
        first = null;
        last = null;
    }
}
