package io.sluice.bench.mutation;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.channel.ChannelInput;
import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Collection;
import java.util.Optional;

/**
 * Sends the rows of some ranges as one stream of fragments ({@code mutation-direct}): all SSTables merged, each
 * partition once, what deletions remove left out. No more than a window of bytes is on its way; a partition of any
 * length flows through. One use each; not thread-safe.
 */
public final class DirectWriter {
    /** Enough for a wide link; the first system that did this had 100 KiB. */
    public static final int DEFAULT_WINDOW_BYTES = 1 << 20;

    private static final int FRAME_BYTES = 64 << 10;

    private final FrameInput answers;
    private final FrameOutput out;
    private final int windowBytes;
    private final GrowingBuffer fragments = new GrowingBuffer();
    private long unconsumed;

    /**
     * Sends over blocking channels.
     *
     * @param windowBytes that the receiver may not have consumed yet, 1 or more; a single larger row goes alone
     */
    public DirectWriter(ReadableByteChannel answers, WritableByteChannel channel, int windowBytes) {
        if (windowBytes < 1) {
            throw new IllegalArgumentException("window: " + windowBytes + " bytes (expected: at least 1)");
        }
        this.answers = new FrameInput(new ChannelInput(answers));
        this.out = new FrameOutput(channel);
        this.windowBytes = windowBytes;
    }

    /**
     * Sends all that {@code sstables}, of one table and at least one, hold in {@code ranges}, and waits until it is
     * durable at the receiver; returns how many bytes were sent.
     *
     * @throws StreamException for the receiver's reason, if it fails
     * @throws IOException if a channel fails, or an SSTable cannot be read
     */
    public long send(Collection<SSTable> sstables, TokenRanges ranges, Encoding encoding) throws IOException {
        return RowStream.orFailPeer(out, ErrorCode.INTERNAL, () -> {
            Opening opening = Opening.of(encoding, sstables, ranges);
            FragmentCodec codec = encoding.codec(opening.header());
            FragmentOrder order = new FragmentOrder(opening.header(), true);
            opening.encode(fragments);
            send(Frame.Kind.OPENING);
            try (MergedPartitions merged = MergedPartitions.open(sstables, ranges)) {
                for (Optional<Partition> next = merged.next(); next.isPresent(); next = merged.next()) {
                    send(next.get(), fragment -> {
                        order.check(fragment);
                        codec.encode(fragment, fragments);
                    });
                }
            }
            send(Frame.Kind.FRAGMENTS);
            out.add(Frame.Kind.END);
            out.flush();
            while (answers.next(Frame.Kind.CONSUMED, Frame.Kind.DONE).kind() != Frame.Kind.DONE) {
                // The receiver still reports what it consumed.
            }
            return out.position();
        });
    }

    private interface Sink {
        void accept(Fragment fragment);
    }

    private void send(Partition partition, Sink sink) throws IOException {
        PartitionHeader header = partition.header();
        sink.accept(new Fragment.Start(header));
        if (!header.staticRow().isEmpty()) {
            sink.accept(new Fragment.Statics(header.staticRow()));
        }
        for (Optional<Unfiltered> item = partition.next(); item.isPresent(); item = partition.next()) {
            sink.accept(new Fragment.Item(item.get()));
            sendIfFull();
        }
        sink.accept(Fragment.END);
        sendIfFull();
    }

    private void sendIfFull() throws IOException {
        if (fragments.length() >= Math.min(FRAME_BYTES, windowBytes)) {
            send(Frame.Kind.FRAGMENTS);
        }
    }

    private void send(Frame.Kind kind) throws IOException {
        int bytes = fragments.length() + Frame.HEADER_BYTES;
        while (unconsumed > 0 && unconsumed + bytes > windowBytes) {
            out.flush();
            Frame consumed = answers.next(Frame.Kind.CONSUMED);
            unconsumed -= answers.number(consumed, 1, (int) Math.min(Integer.MAX_VALUE, unconsumed));
        }
        out.add(kind, fragments);
        unconsumed += bytes;
    }
}
