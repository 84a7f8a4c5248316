package io.sluice.streaming.transfer;

import java.nio.file.Path;

/** A region of a file, to be sent unchanged. Immutable. */
public record SourceRegion(Path file, long offset, long lengthBytes) {
    public SourceRegion {
        if (offset < 0 || lengthBytes < 0) {
            throw new IllegalArgumentException("region of " + file + ": " + offset + " + " + lengthBytes);
        }
    }

    /** The intersection of this region with the bytes from {@code from} to {@code to}, which must not be empty. */
    SourceRegion part(long from, long to) {
        long start = Math.max(0, from);
        return new SourceRegion(file, offset + start, Math.min(lengthBytes, to) - start);
    }
}
