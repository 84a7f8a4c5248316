package io.sluice.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** The content of a file: what readers see, and what a loss of power leaves of it. */
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

    /** What is there after a loss of power, whatever else is. */
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

    /** As real kernels do it: the pages count as clean, the next sync succeeds, and the bytes are not there. */
    void failSync() {
        unsynced.clear();
    }

    /** Power is gone: of what was not synced, each sector is there or not. */
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
