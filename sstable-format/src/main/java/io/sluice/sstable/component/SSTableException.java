package io.sluice.sstable.component;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An SSTable, or one of its component files, is invalid: corrupt, truncated, of an unknown version, or inconsistent
 * with another component.
 *
 * <p>The message names the file, the offset, the actual and the expected value, in one line. Errors of the disk itself
 * are plain {@link IOException}s.
 */
public final class SSTableException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final long NO_OFFSET = -1;

    private final long offset;
    private final boolean isUnsupported;

    public SSTableException(String message) {
        this(message, null, NO_OFFSET, false);
    }

    public SSTableException(String message, Throwable cause) {
        this(message, cause, NO_OFFSET, false);
    }

    private SSTableException(String message, @Nullable Throwable cause, long offset, boolean isUnsupported) {
        super(Printable.text(message), cause);
        this.offset = offset;
        this.isUnsupported = isUnsupported;
    }

    /**
     * The error for a possibly valid SSTable of an unsupported version or partitioner, or with types that are unknown.
     */
    public static SSTableException unsupported(String message) {
        return new SSTableException(message, null, NO_OFFSET, true);
    }

    /** An error at {@code offset} bytes from the start of {@code file}. */
    public static SSTableException at(Path file, long offset, String problem) {
        return new SSTableException(file + " at offset " + offset + ": " + problem, null, offset, false);
    }

    /**
     * An error at {@code offset} bytes from the start of {@code file}, found by the reader that threw {@code cause}.
     */
    public static SSTableException at(Path file, long offset, String problem, Throwable cause) {
        return new SSTableException(file + " at offset " + offset + ": " + problem, cause, offset, false);
    }

    /** Whether the version, the partitioner or a type is unsupported, so that the SSTable may be valid. */
    public boolean isUnsupported() {
        return isUnsupported;
    }

    /** Where in the file, in bytes from its start; empty if the error has no single place. */
    public OptionalLong offset() {
        return offset == NO_OFFSET ? OptionalLong.empty() : OptionalLong.of(offset);
    }
}
