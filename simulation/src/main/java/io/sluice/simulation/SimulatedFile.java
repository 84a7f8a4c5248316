package io.sluice.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** The content of a file: what readers see, and what survives a power loss. */
final class SimulatedFile {
    private static final int SECTOR_BYTES = 512;

    private byte[] cache = new byte[0];
    private byte[] platter = new byte[0];
    private final List<Write> unsynced = new ArrayList<>();

    private static final class Write {
        final int offset;
        final byte[] bytes;

        Write(int offset, byte[] bytes) {
            this.offset = offset;
            this.bytes = bytes;
        }
    }

    int length() {
        return cache.length;
    }

    byte[] content() {
        return cache;
    }

    /** The content that survives a power loss in any case. */
    byte[] durable() {
        return platter;
    }

    void write(int offset, byte[] bytes) {
        cache = written(cache, offset, bytes);
        unsynced.add(new Write(offset, bytes));
    }

    private static byte[] written(byte[] content, int offset, byte[] bytes) {
        byte[] result = Arrays.copyOf(content, Math.max(content.length, offset + bytes.length));
        System.arraycopy(bytes, 0, result, offset, bytes.length);
        return result;
    }

    void sync() {
        for (Write write : unsynced) {
            platter = written(platter, write.offset, write.bytes);
        }
        unsynced.clear();
    }

    /** Fails like real kernels: the pages count as clean, the next sync succeeds, and the bytes are lost. */
    void failSync() {
        unsynced.clear();
    }

    /** Loses power: each unsynced sector has either reached the platter or not. */
    void losePower(SplittableRandom random) {
        for (Write write : unsynced) {
            int fate = random.nextInt(3);
            if (fate == 0) {
                continue;
            }
            for (int at = 0; at < write.bytes.length; at += SECTOR_BYTES) {
                if (fate == 1 || random.nextBoolean()) {
                    int end = Math.min(write.bytes.length, at + SECTOR_BYTES);
                    platter = written(platter, write.offset + at, Arrays.copyOfRange(write.bytes, at, end));
                }
            }
        }
        unsynced.clear();
        cache = platter;
    }
}
