package io.sluice.sstable.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random keys come sorted and once each, however few are in memory. */
class SortedKeysTest {
    private static final int COUNT = 5_000;
    private static final int VALUES = 3_000; // so that many are drawn more than once

    @TempDir
    Path directory;

    private static Supplier<PartitionKey> draws() {
        Random random = new Random(7);
        return () -> {
            int value = random.nextInt(VALUES);
            byte[] key = new byte[value % 9 + 2]; // of several lengths
            key[0] = (byte) value;
            key[1] = (byte) (value >> 8);
            return PartitionKey.of(Bytes.wrap(key));
        };
    }

    private static List<PartitionKey> all(SortedKeys keys) throws IOException {
        List<PartitionKey> all = new ArrayList<>();
        for (Optional<PartitionKey> key = keys.peek(); key.isPresent(); key = keys.peek()) {
            all.add(key.get());
            keys.advance();
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 999, COUNT, 10 * COUNT})
    void come_in_order_and_once(int inMemory) throws IOException {
        TreeSet<PartitionKey> expected = new TreeSet<>();
        Supplier<PartitionKey> draws = draws();
        for (int i = 0; i < COUNT; i++) {
            expected.add(draws.get());
        }

        try (SortedKeys keys = SortedKeys.draw(draws(), COUNT, inMemory, directory)) {
            assertThat(all(keys)).containsExactlyElementsOf(expected);
        }

        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void leave_no_file_while_they_are_used_or_after_a_failure() throws IOException {
        Supplier<PartitionKey> draws = draws();
        int[] drawn = {0};
        assertThatThrownBy(() -> SortedKeys.draw(
                        () -> {
                            if (++drawn[0] > 100) {
                                throw new IllegalStateException("no more");
                            }
                            return draws.get();
                        },
                        COUNT,
                        10,
                        directory))
                .hasMessage("no more");
        assertThat(directory).isEmptyDirectory();

        try (SortedKeys keys = SortedKeys.draw(draws(), COUNT, 10, directory)) {
            assertThat(keys.peek()).isPresent();
            assertThat(directory).isEmptyDirectory();
        }
    }
}
