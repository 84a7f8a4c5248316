package io.sluice.sstable.index;

/**
 * A section of uncompressed positions in Data.db that begins and ends between partitions. Immutable.
 *
 * @param start of the first partition
 * @param end of the last partition, excluded
 */
public record Section(long start, long end) {
    public Section {
        if (start < 0 || start >= end) {
            throw new IllegalArgumentException("section: " + start + " to " + end + " (expected: not empty)");
        }
    }

    public long lengthBytes() {
        return end - start;
    }
}
