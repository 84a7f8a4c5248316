package io.sluice.sstable.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.metadata.Digest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compaction of 4.1 ends some Data.db with a chunk of nothing; seen at a live node, rebuilt here from a fixture. */
class EmptyLastChunkTest {
    private static final Path FIXTURE = Path.of(
                    "..", "sstable-format", "src", "test", "resources", "fixtures", "netflix_lz4", "nb")
            .toAbsolutePath();

    /** LZ4 of nothing behind its length, which is 0. */
    private static final byte[] NOTHING = new byte[Integer.BYTES + 1];

    @TempDir
    private Path folder = Path.of("");

    private SSTable original;
    private Descriptor descriptor;

    @BeforeEach
    void append_a_chunk_of_nothing() throws IOException {
        TableDirectory table = TableDirectory.find(FIXTURE).get(0);
        descriptor = table.descriptors().get(0);
        original = SSTable.open(table.path(), descriptor);
        for (Component component : original.components()) {
            Files.copy(original.path(component), folder.resolve(descriptor.fileName(component)));
        }
        Path data = folder.resolve(descriptor.fileName(Component.DATA));
        long position = Files.size(data);
        var crc = new CRC32();
        crc.update(NOTHING);
        ByteBuffer chunk = ByteBuffer.allocate(NOTHING.length + Integer.BYTES);
        chunk.put(NOTHING).putInt((int) crc.getValue());
        Files.write(data, chunk.array(), StandardOpenOption.APPEND);
        list(position);
        var ofFile = new CRC32();
        ofFile.update(Files.readAllBytes(data));
        Path digest = folder.resolve(descriptor.fileName(Component.DIGEST));
        Files.delete(digest);
        ComponentOutput.write(digest, new Digest(ofFile.getValue()).encode());
    }

    private void list(long position) throws IOException {
        Path file = folder.resolve(descriptor.fileName(Component.COMPRESSION_INFO));
        int chunks = original.compression().orElseThrow().chunkCount();
        byte[] before = Files.readAllBytes(file);
        ByteBuffer after = ByteBuffer.allocate(before.length + Long.BYTES);
        after.put(before).putLong(position);
        after.putInt(before.length - chunks * Long.BYTES - Integer.BYTES, chunks + 1);
        Files.write(file, after.array());
    }

    @Test
    void it_is_read_as_if_the_chunk_were_not_there() throws IOException {
        SSTable sstable = SSTable.open(folder, descriptor);

        assertThat(Verification.verify(sstable).problems()).isEmpty();
        assertThat(sstable.compression()).isEqualTo(original.compression());
        assertThat(ContentDigest.of(List.of(sstable), TokenRanges.FULL))
                .isEqualTo(ContentDigest.of(List.of(original), TokenRanges.FULL));
    }

    @Test
    void a_slice_to_its_end_is_whole(@TempDir Path target) throws IOException {
        TokenRange range = TokenRange.of(0, Long.MAX_VALUE);

        SSTable slice = SliceWriter.write(SSTable.open(folder, descriptor), range, target, descriptor)
                .orElseThrow()
                .sstable();

        assertThat(Verification.verify(slice).problems()).isEmpty();
        assertThat(ContentDigest.of(List.of(slice), TokenRanges.FULL).cells())
                .isEqualTo(ContentDigest.of(List.of(original), TokenRanges.of(range))
                        .cells());
    }
}
