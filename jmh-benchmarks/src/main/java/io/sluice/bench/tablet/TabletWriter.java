package io.sluice.bench.tablet;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.metadata.Digest;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.channel.ChannelInput;
import io.sluice.streaming.transfer.channel.ChannelOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32;

/** Sends all SSTables of a tablet as files. Not thread-safe: one transfer each; the channels belong to the caller. */
public final class TabletWriter {
    /** As the original: the next component is sent when the one before is durable. */
    public static final int STRICT_WINDOW = 1;
    /** Components that may be under way without an answer. */
    public static final int TUNED_WINDOW = 64;

    static final int MAGIC = 0x534c5431;
    static final int MESSAGE_BYTES = 128 << 10;
    static final int COMPONENT = 1;
    static final int END = 2;

    private final ChannelOutput out;
    private final ChannelInput answers;
    private final int window;
    private final ByteBuffer message = ByteBuffer.allocateDirect(Integer.BYTES + MESSAGE_BYTES);
    private int unanswered;

    /** @param window components that may be under way without an answer, at least 1 */
    public TabletWriter(WritableByteChannel out, ReadableByteChannel answers, int window) {
        if (window < 1) {
            throw new IllegalArgumentException("window: " + window + " (expected: at least 1)");
        }
        this.out = new ChannelOutput(out);
        this.answers = new ChannelInput(answers);
        this.window = window;
    }

    /** One open file of the snapshot: whatever becomes of its name, its bytes stay. */
    private record Source(SSTable sstable, Component component, FileChannel file, boolean isLast) {}

    /**
     * Sends everything, and returns when all of it is durable at the other end: how many bytes it sent.
     *
     * @param session of the move; the receiver refuses another
     * @throws StreamException of code {@link ErrorCode#CORRUPT_AT_SOURCE} if a Data.db differs from its digest
     * @throws IOException if a file or the channel fails
     */
    public long send(UUID session, List<SSTable> tablet) throws IOException {
        Deque<Source> snapshot = new ArrayDeque<>();
        try {
            for (SSTable sstable : tablet) {
                open(sstable, snapshot);
            }
            out.write(new GrowingBuffer()
                    .putInt(MAGIC)
                    .putLong(session.getMostSignificantBits())
                    .putLong(session.getLeastSignificantBits()));
            for (Source source = snapshot.poll(); source != null; source = snapshot.poll()) {
                try (FileChannel file = source.file()) { // so that room is freed along the way
                    send(source, file);
                }
            }
            out.write(new GrowingBuffer().putByte(END));
            while (unanswered > 0) {
                awaitAnswer();
            }
            return out.position();
        } finally {
            for (Source left : snapshot) {
                left.file().close();
            }
        }
    }

    private static void open(SSTable sstable, Deque<Source> snapshot) throws IOException {
        List<Component> components = new ArrayList<>(sstable.components());
        components.sort(Comparator.comparing(TabletWriter::order));
        for (int i = 0; i < components.size(); i++) {
            Component component = components.get(i);
            FileChannel file = FileChannel.open(sstable.path(component), StandardOpenOption.READ);
            snapshot.add(new Source(sstable, component, file, i == components.size() - 1));
        }
    }

    private static int order(Component component) {
        return switch (component) {
            case TOC -> 0;
            case STATISTICS -> 1;
            case DATA -> 2;
            case COMPRESSION_INFO, CRC, DIGEST, FILTER, SUMMARY, INDEX, PARTITIONS, ROWS, PART, ATTACHED -> 3;
        };
    }

    private void send(Source source, FileChannel file) throws IOException {
        while (unanswered >= window) {
            awaitAnswer();
        }
        out.write(new GrowingBuffer()
                .putByte(COMPONENT)
                .putByte(source.isLast() ? 1 : 0)
                .putShortBytes(
                        Bytes.utf8(source.sstable().descriptor().version().letters()))
                .putShortBytes(Bytes.utf8(source.component().fileName())));
        CRC32 crc = new CRC32();
        while (true) {
            message.clear().position(Integer.BYTES);
            int length = file.read(message);
            if (length < 0) {
                break;
            }
            message.flip();
            crc.update(message.duplicate().position(Integer.BYTES));
            out.write(message.putInt(0, length));
        }
        requireDigest(source, crc.getValue());
        out.write(new GrowingBuffer().putInt(0).putInt((int) crc.getValue()));
        unanswered++;
    }

    private static void requireDigest(Source source, long crc) throws IOException {
        SSTable sstable = source.sstable();
        if (source.component() == Component.DATA && sstable.components().contains(Component.DIGEST)) {
            long expected = Digest.read(sstable.path(Component.DIGEST)).crc();
            if (crc != expected) {
                throw new StreamException(
                        ErrorCode.CORRUPT_AT_SOURCE,
                        sstable + "-" + Component.DATA.fileName() + ": CRC-32 " + Long.toHexString(crc) + " (expected: "
                                + Long.toHexString(expected) + " by its digest)");
            }
        }
    }

    private void awaitAnswer() throws IOException {
        int answer = answers.readUnsignedByte();
        if (answer != 0) {
            throw answers.refused("answer " + answer + " (expected: 0)");
        }
        unanswered--;
    }
}
