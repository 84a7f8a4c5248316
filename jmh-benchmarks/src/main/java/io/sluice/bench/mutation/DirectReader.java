package io.sluice.bench.mutation;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.channel.ChannelInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Receives a stream of fragments and writes them as they come to one SSTable ({@code mutation-direct}). Holds a frame
 * and a row. One use each; not thread-safe.
 */
public final class DirectReader {
    private static final int REPORT_BYTES = 128 << 10;

    private final FrameInput in;
    private final FrameOutput answers;
    private final TokenRanges wanted;
    private @Nullable PartitionHeader pending;
    private int consumed;

    /**
     * Receives over blocking channels.
     *
     * @param wanted what was asked for: another partition fails the transfer
     */
    public DirectReader(ReadableByteChannel channel, WritableByteChannel answers, TokenRanges wanted) {
        this(new ChannelInput(channel), answers, wanted);
    }

    DirectReader(ChannelInput in, WritableByteChannel answers, TokenRanges wanted) {
        this.in = new FrameInput(in);
        this.answers = new FrameOutput(answers);
        this.wanted = wanted;
    }

    /**
     * Receives all rows; the sender receives the outcome.
     *
     * @param directory exists and holds no SSTable of that descriptor
     * @param descriptor of any version that can be written
     * @return the SSTable, durable; empty if there were no rows
     * @throws StreamException of code {@link ErrorCode#PROTOCOL} if the peer sent what are no rows, or rows out of
     *     order, {@link ErrorCode#CORRUPT_IN_FLIGHT} if a frame is damaged, {@link ErrorCode#OUT_OF_RANGE} if a
     *     partition was not asked for, {@link ErrorCode#PEER_LOST} if the stream ended before its end; then nothing is
     *     left
     */
    public Optional<SSTable> receive(Path directory, Descriptor descriptor, WriterOptions options) throws IOException {
        return RowStream.orFailPeer(answers, ErrorCode.PROTOCOL, () -> {
            Frame first = in.next(Frame.Kind.OPENING);
            count(first);
            Opening opening = Opening.decode(first.payload());
            report();
            try (SSTableWriter writer = SSTableWriter.create(directory, descriptor, opening.header(), options)) {
                writeAll(opening, writer);
                Optional<SSTable> written = writer.isEmpty() ? Optional.empty() : Optional.of(writer.finish());
                answers.add(Frame.Kind.DONE);
                answers.flush();
                return written;
            }
        });
    }

    private void writeAll(Opening opening, SSTableWriter writer) throws IOException {
        FragmentCodec codec = opening.encoding().codec(opening.header());
        FragmentOrder order = new FragmentOrder(opening.header(), true);
        while (true) {
            Frame frame = in.next(Frame.Kind.FRAGMENTS, Frame.Kind.END);
            if (frame.kind() == Frame.Kind.END) {
                order.checkEnd();
                return;
            }
            count(frame);
            ByteBuffer payload = frame.payload();
            while (payload.hasRemaining()) {
                Fragment fragment = codec.decode(payload);
                order.check(fragment);
                write(fragment, writer);
            }
            report();
        }
    }

    /** A partition is begun only when there is something in it. */
    private void write(Fragment fragment, SSTableWriter writer) throws IOException {
        if (fragment instanceof Fragment.Start start) {
            PartitionHeader header = start.header();
            if (!wanted.contains(header.key().token())) {
                throw FragmentOrder.outOfRange(header.key(), wanted);
            }
            pending = header;
        } else if (fragment instanceof Fragment.Statics statics && pending != null) {
            pending = new PartitionHeader(pending.key(), pending.deletion(), statics.row());
        } else if (fragment instanceof Fragment.Item item) {
            begin(writer);
            writer.add(item.item());
        } else if (pending == null) {
            writer.end();
        } else if (!pending.deletion().isLive() || !pending.staticRow().isEmpty()) {
            begin(writer);
            writer.end();
        }
    }

    private void begin(SSTableWriter writer) throws IOException {
        if (pending != null) {
            writer.start(pending);
            pending = null;
        }
    }

    private void count(Frame frame) {
        consumed += frame.payload().limit() + Frame.HEADER_BYTES;
    }

    private void report() throws IOException {
        if (consumed >= REPORT_BYTES || !in.hasMore()) {
            answers.add(Frame.Kind.CONSUMED, new GrowingBuffer().putInt(consumed));
            answers.flush();
            consumed = 0;
        }
    }
}
