package io.sluice.sstable.encoding;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Writes a component file from start to end through a buffer. The file must not exist before. Not thread-safe: confined
 * to its writer, which closes it; without {@link #finish()} the file is incomplete.
 */
public final class ComponentOutput implements Closeable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final OutputFile file;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private long flushed;

    private ComponentOutput(OutputFile file) {
        this.file = file;
    }

    /** Creates {@code file}, empty. */
    public static ComponentOutput create(OutputFiles files, Path file) throws IOException {
        return new ComponentOutput(files.create(file));
    }

    /** Creates {@code file} on this machine, empty; readable by its owner only if its folder is. */
    public static ComponentOutput create(Path file) throws IOException {
        return create(new LocalFiles(), file);
    }

    /** Creates {@code file} on this machine with this content, not synced. */
    public static void write(Path file, Bytes content) throws IOException {
        try (ComponentOutput out = create(file)) {
            out.put(content.asBuffer());
            out.finish();
        }
    }

    /** Bytes written so far. */
    public long position() {
        return flushed + buffer.position();
    }

    /** Appends the remaining bytes of {@code bytes}. */
    public ComponentOutput put(ByteBuffer bytes) throws IOException {
        if (bytes.remaining() > buffer.remaining()) {
            flush();
        }
        if (bytes.remaining() > buffer.remaining()) {
            append(bytes);
        } else {
            buffer.put(bytes);
        }
        return this;
    }

    public ComponentOutput putInt(int value) throws IOException {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    public ComponentOutput putLong(long value) throws IOException {
        room(Long.BYTES).putLong(value);
        return this;
    }

    /** Replaces bytes at {@code position} that were written before. */
    public void overwrite(long position, ByteBuffer bytes) throws IOException {
        if (position < 0 || bytes.remaining() > position() - position) {
            throw new IllegalArgumentException(
                    "overwrite at " + position + " (expected: within " + position() + " bytes)");
        }
        flush();
        file.writeFully(bytes, position);
    }

    /** Writes pending bytes; does not sync. Must be the last call, made once. */
    public void finish() throws IOException {
        flush();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private ByteBuffer room(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            flush();
        }
        return buffer;
    }

    private void flush() throws IOException {
        append(buffer.flip());
        buffer.clear();
    }

    private void append(ByteBuffer bytes) throws IOException {
        int lengthBytes = bytes.remaining();
        file.writeFully(bytes, flushed);
        flushed += lengthBytes;
    }
}
