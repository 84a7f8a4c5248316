package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.metadata.Digest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.progress.TransferMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of a table whose compressed data ends with a chunk of nothing, as compaction leaves it. Needs no Cassandra. */
class EmptyLastChunkInRowsTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "netflix_lz4", "nb");

    /** LZ4 of nothing behind its length, which is 0. */
    private static final byte[] NOTHING = new byte[Integer.BYTES + 1];

    @TempDir
    private Path temp = Path.of("");

    @Test
    void rows_to_the_end_of_the_table_arrive() throws Exception {
        TableDirectory original = TableDirectory.find(FIXTURE).get(0);
        Path folder = Files.createDirectories(temp.resolve("source").resolve(original.keyspace()))
                .resolve(original.path().getFileName());
        TableDirectory table = endWithNothing(original, Files.createDirectories(folder));
        TokenRanges half = TokenRanges.of(TokenRange.of(0, Long.MAX_VALUE));

        try (MatrixSession session = MatrixSession.start(Files.createDirectories(temp.resolve("sessions")))) {
            MatrixSession.Moved moved = session.move(table, half, true);

            assertThat(moved.modes()).contains(TransferMode.ROWS);
            assertThat(ContentDigest.of(moved.sstables(), TokenRanges.FULL))
                    .isEqualTo(ContentDigest.of(MatrixSession.open(table), half));
        }
    }

    private static TableDirectory endWithNothing(TableDirectory original, Path folder) throws IOException {
        Descriptor descriptor = original.descriptors().get(0);
        SSTable sstable = SSTable.open(original.path(), descriptor);
        for (Component component : sstable.components()) {
            Files.copy(sstable.path(component), folder.resolve(descriptor.fileName(component)));
        }
        Path data = folder.resolve(descriptor.fileName(Component.DATA));
        long position = Files.size(data);
        var crc = new CRC32();
        crc.update(NOTHING);
        ByteBuffer chunk = ByteBuffer.allocate(NOTHING.length + Integer.BYTES);
        Files.write(data, chunk.put(NOTHING).putInt((int) crc.getValue()).array(), StandardOpenOption.APPEND);
        Path info = folder.resolve(descriptor.fileName(Component.COMPRESSION_INFO));
        int chunks = sstable.compression().orElseThrow().chunkCount();
        byte[] before = Files.readAllBytes(info);
        ByteBuffer after = ByteBuffer.allocate(before.length + Long.BYTES);
        after.put(before).putLong(position);
        after.putInt(before.length - chunks * Long.BYTES - Integer.BYTES, chunks + 1);
        Files.write(info, after.array());
        var ofFile = new CRC32();
        ofFile.update(Files.readAllBytes(data));
        Path digest = folder.resolve(descriptor.fileName(Component.DIGEST));
        Files.delete(digest);
        ComponentOutput.write(digest, new Digest(ofFile.getValue()).encode());
        return new TableDirectory(folder, original.keyspace(), original.name(), original.id());
    }
}
