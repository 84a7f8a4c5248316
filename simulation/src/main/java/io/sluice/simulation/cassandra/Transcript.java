package io.sluice.simulation.cassandra;

import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.MessageReader;
import io.sluice.cassandra.wire.PartCompression;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.WireInput;
import io.sluice.sstable.index.Section;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one end of a connection sends, message by message; it may be made to lie. Relies on the driver: the handshake, a
 * message, and a piece of a file are each written at once. Not thread-safe: for threads that take turns.
 */
final class Transcript {
    private final Lies lies;
    private final Watch watch;
    private final List<Sent> messages = new ArrayList<>();
    private int arrivedMessages;
    private long sentBytes;
    private long leftOfFile;
    private boolean hasShakenHands;
    private boolean isPlain;
    private boolean hasGarbage;

    /** Called when an end has something to send, before it is on its way. */
    @FunctionalInterface
    interface Watch {
        /** A message will be sent. */
        void sends(StreamMessage message);
    }

    /**
     * A message as it was sent, where it ends and when it arrived; of a file, where its bytes end, as far as they are
     * sent.
     */
    static final class Sent {
        private final StreamMessage message;
        private final long endBytes;
        private long fileEndBytes;
        private boolean isWhole;
        private long arrivedNanos = Long.MAX_VALUE;

        private Sent(StreamMessage message, long endBytes) {
            this.message = message;
            this.endBytes = endBytes;
            this.fileEndBytes = endBytes;
        }

        StreamMessage message() {
            return message;
        }

        /** Offset at which the message ends. */
        long endBytes() {
            return endBytes;
        }

        /** When its last byte arrived. */
        long arrivedNanos() {
            return arrivedNanos;
        }

        /** Whether all bytes of the file are among the first {@code count} of the connection. */
        boolean isWithin(long count) {
            return isWhole && fileEndBytes <= count;
        }
    }

    Transcript(Lies lies, Watch watch) {
        this.lies = lies;
        this.watch = watch;
    }

    /** What was sent so far. */
    List<Sent> messages() {
        return messages;
    }

    /** So many bytes have arrived. */
    void arrived(long count, long nowNanos) {
        while (arrivedMessages < messages.size() && messages.get(arrivedMessages).endBytes <= count) {
            messages.get(arrivedMessages++).arrivedNanos = nowNanos;
        }
    }

    /** Whether the end has sent what is no message, or may be another. */
    boolean hasGarbage() {
        return hasGarbage;
    }

    /** Whether the end has said something that its driver did not say. */
    boolean hasLied() {
        return lies.hasLied();
    }

    /** The bytes to send in place of {@code written}. */
    List<byte[]> sent(byte[] written) {
        if (!hasShakenHands) {
            hasShakenHands = true;
            sentBytes += written.length;
            return List.of(written);
        }
        if (leftOfFile > 0) {
            file(written);
            return List.of(written);
        }
        StreamMessage message = decoded(written);
        watch.sends(message);
        List<byte[]> all = new ArrayList<>();
        for (byte[] bytes : lies.inPlaceOf(message, written)) {
            all.add(bytes);
            sentBytes += bytes.length;
            hasGarbage |= lies.isGarbage(bytes);
            if (!lies.isGarbage(bytes)) {
                messages.add(new Sent(decoded(bytes), sentBytes));
            }
        }
        if (message instanceof FileHeader header) {
            isPlain = header.whole().isEmpty() && header.compression().isEmpty();
            leftOfFile = fileBytes(header);
        }
        return all;
    }

    private void file(byte[] written) {
        sentBytes += written.length;
        leftOfFile -= isPlain ? ByteBuffer.wrap(written).getInt(Integer.BYTES) : written.length;
        if (!messages.isEmpty()) {
            Sent last = messages.get(messages.size() - 1);
            last.fileEndBytes = sentBytes;
            last.isWhole = leftOfFile == 0;
        }
    }

    private static long fileBytes(FileHeader header) {
        Optional<FileHeader.Whole> whole = header.whole();
        if (whole.isPresent()) {
            return whole.get().manifest().stream()
                    .mapToLong(FileHeader.Entry::lengthBytes)
                    .sum();
        }
        return header.compression()
                .map(PartCompression::storedBytes)
                .orElseGet(() -> header.sections().stream()
                        .mapToLong(Section::lengthBytes)
                        .sum());
    }

    static StreamMessage decoded(byte[] bytes) {
        try {
            return new MessageReader(new WireInput(new ByteArrayInputStream(bytes)))
                    .next()
                    .orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException("a message is not written at once", e);
        }
    }
}
