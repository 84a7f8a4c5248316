package io.sluice.sstable.component;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An SSTable, or one of its component files, cannot be read as what it claims to be: corrupt, truncated, of an unknown
 * version, or contradicting another component.
 *
 * <p>The message names the file, the offset where the contradiction was seen, what was found and what was expected. In
 * one line, whatever the file holds. Errors of the disk itself stay plain {@link IOException}s.
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

    /** An SSTable that may be sound, but is of a version or a partitioner that is not read. */
    public static SSTableException unsupported(String message) {
        return new SSTableException(message, null, NO_OFFSET, true);
    }

    /** An error at {@code offset} bytes from the start of {@code file}. */
    public static SSTableException at(Path file, long offset, String problem) {
        return new SSTableException(file + " at offset " + offset + ": " + problem, null, offset, false);
    }

    /** An error at {@code offset} bytes from the start of {@code file}, seen by the reader that threw {@code cause}. */
    public static SSTableException at(Path file, long offset, String problem, Throwable cause) {
        return new SSTableException(file + " at offset " + offset + ": " + problem, cause, offset, false);
    }

    /** Whether nothing is known to be wrong: the version or the partitioner is not one that is read. */
    public boolean isUnsupported() {
        return isUnsupported;
    }

    /** Where in the file, in bytes from its start; empty if the error has no single place. */
    public OptionalLong offset() {
        return offset == NO_OFFSET ? OptionalLong.empty() : OptionalLong.of(offset);
    }
}
