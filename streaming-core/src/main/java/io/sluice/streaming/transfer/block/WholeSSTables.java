package io.sluice.streaming.transfer.block;

import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.metadata.Digest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Offers pinned SSTables as whole files. For the data file it uses the checksum from Digest.crc32, if the SSTable has
 * one, and reads no data. The other components are small, and read once.
 */
public final class WholeSSTables {
    private static final int BUFFER_BYTES = 16 << 10;

    private WholeSSTables() {}

    /**
     * The offers for one table, numbered from {@code firstNumber}.
     *
     * @throws StreamException of code {@link ErrorCode#NOT_WHOLE} if {@code ranges} do not cover an SSTable completely
     * @throws IOException if a file cannot be read
     */
    public static List<SSTableOffer> offers(OpenedTable pinned, TokenRanges ranges, int firstNumber)
            throws IOException {
        List<SSTableOffer> offers = new ArrayList<>();
        ByteBuffer buffer = buffer();
        for (SSTable sstable : pinned.sstables(helper -> {}, () -> {})) {
            Coverage coverage = sstable.coverage(ranges);
            if (coverage == Coverage.PART) {
                throw new StreamException(
                        ErrorCode.NOT_WHOLE,
                        pinned.table() + " " + sstable.descriptor()
                                + " holds partitions outside the requested ranges: it" + " cannot be sent whole");
            }
            if (coverage == Coverage.WHOLE) {
                ModeChoice choice = new ModeChoice(TransferMode.WHOLE, "all of its partitions are requested");
                offers.add(offer(pinned.table(), sstable, choice, firstNumber + offers.size(), buffer, () -> {}));
            }
        }
        return offers;
    }

    /** A buffer for reading files; may be reused for all. */
    public static ByteBuffer buffer() {
        return ByteBuffer.allocate(BUFFER_BYTES);
    }

    /**
     * The offer of one SSTable as whole files.
     *
     * @param progress runs whenever a part of a file was read
     */
    public static SSTableOffer offer(
            TableRef table, SSTable sstable, ModeChoice choice, int number, ByteBuffer buffer, Runnable progress)
            throws IOException {
        List<ComponentManifest> manifest = new ArrayList<>();
        for (Component component : sstable.components()) {
            if (component.isStreamed()) {
                manifest.add(manifest(sstable, component, buffer, progress));
            }
        }
        return new SSTableOffer(
                number, table.id(), sstable.descriptor(), sstable.firstToken(), sstable.lastToken(), choice, manifest);
    }

    /**
     * The manifest of one component.
     *
     * @throws StreamException of code {@link ErrorCode#CORRUPT_AT_SOURCE} if the file is empty, and its digest is not
     *     that of an empty file
     */
    public static ComponentManifest manifest(SSTable sstable, Component component, ByteBuffer buffer, Runnable progress)
            throws IOException {
        boolean hasDigest = component == Component.DATA && sstable.components().contains(Component.DIGEST);
        long crc32 = hasDigest
                ? Digest.read(sstable.path(Component.DIGEST)).crc()
                : crc32(sstable.path(component), buffer, progress);
        if (sstable.lengthBytes(component) == 0 && crc32 != 0) {
            throw new StreamException(
                    ErrorCode.CORRUPT_AT_SOURCE,
                    sstable.path(component) + ": 0 bytes (expected: content, with checksum " + crc32
                            + " by its digest)");
        }
        return new ComponentManifest(component, sstable.lengthBytes(component), crc32);
    }

    /** The CRC-32 of a file. */
    public static long crc32(Path file, ByteBuffer buffer, Runnable progress) throws IOException {
        CRC32 crc = new CRC32();
        buffer.clear();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (channel.read(buffer) >= 0) {
                crc.update(buffer.flip());
                buffer.clear();
                progress.run();
            }
        }
        return crc.getValue();
    }
}
