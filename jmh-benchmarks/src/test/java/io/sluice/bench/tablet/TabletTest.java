package io.sluice.bench.tablet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TabletTest {
    private static final UUID SESSION = new UUID(7, 8);
    private static final int ENOUGH = 1000;

    @TempDir
    Path temp;

    private Path target = Path.of(".");
    private final List<SSTable> sources = new ArrayList<>();
    private int nextId = 500;

    @BeforeEach
    void makeTables() throws IOException {
        target = Files.createDirectory(temp.resolve("target"));
        Path folder = Files.createDirectories(temp.resolve("ks").resolve("t-00000000000000000000000000000001"));
        var lz4 = WriterOptions.DEFAULTS.withCompression(CompressionParameters.of(Compressor.LZ4, 1 << 14));
        new DataSetWriter(new DataSet(3, 2_000, 5, 40), Version.NB, lz4).write(folder, 1);
        Path plain = Files.createDirectories(temp.resolve("ks").resolve("u-00000000000000000000000000000002"));
        new DataSetWriter(new DataSet(4, 500, 2, 40), Version.OA, WriterOptions.DEFAULTS).write(plain, 2);
        sources.add(SSTable.open(folder, new Descriptor(Version.NB, new SSTableId.Sequence(1))));
        sources.add(SSTable.open(plain, new Descriptor(Version.OA, new SSTableId.Sequence(2))));
    }

    private byte[] sent() throws IOException {
        var bytes = new ByteArrayOutputStream();
        var answers = Channels.newChannel(new ByteArrayInputStream(new byte[ENOUGH])); // all is well
        new TabletWriter(Channels.newChannel(bytes), answers, ENOUGH).send(SESSION, sources);
        return bytes.toByteArray();
    }

    private List<SSTable> receive(byte[] bytes, UUID session) throws IOException {
        var in = Channels.newChannel(new ByteArrayInputStream(bytes));
        return new TabletReader(in, Channels.newChannel(new ByteArrayOutputStream()), session)
                .receive(target, version -> new Descriptor(version, new SSTableId.Sequence(nextId++)));
    }

    private List<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(target)) {
            return files.toList();
        }
    }

    @Test
    void every_component_arrives_as_it_is() throws IOException {
        List<SSTable> arrived = receive(sent(), SESSION);

        assertThat(arrived).hasSameSizeAs(sources);
        for (int i = 0; i < sources.size(); i++) {
            SSTable copy = SSTable.open(target, arrived.get(i).descriptor()); // with the table of contents
            assertThat(copy.components()).isEqualTo(sources.get(i).components());
            for (Component component : copy.components()) {
                assertThat(copy.path(component))
                        .hasSameBinaryContentAs(sources.get(i).path(component));
            }
        }
        assertThat(left()).noneMatch(file -> file.toString().endsWith(".tmp"));
    }

    @Test
    void another_session_is_refused() throws IOException {
        byte[] bytes = sent();

        assertThatThrownBy(() -> receive(bytes, new UUID(7, 9)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("session " + SESSION);
        assertThat(left()).isEmpty();
    }

    @Test
    void a_source_that_differs_from_its_digest_is_refused() throws IOException {
        Path data = sources.get(0).path(Component.DATA);
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 1;
        Files.write(data, bytes);

        assertThatThrownBy(this::sent)
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_AT_SOURCE))
                .hasMessageContaining("Data.db: CRC-32");
    }

    @Test
    void a_stream_that_ends_anywhere_leaves_only_what_is_sealed() throws IOException {
        byte[] bytes = sent();
        var random = new SplittableRandom(1);
        for (int i = 0; i < 50; i++) {
            byte[] part = Arrays.copyOf(bytes, random.nextInt(bytes.length - 1));

            assertThatThrownBy(() -> receive(part, SESSION))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PEER_LOST));
            assertOnlySealed();
        }
    }

    @Test
    void a_damaged_byte_anywhere_ends_it() throws IOException {
        byte[] bytes = sent();
        var random = new SplittableRandom(2);
        for (int i = 0; i < 50; i++) {
            byte[] damaged = bytes.clone();
            damaged[4 + random.nextInt(bytes.length - 5)] ^= (byte) (1 << random.nextInt(8));

            assertThatThrownBy(() -> receive(damaged, SESSION))
                    .isInstanceOfAny(StreamException.class, IOException.class);
            assertOnlySealed();
        }
    }

    /** Each SSTable has a table of contents, which is named last. */
    private void assertOnlySealed() throws IOException {
        for (Path file : left()) {
            String name = file.getFileName().toString();
            String sstable = name.substring(0, name.lastIndexOf('-'));
            assertThat(file.resolveSibling(sstable + "-" + Component.TOC.fileName()))
                    .exists();
            assertThat(name).doesNotEndWith(".tmp");
        }
        for (Path file : left()) {
            Files.delete(file);
        }
    }
}
