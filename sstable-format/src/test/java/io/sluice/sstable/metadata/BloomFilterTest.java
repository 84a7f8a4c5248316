package io.sluice.sstable.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.key.Murmur3;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class BloomFilterTest {

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void is_built_again_from_the_keys_byte_by_byte(Fixture fixture, @TempDir Path directory) throws IOException {
        List<Murmur3> hashes = hashesOf(fixture);
        double chance = fixture.open().statistics().validation().filterChance();
        if (chance == 1.0) {
            assertThat(fixture.path(Component.FILTER)).doesNotExist();
            return;
        }
        BloomFilter original = BloomFilter.read(
                fixture.path(Component.FILTER), fixture.descriptor().version());
        BloomFilter rebuilt = BloomFilter.sized(hashes.size(), chance);
        hashes.forEach(rebuilt::add);
        Path copy = directory.resolve("Filter.db");
        try (ComponentOutput out = ComponentOutput.create(copy)) {
            rebuilt.write(out, fixture.descriptor().version());
            out.finish();
        }

        assertThat(hashes).allMatch(original::mayContain);
        assertThat(Files.readAllBytes(copy)).isEqualTo(Files.readAllBytes(fixture.path(Component.FILTER)));
    }

    private static List<Murmur3> hashesOf(Fixture fixture) throws IOException {
        List<Murmur3> hashes = new ArrayList<>();
        try (PartitionCursor cursor = fixture.open().partitions()) {
            for (Optional<PartitionEntry> entry = cursor.next(); entry.isPresent(); entry = cursor.next()) {
                hashes.add(entry.get().key().hash());
            }
        }
        return hashes;
    }

    @ParameterizedTest
    @CsvSource({"0.5, 1, 2", "0.1, 5, 3", "0.01, 10, 5", "0.001, 15, 7"})
    void has_the_shape_of_the_reference(double chance, int bitsPerKey, int hashCount) {
        assertThat(FilterShape.of(chance)).isEqualTo(new FilterShape(bitsPerKey, hashCount));
    }

    @Test
    void refuses_a_chance_that_no_shape_reaches() {
        assertThatThrownBy(() -> FilterShape.of(0.00005)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void lets_every_key_pass_if_its_file_is_empty(@TempDir Path directory) throws IOException {
        Path empty = Files.createFile(directory.resolve("Filter.db"));

        assertThat(BloomFilter.read(empty, Version.NB).mayContain(new Murmur3(1, 2)))
                .isTrue();
    }
}
