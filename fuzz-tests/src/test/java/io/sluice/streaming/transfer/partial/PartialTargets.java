package io.sluice.streaming.transfer.partial;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.transfer.channel.ChannelInput;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.FileSystemException;
import java.util.zip.CRC32;

/** A part of an SSTable as it travels. Stateless. */
public final class PartialTargets {
    private static final Descriptor NAME = new Descriptor(Version.OA, new SSTableId.Sequence(1));
    private static final int BUFFER_BYTES = 1 << 10;

    private PartialTargets() {}

    /** The header's body. */
    public static void header(byte[] input) {
        PartialHeader header = PartialHeader.decode(Bytes.wrap(input));
        ChunkRuns.of(header.sections(), header.shape().chunkLengthBytes());
        GrowingBuffer again = new GrowingBuffer();
        header.encode(again);
        if (!PartialHeader.decode(again.toBytes()).sections().equals(header.sections())) {
            throw new AssertionError("written and read again it is another header");
        }
    }

    /** The header's body with its length in front, then batches, of which the checksums are as they are. */
    public static void stream(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        Bytes body = Bytes.wrap(pieces.next());
        CRC32 crc = new CRC32();
        body.addTo(crc);
        GrowingBuffer stream = new GrowingBuffer()
                .putInt(PartialWriter.MAGIC)
                .putInt(body.length())
                .put(body)
                .putInt((int) crc.getValue())
                .put(Bytes.wrap(pieces.rest()));
        receive(stream.toBytes().toArray());
    }

    /** The stream as it is. */
    public static void rawStream(byte[] input) throws IOException {
        receive(input);
    }

    private static void receive(byte[] stream) throws IOException {
        ReadableByteChannel channel = Channels.newChannel(new ByteArrayInputStream(stream));
        try (MemoryFiles.Folder folder = MemoryFiles.folder()) {
            new PartialReader(new ChannelInput(channel, BUFFER_BYTES), TokenRanges.FULL)
                    .receive(new LocalFiles(), folder.path(), NAME, options -> options);
        } catch (FileSystemException noDirectoryToSync) {
            MemoryFiles.requireNoDirectory(noDirectoryToSync);
        }
    }
}
