package io.sluice.harness.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFilesTest {
    private static final byte[] CONTENT = {1, 2, 3, 4, 5};

    @TempDir
    private Path data = Path.of("");

    private Path sstable(int generation) throws IOException {
        Path table = Files.createDirectories(data.resolve("ks").resolve("t-1"));
        return Files.write(table.resolve("nb-" + generation + "-big-Data.db"), CONTENT);
    }

    @Test
    void what_has_become_live_since_files_were_spoilt_is_not_spoilt_by_mending_them() throws Exception {
        Path old = sstable(1);
        List<Path> spoilt = DataFiles.corrupt(data);
        assertThat(old)
                .exists()
                .satisfies(file -> assertThat(Files.readAllBytes(file)).isNotEqualTo(CONTENT));
        Path received = sstable(2);

        DataFiles.restore(spoilt);

        assertThat(old).hasBinaryContent(CONTENT);
        assertThat(received).hasBinaryContent(CONTENT);
    }

    @Test
    void a_file_that_is_gone_meanwhile_needs_no_mending() throws Exception {
        Path old = sstable(1);
        List<Path> spoilt = DataFiles.corrupt(data);
        Files.delete(old);

        DataFiles.restore(spoilt);

        assertThat(old).doesNotExist();
    }
}
