package io.sluice.cassandra.receive;

import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.PartCompression;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.WireInput;
import io.sluice.cassandra.wire.WireTargets;
import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.Optional;

/** What Cassandra sends of an SSTable. Stateless. */
public final class ReceiveTargets {
    private static final int MOST_CHUNKS = 64;

    private ReceiveTargets() {}

    /** How many plain bytes come, as u16, then their blocks. */
    public static void blocks(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        int length = pieces.number() << 8 | pieces.number();
        WireInput in = new WireInput(new ByteArrayInputStream(pieces.rest()));
        PlainBlocks.copy(in, length, Channels.newChannel(OutputStream.nullOutputStream()), bytes -> {});
    }

    /** The header of a part with its length in front, then its stored chunks. */
    public static void chunks(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        byte[] header = pieces.next();
        Path data = MemoryFiles.file("part.chunks", pieces.rest());
        for (StreamMessage message : WireTargets.read(header)) {
            Optional<PartCompression> chunks =
                    message instanceof FileHeader file ? file.compression() : Optional.empty();
            if (chunks.isPresent() && chunks.get().chunkCount() <= MOST_CHUNKS) {
                try (MemoryFiles.Folder folder = MemoryFiles.folder()) {
                    ChunkedPart.describe(
                            chunks.get(),
                            ((FileHeader) message).sections(),
                            data,
                            folder.path().resolve("part.info"));
                }
            }
        }
    }
}
