package io.sluice.bench.mutation;

import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Marker;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.encoding.GrowingBuffer;
import java.io.IOException;
import java.util.Optional;

/**
 * Cuts a partition into pieces that stand for themselves: a deleted range that reaches over a cut, which is made behind
 * a row, ends there and starts again. Not thread-safe: confined to one stream.
 */
final class PartitionFragments {
    /** As long as a piece gets before it is cut. */
    static final int PIECE_BYTES = 128 << 10;

    private final FragmentCodec codec;
    private final GrowingBuffer piece = new GrowingBuffer();

    PartitionFragments(FragmentCodec codec) {
        this.codec = codec;
    }

    /** Takes the pieces, in order. */
    interface Sink {
        /** A piece; to be cleared by whoever takes it. */
        void accept(GrowingBuffer piece) throws IOException;
    }

    void cut(Partition partition, Sink sink) throws IOException {
        PartitionHeader header = partition.header();
        begin(header);
        if (!header.staticRow().isEmpty()) {
            codec.encode(new Fragment.Statics(header.staticRow()), piece);
        }
        DeletionTime open = DeletionTime.LIVE;
        for (Optional<Unfiltered> next = partition.next(); next.isPresent(); next = partition.next()) {
            Unfiltered item = next.get();
            codec.encode(new Fragment.Item(item), piece);
            if (item instanceof Marker marker) {
                open = marker.starting();
            } else if (item instanceof Row && piece.length() >= PIECE_BYTES) {
                ClusteringPrefix behind = item.clustering().as(ClusteringPrefix.Kind.INCLUSIVE_END);
                if (!open.isLive()) {
                    codec.encode(new Fragment.Item(Marker.at(behind, open, DeletionTime.LIVE)), piece);
                }
                end(sink);
                begin(header);
                if (!open.isLive()) {
                    codec.encode(new Fragment.Item(Marker.at(behind, DeletionTime.LIVE, open)), piece);
                }
            }
        }
        end(sink);
    }

    private void begin(PartitionHeader header) {
        codec.encode(new Fragment.Start(header), piece);
    }

    private void end(Sink sink) throws IOException {
        codec.encode(Fragment.END, piece);
        sink.accept(piece);
    }
}
