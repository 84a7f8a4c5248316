package io.sluice.bench.mutation;

import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Partitions in memory, sorted, as they arrived: their rows are decoded when they are written. Filled by one thread,
 * then handed over to the one that writes it.
 */
final class StreamingMemtable {
    /** What an entry costs beside its bytes: its key, its nodes, its buffer. */
    private static final int ENTRY_BYTES = 250;

    private final Opening opening;
    private final TreeMap<PartitionKey, List<ByteBuffer>> partitions = new TreeMap<>();
    private long bytes;

    StreamingMemtable(Opening opening) {
        this.opening = opening;
    }

    /** Adds the fragments of a partition or piece, of which this keeps the buffer. */
    void apply(PartitionKey key, ByteBuffer fragments) {
        partitions.computeIfAbsent(key, any -> new ArrayList<>(1)).add(fragments);
        bytes += fragments.limit() + ENTRY_BYTES;
    }

    /** About how much memory it takes. */
    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return partitions.isEmpty();
    }

    /** All partitions, in order; pieces of one merged. To be read once. */
    PartitionSource read() {
        return new Reader(partitions.entrySet().iterator());
    }

    private final class Reader implements PartitionSource {
        private final Iterator<Map.Entry<PartitionKey, List<ByteBuffer>>> entries;

        Reader(Iterator<Map.Entry<PartitionKey, List<ByteBuffer>>> entries) {
            this.entries = entries;
        }

        @Override
        public Optional<Partition> next() throws IOException {
            if (!entries.hasNext()) {
                return Optional.empty();
            }
            List<ByteBuffer> pieces = entries.next().getValue();
            return pieces.size() == 1 ? Optional.of(new Piece(pieces.get(0), opening)) : merged(pieces);
        }

        private Optional<Partition> merged(List<ByteBuffer> pieces) throws IOException {
            List<PartitionSource> sources = new ArrayList<>();
            pieces.forEach(piece -> sources.add(new Single(new Piece(piece, opening))));
            var order = new ClusteringOrder(opening.header().clusteringTypes());
            return new MergedPartitions(sources, order).next();
        }

        @Override
        public void close() {
            // It is memory only.
        }
    }

    /** Decodes one partition. */
    private static final class Piece implements Partition {
        private final ByteBuffer in;
        private final FragmentCodec codec;
        private final FragmentOrder order;
        private final PartitionHeader header;
        private @Nullable Fragment ahead;

        Piece(ByteBuffer in, Opening opening) {
            this.in = in;
            this.codec = opening.encoding().codec(opening.header());
            this.order = new FragmentOrder(opening.header(), false);
            PartitionHeader start = ((Fragment.Start) decode()).header();
            Fragment second = decode();
            boolean hasStatics = second instanceof Fragment.Statics;
            this.header = second instanceof Fragment.Statics statics
                    ? new PartitionHeader(start.key(), start.deletion(), statics.row())
                    : start;
            this.ahead = hasStatics ? null : second;
        }

        private Fragment decode() {
            Fragment fragment = codec.decode(in);
            order.check(fragment);
            return fragment;
        }

        @Override
        public PartitionHeader header() {
            return header;
        }

        @Override
        public Optional<Unfiltered> next() {
            Fragment fragment = ahead != null ? ahead : decode();
            ahead = null;
            if (fragment instanceof Fragment.Item item) {
                return Optional.of(item.item());
            }
            if (in.hasRemaining() || !(fragment instanceof Fragment.End)) {
                throw new StreamException(
                        ErrorCode.PROTOCOL,
                        in.remaining() + " bytes behind partition " + header.key() + " (expected: none)");
            }
            ahead = fragment; // so that it may be asked again
            return Optional.empty();
        }
    }

    /** A source of one partition. */
    private static final class Single implements PartitionSource {
        private @Nullable Partition partition;

        Single(Partition partition) {
            this.partition = partition;
        }

        @Override
        public Optional<Partition> next() {
            Optional<Partition> next = Optional.ofNullable(partition);
            partition = null;
            return next;
        }

        @Override
        public void close() {
            // It is memory only.
        }
    }
}
