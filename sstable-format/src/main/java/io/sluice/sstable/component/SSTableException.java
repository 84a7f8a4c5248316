package io.sluice.sstable.component;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An SSTable, or one of its component files, cannot be read as what it claims to be: corrupt, truncated, of an unknown
 * version, or contradicting another component.
 *
 * <p>The message names the file, the offset where the contradiction was seen, what was found and what was expected.
 * Errors of the disk itself stay plain {@link IOException}s.
 */
public final class SSTableException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final long NO_OFFSET = -1;

    private final long offset;

    public SSTableException(String message) {
        super(message);
        this.offset = NO_OFFSET;
    }

    public SSTableException(String message, Throwable cause) {
        super(message, cause);
        this.offset = NO_OFFSET;
    }

    private SSTableException(Path file, long offset, String problem, @Nullable Throwable cause) {
        super(file + " at offset " + offset + ": " + problem, cause);
        this.offset = offset;
    }

    /** An error at {@code offset} bytes from the start of {@code file}. */
    public static SSTableException at(Path file, long offset, String problem) {
        return new SSTableException(file, offset, problem, null);
    }

    /** An error at {@code offset} bytes from the start of {@code file}, seen by the reader that threw {@code cause}. */
    public static SSTableException at(Path file, long offset, String problem, Throwable cause) {
        return new SSTableException(file, offset, problem, cause);
    }

    /** Where in the file, in bytes from its start; empty if the error has no single place. */
    public OptionalLong offset() {
        return offset == NO_OFFSET ? OptionalLong.empty() : OptionalLong.of(offset);
    }
}
