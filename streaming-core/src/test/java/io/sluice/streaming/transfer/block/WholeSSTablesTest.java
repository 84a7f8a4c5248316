package io.sluice.streaming.transfer.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeSSTablesTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "kv", "nb");

    @TempDir
    Path temp;

    @Test
    void a_data_file_that_is_empty_although_its_digest_says_otherwise_is_corrupt_and_named() throws IOException {
        TableDirectory table = TableDirectory.find(FIXTURE).get(0);
        try (Stream<Path> files = Files.list(table.path())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, temp.resolve(file.getFileName()));
            }
        }
        Descriptor descriptor = table.descriptors().get(0);
        Path data = Files.write(temp.resolve(descriptor.fileName(Component.DATA)), new byte[0]);
        SSTable sstable = SSTable.open(temp, descriptor);

        assertThatThrownBy(
                        () -> WholeSSTables.manifest(sstable, Component.DATA, ByteBuffer.allocate(1 << 16), () -> {}))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_AT_SOURCE))
                .hasMessageContaining(data.toString());
    }
}
