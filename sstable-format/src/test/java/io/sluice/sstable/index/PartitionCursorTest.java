package io.sluice.sstable.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.token.Token;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PartitionCursorTest {
    @TempDir
    private Path folder = Path.of("");

    private static List<PartitionEntry> rest(PartitionCursor cursor) throws IOException {
        List<PartitionEntry> rest = new ArrayList<>();
        for (Optional<PartitionEntry> next = cursor.next(); next.isPresent(); next = cursor.next()) {
            rest.add(next.get());
        }
        return rest;
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void the_last_partition_is_found_from_anywhere(Fixture fixture) throws IOException {
        SSTable sstable = fixture.open();
        try (PartitionCursor cursor = sstable.partitions()) {
            List<PartitionEntry> all = rest(cursor);
            PartitionEntry last = all.get(all.size() - 1);

            cursor.seekLast(sstable.lastToken());
            assertThat(rest(cursor)).containsExactly(last);

            cursor.seekLast(sstable.lastToken());
            assertThat(cursor.next()).contains(last);
        }
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#big")
    void the_last_partition_is_found_without_a_summary(Fixture fixture) throws IOException {
        SSTable sstable = fixture.open();
        try (PartitionCursor with = sstable.partitions();
                PartitionCursor without = BigCursor.open(
                        fixture.path(Component.INDEX), folder.resolve("none"), sstable.dataLengthBytes())) {
            with.seekLast(sstable.lastToken());
            without.seekLast(sstable.lastToken());

            assertThat(rest(without)).isNotEmpty().isEqualTo(rest(with));
        }
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#big")
    void without_a_summary_ascending_look_ups_start_where_the_one_before_ended(Fixture fixture) throws IOException {
        SSTable sstable = fixture.open();
        byte[] bytes = Files.readAllBytes(fixture.path(Component.INDEX));
        Path index = Files.write(folder.resolve("Index.db"), bytes);
        try (IndexReader entries = IndexReader.open(fixture.path(Component.INDEX));
                PartitionCursor cursor = BigCursor.open(index, folder.resolve("none"), sstable.dataLengthBytes(), 64)) {
            for (Optional<IndexEntry> next = entries.next(); next.isPresent(); next = entries.next()) {
                cursor.seekAfter(new Token(next.get().key().token().value() - 1));

                assertThat(cursor.next().map(PartitionEntry::key))
                        .contains(next.get().key());
                Arrays.fill(bytes, 0, (int) next.get().indexPosition(), (byte) 0xff);
                Files.write(index, bytes);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#big")
    void look_ups_in_any_order_find_the_same_without_a_summary(Fixture fixture) throws IOException {
        SSTable sstable = fixture.open();
        var random = new Random(5);
        try (PartitionCursor with = sstable.partitions();
                PartitionCursor without = BigCursor.open(
                        fixture.path(Component.INDEX), folder.resolve("none"), sstable.dataLengthBytes())) {
            List<PartitionEntry> all = rest(with);
            for (int i = 0; i < 100; i++) {
                Token near = all.get(random.nextInt(all.size())).token();
                Token sought = new Token(near.value() + random.nextInt(3) - 1);
                with.seekAfter(sought);
                without.seekAfter(sought);

                assertThat(without.next()).isEqualTo(with.next());
            }
        }
    }

    @Test
    void a_length_beyond_the_end_of_the_index_on_the_way_is_refused() throws IOException {
        Fixture fixture = Fixture.big().findFirst().orElseThrow();
        SSTable sstable = fixture.open();
        byte[] index = Files.readAllBytes(fixture.path(Component.INDEX));
        int second;
        try (IndexReader reader = IndexReader.open(fixture.path(Component.INDEX))) {
            reader.next();
            second = (int) reader.next().orElseThrow().indexPosition();
        }
        Arrays.fill(index, second, second + Short.BYTES, (byte) 0xff); // the length of a key
        Path damaged = Files.write(folder.resolve("Index.db"), Arrays.copyOf(index, Math.min(index.length, 60_000)));

        try (PartitionCursor cursor = BigCursor.open(damaged, folder.resolve("none"), sstable.dataLengthBytes())) {
            assertThatThrownBy(() -> cursor.seekLast(sstable.lastToken()))
                    .isInstanceOf(SSTableException.class)
                    .hasMessageContaining(damaged.toString());
        }
    }
}
