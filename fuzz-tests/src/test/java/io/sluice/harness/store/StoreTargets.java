package io.sluice.harness.store;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.encoding.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/** The store's commit log, and mutations, which the admin endpoint takes, too. Stateless. */
public final class StoreTargets {
    private StoreTargets() {}

    /** A file of the commit log. */
    public static void commitLog(byte[] input) throws IOException {
        LogReader reader = LogReader.open(MemoryFiles.file("commit.log", input));
        for (Optional<ByteBuffer> next = reader.next(); next.isPresent(); ) {
            next = reader.next();
        }
    }

    /** What an install removes when it goes live. */
    public static void removals(byte[] input) throws IOException {
        Path note = MemoryFiles.file("truncated.txt", input);
        Removals.read(Objects.requireNonNull(note.getParent()));
    }

    /** The serialization header with its length in front, then mutations. */
    public static void mutations(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        SerializationHeader header = SerializationHeader.parse(Bytes.wrap(pieces.next()));
        new MutationCodec(header).readAll(Bytes.wrap(pieces.rest()));
    }
}
