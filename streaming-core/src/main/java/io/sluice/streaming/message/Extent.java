package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;

/**
 * A part of a component file: the unit of transfer and checking. Immutable.
 *
 * @param offer the number of the {@link SSTableOffer}
 * @param offset first byte in the file
 * @param lengthBytes 1 to 64 MiB
 */
public record Extent(int offer, Component component, long offset, int lengthBytes) {
    /** The longest extent that is accepted. */
    public static final int MAX_LENGTH_BYTES = 64 << 20;

    public Extent {
        if (offer < 0 || offset < 0 || lengthBytes < 1 || lengthBytes > MAX_LENGTH_BYTES) {
            throw new IllegalArgumentException("extent: offer " + offer + ", offset " + offset + ", length "
                    + lengthBytes + " (expected: not negative, not negative, 1 to " + MAX_LENGTH_BYTES + ")");
        }
    }

    /** The byte after the last one. */
    public long end() {
        return Math.addExact(offset, lengthBytes);
    }
}
