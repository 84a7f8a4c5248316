package io.sluice.sstable.metadata;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Digest.crc32: the CRC-32 of Data.db as it is stored, in decimal text. Immutable.
 *
 * @param crc 0 to 2^32 - 1
 */
public record Digest(long crc) {
    private static final int MAX_LENGTH_BYTES = 64;
    private static final long MAX_CRC = 0xffffffffL;
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,10}");

    public Digest {
        if (crc < 0 || crc > MAX_CRC) {
            throw new IllegalArgumentException("CRC-32: " + crc + " (expected: 0 to " + MAX_CRC + ")");
        }
    }

    /**
     * Reads the first line.
     *
     * @throws SSTableException if it is not a CRC-32
     */
    public static Digest read(Path file) throws IOException {
        try (ComponentInput in = ComponentInput.open(file)) {
            in.require("length of the file", in.length(), 1, MAX_LENGTH_BYTES);
            String text = in.readBytes(in.length()).utf8();
            int lineEnd = text.indexOf('\n');
            String line = (lineEnd < 0 ? text : text.substring(0, lineEnd)).strip();
            if (!DIGITS.matcher(line).matches() || Long.parseLong(line) > MAX_CRC) {
                throw SSTableException.at(file, 0, "no CRC-32 (expected: 1 to 10 decimal digits)");
            }
            return new Digest(Long.parseLong(line));
        }
    }

    /** The content of the file. */
    public Bytes encode() {
        return Bytes.utf8(Long.toString(crc));
    }
}
