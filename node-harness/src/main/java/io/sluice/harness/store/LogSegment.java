package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;

/** A file of the commit log that is being written. Thread-safe; closed by its log. */
final class LogSegment implements Closeable {
    static final byte[] MAGIC = "SluiceL1".getBytes(StandardCharsets.US_ASCII);
    static final int HEADER_BYTES = Integer.BYTES + Long.BYTES + Integer.BYTES;
    static final int MAX_PAYLOAD_BYTES = 32 << 20;

    private final Path file;
    private final FileChannel channel;
    private final Object syncing = new Object();

    @GuardedBy("this")
    private long written;

    private volatile long synced;
    private volatile boolean isFailed;

    private LogSegment(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Creates the file durably; the caller syncs its directory. */
    static LogSegment create(Path file) throws IOException {
        LogSegment segment =
                new LogSegment(file, OwnerOnly.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        try {
            synchronized (segment) {
                segment.write(ByteBuffer.wrap(MAGIC));
                segment.sync(segment.written);
            }
        } catch (IOException e) {
            segment.close();
            throw e;
        }
        return segment;
    }

    Path file() {
        return file;
    }

    /** Appends a record to the page cache; returns its end. */
    synchronized long append(ByteBuffer payload) throws IOException {
        int length = payload.remaining();
        if (length < 1 || length > MAX_PAYLOAD_BYTES) {
            throw new IOException("write of " + length + " bytes (expected: 1 to " + MAX_PAYLOAD_BYTES + ")");
        }
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + length + Integer.BYTES);
        bytes.putInt(length).putLong(synced);
        bytes.putInt(crc(bytes.duplicate().flip()));
        bytes.put(payload.duplicate()).putInt(crc(payload));
        write(bytes.flip());
        return written;
    }

    /**
     * Waits until all bytes before {@code position} are on disk. Concurrent callers share the next sync.
     *
     * @throws IOException also if any earlier sync failed: the kernel discards what it could not write
     */
    void sync(long position) throws IOException {
        if (synced >= position) {
            return;
        }
        synchronized (syncing) {
            if (synced >= position) {
                return;
            }
            long until = written();
            requireSound();
            try {
                channel.force(false);
            } catch (IOException e) {
                isFailed = true;
                throw e;
            }
            synced = until;
        }
    }

    /** Whether a write or a sync of it has failed: it takes no more writes. */
    boolean isFailed() {
        return isFailed;
    }

    synchronized long written() {
        return written;
    }

    @GuardedBy("this")
    private void write(ByteBuffer bytes) throws IOException {
        requireSound();
        try {
            long at = written;
            while (bytes.hasRemaining()) {
                at += channel.write(bytes, at);
            }
            written = at;
        } catch (IOException e) {
            isFailed = true; // a torn record: what follows it would not be found again
            throw e;
        }
    }

    private void requireSound() throws IOException {
        if (isFailed) {
            throw new IOException(
                    file + ": an earlier write failed, refusing more (free disk space, restart the node)");
        }
    }

    static int crc(ByteBuffer bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
