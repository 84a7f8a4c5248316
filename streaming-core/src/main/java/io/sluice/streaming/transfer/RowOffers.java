package io.sluice.streaming.transfer;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Crc32Combination;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.OutputFile;
import io.sluice.sstable.encoding.OutputFiles;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.transfer.block.OpenedTable;
import io.sluice.streaming.transfer.partial.PartialWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Offers a part of an SSTable as rows: the stream of {@link PartialWriter}, whose chunks are sent from the pinned file,
 * and whose headers are in a file of the session. Decodes no row. Immutable.
 *
 * @param own the file for headers, which does not exist yet
 */
record RowOffers(OutputFiles files, Path own, Runnable progress) {
    private static final int BUFFER_BYTES = 256 << 10;

    /**
     * Reads the stream once to compute its checksum.
     *
     * @param ranges {@code sstable} must have partitions in them
     */
    OfferedSSTable of(OpenedTable pinned, SSTable sstable, TokenRanges ranges, ModeChoice choice, int number)
            throws IOException {
        PartialWriter writer = PartialWriter.of(sstable, ranges)
                .orElseThrow(() -> new IllegalArgumentException(sstable + ": no partition in " + ranges));
        try (RegionCollector pieces = new RegionCollector(this, sstable.path(Component.DATA))) {
            writer.write(pieces);
            var part = new ComponentManifest(Component.PART, pieces.lengthBytes, pieces.crc32);
            var offer = new SSTableOffer(
                    number,
                    pinned.table().id(),
                    sstable.descriptor(),
                    sstable.firstToken(),
                    sstable.lastToken(),
                    choice,
                    List.of(part));
            return new OfferedSSTable(offer, sstable, pieces.pieces);
        }
    }

    /** Collects the regions of the stream. Not thread-safe. */
    private static final class RegionCollector implements PartialWriter.Sink, AutoCloseable {
        final List<SourceRegion> pieces = new ArrayList<>();
        long lengthBytes;
        long crc32;

        private final Path own;
        private final Path data;
        private final Runnable progress;
        private final OutputFile ownFile;
        private final FileChannel dataFile;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        private long ownLengthBytes;

        RegionCollector(RowOffers place, Path data) throws IOException {
            this.own = place.own;
            this.data = data;
            this.progress = place.progress;
            this.dataFile = FileChannel.open(data, StandardOpenOption.READ);
            try {
                this.ownFile = place.files.create(own);
            } catch (IOException | RuntimeException | Error failed) {
                dataFile.close();
                throw failed;
            }
        }

        @Override
        public void own(GrowingBuffer bytes) throws IOException {
            ByteBuffer content = bytes.written();
            CRC32 crc = new CRC32();
            crc.update(content.duplicate());
            long length = content.remaining();
            ownFile.writeFully(content, ownLengthBytes);
            bytes.clear();
            add(own, ownLengthBytes, length, crc.getValue());
            ownLengthBytes += length;
        }

        @Override
        public void stored(long position, long length) throws IOException {
            add(data, position, length, sum(position, length));
        }

        private void add(Path path, long offset, long length, long sum) {
            pieces.add(new SourceRegion(path, offset, length));
            lengthBytes += length;
            crc32 = Crc32Combination.combine(crc32, sum, length);
        }

        private long sum(long offset, long length) throws IOException {
            CRC32 crc = new CRC32();
            for (long at = offset; at < offset + length; ) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), offset + length - at));
                int count = dataFile.read(buffer, at);
                if (count < 0) {
                    throw new IOException(data + ": ends at " + at + " (expected: at least " + (offset + length)
                            + " bytes; the file was changed)");
                }
                at += count;
                crc.update(buffer.flip());
                progress.run();
            }
            return crc.getValue();
        }

        @Override
        public void close() throws IOException {
            try (dataFile) {
                ownFile.close();
            }
        }
    }
}
