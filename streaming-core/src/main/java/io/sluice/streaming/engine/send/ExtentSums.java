package io.sluice.streaming.engine.send;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Crc32Combination;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.transfer.OfferedSSTable;
import io.sluice.streaming.transfer.SourceRegion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Computes checksums of a file's extents as they are on the disk now. Stateless. */
final class ExtentSums {
    /** A file of 16 TiB in extents of 8 MiB. */
    private static final int MAX_SUMS = 1 << 21;

    /** Read within seconds: the receiver waits for bytes, and each page is progress. */
    private static final int SUMS_PER_PAGE = 128;

    private ExtentSums() {}

    /** Reads one component, and answers in pages, each sent as soon as it is full. */
    static void of(
            OfferedSSTable sstable,
            Component component,
            int extentLengthBytes,
            Disk disk,
            Consumer<Message.FileSums> answer)
            throws IOException {
        long length = sstable.offer()
                .manifest(component)
                .map(ComponentManifest::lengthBytes)
                .orElse(0L);
        if (length / extentLengthBytes > MAX_SUMS) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    "checksums of more than " + MAX_SUMS
                            + " extents of one file were requested; request longer extents");
        }
        List<Integer> sums = new ArrayList<>();
        int first = 0;
        for (long at = 0; at < length; at += extentLengthBytes) {
            int bytes = (int) Math.min(extentLengthBytes, length - at);
            long crc32 = 0;
            for (SourceRegion piece : sstable.regions(new Extent(sstable.offer().number(), component, at, bytes))) {
                long next = disk.crc32(piece.file(), piece.offset(), piece.lengthBytes());
                crc32 = Crc32Combination.combine(crc32, next, piece.lengthBytes());
            }
            if (sums.size() == SUMS_PER_PAGE) {
                answer.accept(new Message.FileSums(sstable.offer().number(), component, first, sums, false));
                first += sums.size();
                sums = new ArrayList<>();
            }
            sums.add((int) crc32);
        }
        answer.accept(new Message.FileSums(sstable.offer().number(), component, first, sums, true));
    }
}
