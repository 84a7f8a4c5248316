package io.sluice.simulation.fluid;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** Checksums of files of zeros, which is what all files of the model hold: sessions check them. Not thread-safe. */
final class Zeros {
    /** Files are multiples of this long. */
    static final int STEP_BYTES = 64 << 10;

    private static final byte[] STEP = new byte[STEP_BYTES];

    private final CRC32 crc = new CRC32();
    private final List<Long> sums = new ArrayList<>(List.of(0L));

    /** The CRC-32 of so many zeros, a multiple of {@link #STEP_BYTES}. */
    long crc32(long lengthBytes) {
        int steps = Math.toIntExact(lengthBytes / STEP_BYTES);
        while (sums.size() <= steps) {
            crc.update(STEP);
            sums.add(crc.getValue());
        }
        return sums.get(steps);
    }
}
