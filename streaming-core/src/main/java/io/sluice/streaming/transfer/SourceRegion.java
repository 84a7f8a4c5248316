package io.sluice.streaming.transfer;

import java.nio.file.Path;

/** Some bytes of a file, to be sent as they are. Immutable. */
public record SourceRegion(Path file, long offset, long lengthBytes) {
    public SourceRegion {
        if (offset < 0 || lengthBytes < 0) {
            throw new IllegalArgumentException("piece of " + file + ": " + offset + " + " + lengthBytes);
        }
    }

    /** The bytes from {@code from} to {@code to} of this piece, of which some are in it. */
    SourceRegion part(long from, long to) {
        long start = Math.max(0, from);
        return new SourceRegion(file, offset + start, Math.min(lengthBytes, to) - start);
    }
}
