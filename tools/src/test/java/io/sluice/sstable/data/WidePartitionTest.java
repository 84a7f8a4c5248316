package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
class WidePartitionTest {
    @Test
    void a_partition_that_is_larger_than_memory_is_written_and_read(@TempDir Path directory) throws Exception {
        List<String> words = JavaCommand.words(List.of("-Xmx24m"), WidePartition.class.getName(), directory);

        assertThat(StartedProcess.run(words)).containsExactly(WidePartition.ROWS + " rows");
    }
}
