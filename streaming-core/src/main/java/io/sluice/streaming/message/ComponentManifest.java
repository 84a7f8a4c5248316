package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;

/**
 * The length and checksum of one component file of an offered SSTable. Immutable.
 *
 * @param lengthBytes 0 to 2^44 (16 TiB)
 * @param crc32 CRC32 of the whole file, 0 to 2^32 - 1; 0 if the file is empty
 */
public record ComponentManifest(Component component, long lengthBytes, long crc32) {
    /** The maximum length of a file: 16 TiB. */
    public static final long MAX_LENGTH_BYTES = 1L << 44;

    public ComponentManifest {
        if (!component.isStreamed()) {
            throw new IllegalArgumentException("component " + component.fileName() + " is not streamed");
        }
        if (lengthBytes < 0 || lengthBytes > MAX_LENGTH_BYTES) {
            throw new IllegalArgumentException("length of " + component.fileName() + ": " + lengthBytes
                    + " (expected: 0 to " + MAX_LENGTH_BYTES + ")");
        }
        if (crc32 >>> 32 != 0 || (lengthBytes == 0 && crc32 != 0)) {
            throw new IllegalArgumentException("checksum of " + component.fileName() + ": " + crc32
                    + " (expected: 0 to 2^32 - 1; 0 for an empty file)");
        }
    }
}
