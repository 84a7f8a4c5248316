package io.sluice.streaming.install;

import io.sluice.sstable.component.Crc32Combination;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the files of a committed set and logs how much of them is read: a start may read terabytes before the database
 * may open its tables. Not thread-safe: confined to one check of the set.
 */
final class ReadProgress {
    private static final Logger LOG = LoggerFactory.getLogger(ReadProgress.class);
    /** Half a minute at 500 MB/s. */
    private static final long LINE_BYTES = 16L << 30;

    private final SetFolder folder;
    private final long allBytes;
    private final long lineBytes;
    private long doneBytes;

    /** @param allBytes the length of all files that will be read, at least 0 */
    ReadProgress(SetFolder folder, long allBytes) {
        this(folder, allBytes, LINE_BYTES);
    }

    /** @param lineBytes after so many bytes, at least 1, there is another line in the log */
    ReadProgress(SetFolder folder, long allBytes, long lineBytes) {
        this.folder = folder;
        this.allBytes = allBytes;
        this.lineBytes = lineBytes;
    }

    /**
     * The CRC-32 of the first {@code lengthBytes} of a file, 0 to 2^32 - 1.
     *
     * @throws IOException also if the file ends before
     */
    long crc32(Disk disk, Path file, long lengthBytes) throws IOException {
        if (doneBytes == 0 && lengthBytes > 0) {
            LOG.info("{}: {} bytes are read before the committed set goes live", folder, allBytes);
        }
        long crc32 = 0;
        for (long offset = 0; offset < lengthBytes; ) {
            long piece = Math.min(lengthBytes - offset, lineBytes - doneBytes % lineBytes);
            crc32 = Crc32Combination.combine(crc32, disk.crc32(file, offset, piece), piece);
            offset += piece;
            doneBytes += piece;
            if (doneBytes % lineBytes == 0) {
                LOG.info("{}: {} of {} bytes are read", folder, doneBytes, allBytes);
            }
        }
        return crc32;
    }
}
