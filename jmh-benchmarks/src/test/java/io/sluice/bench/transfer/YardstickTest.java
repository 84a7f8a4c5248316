package io.sluice.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class YardstickTest {
    private static final Path SOURCE = Path.of("src", "main", "c", "yardstick.c");

    @TempDir
    private Path temporary = Path.of("");

    private Yardstick yardstick(int connections, Path table) throws Exception {
        Path work = Files.createDirectory(temporary.resolve("work"));
        Path target = Files.createDirectory(temporary.resolve("target"));
        Optional<Yardstick> compiled = Yardstick.compile(SOURCE, work, connections, target, table);
        assumeThat(compiled).as("a C compiler").isPresent();
        return compiled.orElseThrow();
    }

    /** Of zeros that take no room. */
    private static void file(Path folder, String name, long lengthBytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(folder.resolve(name).toFile(), "rw")) {
            file.setLength(lengthBytes);
        }
    }

    @Test
    void its_connections_share_the_files_of_a_generated_table() throws Exception {
        Path table = Files.createDirectory(temporary.resolve("table"));
        // As ./sluice bench transfer --size 160MiB generates them.
        file(table, "nb-1-big-CompressionInfo.db", 40_000);
        file(table, "nb-1-big-Data.db", 160L << 20);
        file(table, "nb-1-big-Filter.db", 200_000);
        file(table, "nb-1-big-Index.db", 4_000_000);
        file(table, "nb-1-big-Statistics.db", 5_000);
        file(table, "nb-1-big-Summary.db", 30_000);

        Yardstick.Printed moved = yardstick(2, table).run("rw", false);

        assertThat(moved.bytes()).isEqualTo((160L << 20) + 4_275_000);
        assertThat(moved.connectionBytes())
                .hasSize(2)
                .allSatisfy(bytes -> assertThat(bytes).isBetween(moved.bytes() * 45 / 100, moved.bytes() * 55 / 100));
    }

    @Test
    void more_connections_than_bytes_move_them_all() throws Exception {
        Path table = Files.createDirectory(temporary.resolve("table"));
        file(table, "nb-1-big-Data.db", 2);
        file(table, "nb-1-big-Filter.db", 0);
        file(table, "nb-1-big-Index.db", 3);

        Yardstick.Printed moved = yardstick(8, table).run("splice", true);

        assertThat(moved.connectionBytes()).isEqualTo(List.of(0L, 1L, 0L, 1L, 1L, 0L, 1L, 1L));
    }
}
