package io.sluice.bench.tablet;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.streaming.transfer.channel.ChannelInput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.FileSystemException;
import java.util.UUID;

/** A tablet as it travels: the files of its SSTables. Stateless. */
public final class TabletTargets {
    private static final UUID SESSION = new UUID(1, 2);
    private static final int BUFFER_BYTES = 1 << 10;

    private TabletTargets() {}

    /** The stream behind its first words, which are right. */
    public static void stream(byte[] input) throws IOException {
        GrowingBuffer stream = new GrowingBuffer()
                .putInt(TabletWriter.MAGIC)
                .putLong(SESSION.getMostSignificantBits())
                .putLong(SESSION.getLeastSignificantBits())
                .put(Bytes.wrap(new Pieces(input).rest()));
        var in = new ChannelInput(
                Channels.newChannel(new ByteArrayInputStream(stream.toBytes().toArray())), BUFFER_BYTES);
        try (MemoryFiles.Folder folder = MemoryFiles.folder()) {
            new TabletReader(in, Channels.newChannel(ByteArrayOutputStream.nullOutputStream()), SESSION)
                    .receive(folder.path(), version -> new Descriptor(version, new SSTableId.Sequence(1)));
        } catch (FileSystemException noDirectoryToSync) {
            MemoryFiles.requireNoDirectory(noDirectoryToSync);
        }
    }
}
