package io.sluice.sstable.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.ComponentOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlainSumsTest {
    private static final int CHUNK = 1 << 16;
    private static final int LENGTH = 40 * CHUNK + 1_234;

    @TempDir
    Path folder;

    private final byte[] bytes = new byte[LENGTH];

    record Section(int start, int end) {}

    static List<List<Section>> sections() {
        return List.of(
                List.of(new Section(0, LENGTH)),
                List.of(new Section(0, 20 * CHUNK)), // the chunks of both begin at the same bytes
                List.of(new Section(777, LENGTH)),
                List.of(new Section(3 * CHUNK + 5, 3 * CHUNK + 6)),
                List.of(new Section(CHUNK - 1, 30 * CHUNK + 1)), // off the heap
                List.of(new Section(100, 200), new Section(300, 30 * CHUNK), new Section(30 * CHUNK + 9, LENGTH)),
                List.of(new Section(CHUNK, 25 * CHUNK + 10), new Section(25 * CHUNK + 20, 25 * CHUNK + 30)),
                List.of(new Section(40 * CHUNK, LENGTH))); // of the short last chunk alone
    }

    @BeforeEach
    void write() throws IOException {
        new Random(1).nextBytes(bytes);
        write("source", List.of(new Section(0, LENGTH)));
    }

    @ParameterizedTest
    @MethodSource("sections")
    void has_the_checksums_of_a_file_with_these_bytes(List<Section> sections) throws IOException {
        write("copied", sections);

        link("linked", sections);

        for (Component sums : List.of(Component.CRC, Component.DIGEST)) {
            assertThat(file("linked", sums)).hasSameBinaryContentAs(file("copied", sums));
        }
        assertThat(file("linked", Component.DATA)).isEmptyFile();
    }

    @Test
    void a_chunk_that_is_needed_in_part_is_checked_as_a_whole() throws IOException {
        try (FileChannel data = FileChannel.open(file("source", Component.DATA), StandardOpenOption.WRITE)) {
            data.write(ByteBuffer.wrap(new byte[] {(byte) (bytes[20 * CHUNK + 7] + 1)}), 20 * CHUNK + 7);
        }

        link("before", List.of(new Section(0, 20 * CHUNK)));
        assertThatThrownBy(() -> link("linked", List.of(new Section(100, 20 * CHUNK + 1))))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("at offset 1310720")
                .hasMessageContaining("CRC-32 of 65536 bytes");
    }

    private void write(String name, List<Section> sections) throws IOException {
        try (DataWriter writer = create(name)) {
            for (Section one : sections) {
                writer.write(ByteBuffer.wrap(bytes, one.start(), one.end() - one.start()));
            }
            writer.finish();
        }
    }

    private void link(String name, List<Section> sections) throws IOException {
        long all = sections.stream().mapToLong(one -> one.end() - one.start()).sum();
        try (DataWriter writer = create(name);
                PlainSums sums = PlainSums.open(file("source", Component.DATA), file("source", Component.CRC), all)) {
            writer.beginLink(0);
            for (Section one : sections) {
                sums.link(one.start(), one.end(), writer, position -> {});
            }
            writer.finish();
        }
    }

    private DataWriter create(String name) throws IOException {
        Files.createDirectory(folder.resolve(name));
        return DataWriter.plain(component -> ComponentOutput.create(file(name, component)));
    }

    private Path file(String name, Component component) {
        return folder.resolve(name).resolve(component.fileName());
    }
}
