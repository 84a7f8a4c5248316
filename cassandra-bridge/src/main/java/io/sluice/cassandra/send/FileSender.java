package io.sluice.cassandra.send;

import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.send.OutgoingFile.Region;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.index.Section;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/** Sends files on one connection, one after the other. Not thread-safe: confined to the connection's sending thread. */
public final class FileSender {
    private static final int LZ4_PIECE_BYTES = 1 << 16;

    private final OutgoingLink link;
    private final SharedThrottle throttle;
    private final LongConsumer onSent;
    private final LZ4Compressor lz4 = LZ4Factory.fastestInstance().fastCompressor();

    /** @param onSent receives the number of bytes of files sent since the last call */
    public FileSender(OutgoingLink link, SharedThrottle throttle, LongConsumer onSent) {
        this.link = link;
        this.throttle = throttle;
        this.onSent = onSent;
    }

    /** Sends the header of {@code file} and its bytes. */
    public void send(OutgoingFile file) throws IOException, InterruptedException {
        link.send(file.header());
        for (Region region : file.regions()) {
            send(region);
        }
        if (!file.plainSections().isEmpty()) {
            try (DataReader data = file.sstable().openData()) {
                for (Section section : file.plainSections()) {
                    send(data, section);
                }
            }
        }
    }

    private void send(Region region) throws IOException, InterruptedException {
        try (FileChannel file = FileChannel.open(region.file(), StandardOpenOption.READ)) {
            long end = region.offset() + region.lengthBytes();
            if (file.size() < end) {
                throw changed(region, "is now " + file.size() + " bytes long");
            }
            for (long at = region.offset(); at < end; ) {
                long piece = Math.min(throttle.pieceBytes(), end - at);
                throttle.acquire(piece);
                link.send(file, at, piece);
                onSent.accept(piece);
                at += piece;
            }
        } catch (NoSuchFileException gone) {
            throw changed(region, "is gone");
        }
    }

    private static StreamException changed(Region region, String what) {
        return new StreamException(
                ErrorCode.SOURCE_CHANGED,
                region.file() + " " + what + " (the folder must not change during a load; load from a snapshot)");
    }

    private void send(DataReader data, Section section) throws IOException, InterruptedException {
        byte[] plain = new byte[LZ4_PIECE_BYTES];
        byte[] compressed = new byte[lz4.maxCompressedLength(LZ4_PIECE_BYTES)];
        for (long at = section.start(); at < section.end(); ) {
            int length = (int) Math.min(LZ4_PIECE_BYTES, section.end() - at);
            data.read(at, ByteBuffer.wrap(plain, 0, length));
            int compressedLength = lz4.compress(plain, 0, length, compressed, 0);
            throttle.acquire(compressedLength);
            link.send(new GrowingBuffer()
                    .putInt(compressedLength)
                    .putInt(length)
                    .put(Bytes.wrap(compressed, 0, compressedLength))
                    .toBytes());
            onSent.accept(length);
            at += length;
        }
    }
}
