package io.sluice.sstable.component;

import java.io.IOException;
import java.nio.file.Path;

/**
 * An SSTable, or one of its component files, cannot be read as what it claims to be: corrupt, truncated, of an unknown
 * version, or contradicting another component.
 *
 * <p>The message names the file, the offset where the contradiction was seen, what was found and what was expected.
 * Errors of the disk itself stay plain {@link IOException}s.
 */
public final class SSTableException extends IOException {
    private static final long serialVersionUID = 1L;

    public SSTableException(String message) {
        super(message);
    }

    public SSTableException(String message, Throwable cause) {
        super(message, cause);
    }

    /** An error at {@code offset} bytes from the start of {@code file}. */
    public static SSTableException at(Path file, long offset, String problem) {
        return new SSTableException(file + " at offset " + offset + ": " + problem);
    }

    /** An error at {@code offset} bytes from the start of {@code file}, seen by the reader that threw {@code cause}. */
    public static SSTableException at(Path file, long offset, String problem, Throwable cause) {
        return new SSTableException(file + " at offset " + offset + ": " + problem, cause);
    }
}
