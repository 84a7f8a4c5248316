package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;

/**
 * A part of a component file: the unit of transfer and checking. Immutable.
 *
 * @param offer the number of the {@link SSTableOffer}
 * @param offset first byte in the file, 0 to 2^44 (16 TiB), as long as a file may be
 * @param lengthBytes 1 to 64 MiB
 */
public record Extent(int offer, Component component, long offset, int lengthBytes) {
    /** The maximum length of an extent. */
    public static final int MAX_LENGTH_BYTES = 64 << 20;

    public Extent {
        if (offer < 0
                || offset < 0
                || offset > ComponentManifest.MAX_LENGTH_BYTES
                || lengthBytes < 1
                || lengthBytes > MAX_LENGTH_BYTES) {
            throw new IllegalArgumentException("extent: offer " + offer + ", offset " + offset + ", length "
                    + lengthBytes + " (expected: not negative, 0 to " + ComponentManifest.MAX_LENGTH_BYTES + ", 1 to "
                    + MAX_LENGTH_BYTES + ")");
        }
    }

    /** The offset after the last byte. */
    public long end() {
        return offset + lengthBytes;
    }
}
