package io.sluice.sstable.generate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is generated depends on what was asked for alone, not on the memory that it was made with. */
class TableGeneratorTest {
    private static final int PARTITIONS = 2_000;
    private static final int FEW = 64;

    @TempDir
    Path directory;

    private List<Descriptor> generate(Path folder, TableGenerator.Order order, int keysInMemory) throws Exception {
        TableSchema schema = TableSchema.parse("CREATE TABLE ks.t (k bigint PRIMARY KEY, v text);");
        Files.createDirectories(folder);
        return new TableGenerator(schema, Version.NB, WriterOptions.DEFAULTS, bytes -> {}, keysInMemory)
                .write(folder, order);
    }

    private static byte[] data(Path folder, Descriptor sstable) throws IOException {
        return Files.readAllBytes(folder.resolve(sstable.fileName(Component.DATA)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void few_keys_in_memory_give_the_same_files(boolean overlapping) throws Exception {
        TableGenerator.Order order =
                new TableGenerator.Order(1, OptionalInt.of(PARTITIONS), OptionalInt.of(4), overlapping, 3);
        Path few = directory.resolve("few");
        Path all = directory.resolve("all");

        List<Descriptor> made = generate(few, order, FEW);

        assertThat(made).hasSize(4).isEqualTo(generate(all, order, 10 * PARTITIONS));
        for (Descriptor sstable : made) {
            assertThat(data(few, sstable)).isEqualTo(data(all, sstable));
        }
        try (var files = Files.list(few)) {
            assertThat(files.filter(file -> file.toString().endsWith(".tmp"))).isEmpty();
        }
    }

    @Test
    void a_size_is_met_about() throws Exception {
        long wanted = 1 << 20;
        List<Descriptor> made = generate(
                directory, new TableGenerator.Order(wanted, OptionalInt.empty(), OptionalInt.of(1), false, 1), FEW);

        assertThat(made).hasSize(1);
        assertThat((long) data(directory, made.get(0)).length).isBetween(wanted / 2, wanted * 2);
    }
}
