package io.sluice.bench.mutation;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.data.Partition;
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
 * Sends the rows of some ranges partition by partition, each (or each piece of 128 KiB of one) a request that is
 * answered when it is in the receiver's memory ({@code mutation-memtable}). One use each; not thread-safe.
 */
public final class MemtableWriter {
    /** Requests that may be unanswered. */
    public static final int DEFAULT_WINDOW = 256;

    private final FrameInput answers;
    private final FrameOutput out;
    private final int window;
    private int unanswered;

    /**
     * Sends over blocking channels.
     *
     * @param window how many requests may be unanswered, 1 or more
     */
    public MemtableWriter(ReadableByteChannel answers, WritableByteChannel channel, int window) {
        if (window < 1) {
            throw new IllegalArgumentException("window: " + window + " requests (expected: at least 1)");
        }
        this.answers = new FrameInput(new ChannelInput(answers));
        this.out = new FrameOutput(channel);
        this.window = window;
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
            GrowingBuffer buffer = new GrowingBuffer();
            opening.encode(buffer);
            out.add(Frame.Kind.OPENING, buffer);
            PartitionFragments pieces = new PartitionFragments(encoding.codec(opening.header()));
            try (MergedPartitions merged = MergedPartitions.open(sstables, ranges)) {
                for (Optional<Partition> next = merged.next(); next.isPresent(); next = merged.next()) {
                    pieces.cut(next.get(), this::request);
                }
            }
            out.add(Frame.Kind.END);
            out.flush();
            while (answers.next(Frame.Kind.APPLIED, Frame.Kind.DONE).kind() != Frame.Kind.DONE) {
                // Answers to the last requests.
            }
            return out.position();
        });
    }

    private void request(GrowingBuffer piece) throws IOException {
        while (unanswered == window) {
            out.flush();
            unanswered -= answers.number(answers.next(Frame.Kind.APPLIED), 1, unanswered);
        }
        out.add(Frame.Kind.PARTITION, piece);
        unanswered++;
    }
}
