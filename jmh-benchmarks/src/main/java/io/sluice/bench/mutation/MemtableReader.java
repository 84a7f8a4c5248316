package io.sluice.bench.mutation;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.channel.ChannelInput;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Receives partitions into a sorted memory table, answers each, and writes an SSTable whenever the table is full
 * ({@code mutation-memtable}): while one is written the next one fills. One use each; not thread-safe.
 */
public final class MemtableReader {
    /** A full memory table, unless a tenth of the heap is less. */
    public static final long DEFAULT_MEMTABLE_BYTES = 64 << 20;

    private static final int ANSWER_EVERY = 64;

    private final FrameInput in;
    private final FrameOutput answers;
    private final TokenRanges wanted;
    private final Target target;
    private final List<SSTable> written = new ArrayList<>();
    private @Nullable FutureTask<Optional<SSTable>> flushing;
    private int unanswered;

    /**
     * Where SSTables are written.
     *
     * @param directory exists
     * @param names a new name for each
     * @param options what to write with
     * @param memtableBytes about how much a memory table holds; two exist at a time
     * @param flusher writes SSTables, one at a time, beside the caller
     */
    public record Target(
            Path directory, Supplier<Descriptor> names, WriterOptions options, long memtableBytes, Executor flusher) {}

    /**
     * Receives over blocking channels.
     *
     * @param wanted what was asked for: another partition fails the transfer
     */
    public MemtableReader(ReadableByteChannel channel, WritableByteChannel answers, TokenRanges wanted, Target target) {
        this(new ChannelInput(channel), answers, wanted, target);
    }

    MemtableReader(ChannelInput in, WritableByteChannel answers, TokenRanges wanted, Target target) {
        this.in = new FrameInput(in);
        this.answers = new FrameOutput(answers);
        this.wanted = wanted;
        this.target = target;
    }

    /**
     * Receives all partitions; the sender receives the outcome.
     *
     * @return the SSTables, durable; if it fails, those that were written before are {@link #written()} and belong to
     *     the caller, who discards them
     * @throws StreamException as {@link DirectReader}
     */
    public List<SSTable> receive() throws IOException {
        return RowStream.orFailPeer(answers, ErrorCode.PROTOCOL, () -> {
            try {
                receiveAll();
                answers.add(Frame.Kind.DONE);
                answers.flush();
                return written();
            } finally {
                awaitFlush();
            }
        });
    }

    /** The SSTables that are durable so far. */
    public List<SSTable> written() {
        return List.copyOf(written);
    }

    private void receiveAll() throws IOException {
        Opening opening = Opening.decode(in.next(Frame.Kind.OPENING).payload());
        FragmentCodec codec = opening.encoding().codec(opening.header());
        StreamingMemtable memtable = new StreamingMemtable(opening);
        while (true) {
            Frame frame = in.next(Frame.Kind.PARTITION, Frame.Kind.END);
            if (frame.kind() == Frame.Kind.END) {
                flush(memtable, opening);
                awaitFlush();
                return;
            }
            memtable.apply(keyOf(frame.payload(), codec), frame.payload());
            answer();
            if (memtable.bytes() >= target.memtableBytes()) {
                flush(memtable, opening);
                memtable = new StreamingMemtable(opening);
            }
        }
    }

    private PartitionKey keyOf(ByteBuffer fragments, FragmentCodec codec) {
        if (codec.decode(fragments.duplicate()) instanceof Fragment.Start start) {
            PartitionKey key = start.header().key();
            if (!wanted.contains(key.token())) {
                throw FragmentOrder.outOfRange(key, wanted);
            }
            return key;
        }
        throw new StreamException(ErrorCode.PROTOCOL, "request without a partition (expected: its start first)");
    }

    private void answer() throws IOException {
        unanswered++;
        if (unanswered == ANSWER_EVERY || !in.hasMore()) {
            answers.addNumber(Frame.Kind.APPLIED, unanswered);
            answers.flush();
            unanswered = 0;
        }
    }

    private void flush(StreamingMemtable memtable, Opening opening) throws IOException {
        awaitFlush();
        if (!memtable.isEmpty()) {
            flushing = new FutureTask<>(() -> write(memtable, opening));
            target.flusher().execute(flushing);
        }
    }

    private Optional<SSTable> write(StreamingMemtable memtable, Opening opening) throws IOException {
        try (PartitionSource partitions = memtable.read();
                SSTableWriter writer = SSTableWriter.create(
                        target.directory(), target.names().get(), opening.header(), target.options())) {
            writer.appendAll(partitions);
            return writer.isEmpty() ? Optional.empty() : Optional.of(writer.finish());
        }
    }

    private void awaitFlush() throws IOException {
        FutureTask<Optional<SSTable>> task = flushing;
        if (task == null) {
            return;
        }
        flushing = null;
        try {
            task.get().ifPresent(written::add);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a memory table was written");
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException broken) {
                throw broken;
            }
            if (failed.getCause() instanceof RuntimeException refused) {
                throw refused;
            }
            throw new IllegalStateException(failed.getCause());
        }
    }
}
