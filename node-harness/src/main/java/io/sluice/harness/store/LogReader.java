package io.sluice.harness.store;

import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** Reads a file of the commit log, however its writer ended. Not thread-safe. */
final class LogReader {
    private final Path file;
    private final ByteBuffer bytes;

    /** A record; {@code syncedBytes} were on disk when it was written, {@code end} is where it ends. */
    private record Found(ByteBuffer payload, long syncedBytes, int end) {}

    private LogReader(Path file, ByteBuffer bytes) {
        this.file = file;
        this.bytes = bytes;
    }

    /** Opens a file and reads it whole: a node flushes long before it has 2 GiB. */
    static LogReader open(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        byte[] magic = Arrays.copyOf(bytes.array(), Math.min(bytes.limit(), LogSegment.MAGIC.length));
        if (!Arrays.equals(magic, LogSegment.MAGIC) && !isTornHeader(magic)) {
            throw new SSTableException(file + ": wrong magic (expected: a commit log of this version)");
        }
        bytes.position(magic.length);
        return new LogReader(file, bytes);
    }

    /** Whether the writer died before its first sync, which precedes its first record. */
    private static boolean isTornHeader(byte[] magic) {
        return magic.length < LogSegment.MAGIC.length
                && Arrays.equals(magic, Arrays.copyOf(LogSegment.MAGIC, magic.length));
    }

    /**
     * The next record, or empty after the last. A record that was being written when the writer died was never
     * acknowledged and does not count.
     *
     * @throws SSTableException if bytes are damaged that were already on disk: an acknowledged write may be lost
     */
    Optional<ByteBuffer> next() throws SSTableException {
        int at = bytes.position();
        Optional<Found> found = recordAt(at);
        if (found.isPresent()) {
            bytes.position(found.get().end());
            return Optional.of(found.get().payload());
        }
        requireTorn(at);
        bytes.position(bytes.limit());
        return Optional.empty();
    }

    private Optional<Found> recordAt(int at) {
        ByteBuffer in = bytes.duplicate().position(at);
        if (in.remaining() < LogSegment.HEADER_BYTES) {
            return Optional.empty();
        }
        ByteBuffer head = in.slice(at, LogSegment.HEADER_BYTES - Integer.BYTES);
        int length = in.getInt();
        long synced = in.getLong();
        boolean isWhole = in.getInt() == LogSegment.crc(head)
                && length > 0
                && length <= LogSegment.MAX_PAYLOAD_BYTES
                && length <= in.remaining() - Integer.BYTES;
        if (!isWhole) {
            return Optional.empty();
        }
        ByteBuffer payload = in.slice(in.position(), length);
        in.position(in.position() + length);
        return in.getInt() == LogSegment.crc(payload)
                ? Optional.of(new Found(payload, synced, in.position()))
                : Optional.empty();
    }

    /** Throws if a later record states that the bytes at {@code at} were on disk. */
    private void requireTorn(int at) throws SSTableException {
        for (int later = at + 1; later < bytes.limit(); later++) {
            Optional<Found> found = recordAt(later);
            if (found.isPresent() && found.get().syncedBytes() > at) {
                throw new SSTableException(file + ": damaged at offset " + at + ", a later write at " + later
                        + " is intact (restore the file, or move it away and rebuild this node from its replicas)");
            }
        }
    }
}
