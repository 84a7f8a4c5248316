package io.sluice.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.Fixture;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.key.TokenKeys;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.type.CqlType.Scalar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What we write of {@code da}, read back. */
class TrieIndexTest {
    private static final Column VALUE = Column.of("value", Scalar.BLOB);
    private static final Descriptor NAME = new Descriptor(Version.DA, new SSTableId.Sequence(1));

    @TempDir
    Path directory;

    private static SerializationHeader header(Scalar... clusterings) {
        return new SerializationHeader(
                SerializationHeader.Base.EPOCH, Scalar.BLOB, List.of(clusterings), List.of(), List.of(VALUE));
    }

    private SSTable write(List<PartitionKey> keys) throws IOException {
        try (var writer = SSTableWriter.create(directory, NAME, header(), WriterOptions.DEFAULTS)) {
            for (PartitionKey key : keys) {
                List<ColumnData> cells = List.of(Cell.of(VALUE, 1, Bytes.EMPTY));
                writer.append(
                        Partition.of(PartitionHeader.of(key), List.of(Row.inserted(ClusteringPrefix.row(), 1, cells))));
            }
            return writer.finish();
        }
    }

    private static void assertFound(SSTable sstable, List<PartitionKey> keys, int step) throws IOException {
        assertThat(Verification.verify(sstable).problems()).isEmpty();
        try (PartitionCursor cursor = sstable.partitions()) {
            for (PartitionKey key : keys) {
                assertThat(cursor.next().orElseThrow().key()).isEqualTo(key);
            }
            assertThat(cursor.next()).isEmpty();
            for (int i = 0; i < keys.size(); i += step) {
                long token = keys.get(i).token().value();
                PartitionKey first = keys.subList(Math.max(0, i - 1_000), i + 1).stream()
                        .filter(key -> key.token().value() == token)
                        .findFirst()
                        .orElseThrow();
                cursor.seekAfter(new Token(token - 1));

                assertThat(cursor.next().orElseThrow().key()).isEqualTo(first);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 17, 1_000, 100_000})
    void finds_every_key(int count) throws IOException {
        List<PartitionKey> keys = IntStream.range(0, count)
                .mapToObj(i -> PartitionKey.of(Bytes.ofInt(i)))
                .sorted()
                .toList();

        assertFound(write(keys), keys, 1 + count / 5_000);
    }

    @Test
    void finds_keys_of_equal_and_of_adjacent_tokens() throws IOException {
        var random = new Random(1);
        List<PartitionKey> keys = new ArrayList<>();
        for (long token : new long[] {Long.MIN_VALUE + 1, -1, 0, 1, 2, 255, 256, Long.MAX_VALUE}) {
            for (int length = 16; length < 16 + 120; length += 1 + random.nextInt(3)) {
                keys.add(TokenKeys.of(new Token(token), length)); // with none to 15 zeros at the end
            }
        }
        keys.add(TokenKeys.of(new Token(77), PartitionKey.MAX_LENGTH_BYTES));
        keys.add(TokenKeys.of(new Token(77), PartitionKey.MAX_LENGTH_BYTES - 1)); // with 65,000 bytes in common
        keys.sort(null);

        assertFound(write(keys), keys, 1);
    }

    /** As in slices: a padding partition may have the token before that of the last partition. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE + 1, -1, 0, 5, 255, Long.MAX_VALUE - 1})
    void finds_the_last_partition_after_one_of_the_token_before(long token) throws IOException {
        PartitionKey last = TokenKeys.of(new Token(token + 1), 16);
        SSTable sstable = write(List.of(TokenKeys.of(new Token(token), 16), last));

        try (PartitionCursor cursor = sstable.partitions()) {
            cursor.seekLast(last.token());

            assertThat(cursor.next().orElseThrow().key()).isEqualTo(last);
            assertThat(cursor.next()).isEmpty();
        }
    }

    /** Of wide partitions, as they lie and with what is open across blocks. */
    static Stream<Fixture> fixturesOfTries() {
        return Fixture.all().filter(fixture -> fixture.descriptor().version() == Version.DA);
    }

    @ParameterizedTest
    @MethodSource("fixturesOfTries")
    void indexes_of_the_reference_hold_against_its_rows(Fixture fixture) throws IOException {
        BlockIndexCheck.check(fixture.open());
    }

    @Test
    void a_partition_of_many_blocks_has_an_index_that_holds_against_its_rows() throws IOException {
        var random = new Random(2);
        Bytes value = Bytes.wrap(new byte[900]);
        try (var writer =
                SSTableWriter.create(directory, NAME, header(Scalar.BLOB, Scalar.VARINT), WriterOptions.DEFAULTS)) {
            writer.start(PartitionHeader.of(PartitionKey.of(Bytes.utf8("wide"))));
            for (int i = 0; i < 20_000; i++) {
                byte[] first = Bytes.ofInt(i / 50 * 255).toArray(); // zeros in all places
                List<ColumnData> cells = List.of(Cell.of(VALUE, i, value.slice(0, random.nextInt(900))));
                writer.add(Row.inserted(ClusteringPrefix.row(Bytes.wrap(first), Bytes.ofInt(i % 50 * 7)), i, cells));
            }
            writer.end();
            SSTable sstable = writer.finish();

            BlockIndexCheck.check(sstable);
            assertThat(sstable.lengthBytes(Component.ROWS)).isGreaterThan(4_096);
        }
    }

    private static final DeletionTime DELETED = new DeletionTime(7, 8);

    private static ClusteringPrefix at(ClusteringPrefix.Kind kind, int clustering) {
        return ClusteringPrefix.of(kind, List.of(Bytes.ofInt(clustering)));
    }

    private static Marker start(ClusteringPrefix.Kind kind, int clustering) {
        return new Marker(at(kind, clustering), DeletionTime.LIVE, DELETED);
    }

    private static Marker end(ClusteringPrefix.Kind kind, int clustering) {
        return new Marker(at(kind, clustering), DELETED, DeletionTime.LIVE);
    }

    private static Row row(int clustering, int lengthBytes) {
        List<ColumnData> cells = List.of(Cell.of(VALUE, 9, Bytes.wrap(new byte[lengthBytes])));
        return Row.inserted(at(ClusteringPrefix.Kind.ROW, clustering), 9, cells);
    }

    private void assertKept(List<Unfiltered> items, int sequence) throws IOException {
        var name = new Descriptor(Version.DA, new SSTableId.Sequence(sequence));
        PartitionHeader header = PartitionHeader.of(PartitionKey.of(Bytes.utf8("wide")));
        try (var writer = SSTableWriter.create(directory, name, header(Scalar.INT), WriterOptions.DEFAULTS)) {
            writer.append(Partition.of(header, items));
            SSTable sstable = writer.finish();

            BlockIndexCheck.check(sstable);
            try (var reader = PartitionReader.open(sstable)) {
                Partition partition = reader.next().orElseThrow();
                for (Unfiltered item : items) {
                    assertThat(partition.next()).as("of %s", items).contains(item);
                }
                assertThat(partition.next()).isEmpty();
            }
        }
    }

    @Test
    void the_last_block_may_be_one_bound_at_the_clustering_of_the_row_before() throws IOException {
        assertKept(
                List.of(
                        start(ClusteringPrefix.Kind.INCLUSIVE_START, 0),
                        row(3, 70_000),
                        row(5, 70_000),
                        end(ClusteringPrefix.Kind.INCLUSIVE_END, 5)),
                1);
    }

    @Test
    void the_last_block_may_be_one_row_at_the_clustering_of_the_bound_before() throws IOException {
        for (int lengthBytes = 16_300; lengthBytes < 16_400; lengthBytes++) { // with some the bound completes a block
            assertKept(
                    List.of(
                            row(0, 70_000),
                            start(ClusteringPrefix.Kind.INCLUSIVE_START, 2),
                            row(2, lengthBytes),
                            end(ClusteringPrefix.Kind.EXCLUSIVE_END, 3),
                            row(3, 0)),
                    lengthBytes);
        }
    }

    @Test
    void rows_larger_than_a_block_and_bounds_at_the_same_clusterings_are_kept() throws IOException {
        var random = new Random(3);
        for (int sequence = 1; sequence <= 300; sequence++) {
            List<Unfiltered> items = new ArrayList<>();
            boolean isOpen = false;
            for (int clustering = 0; clustering < 5; clustering++) {
                if (random.nextBoolean()) {
                    items.add(
                            isOpen
                                    ? end(ClusteringPrefix.Kind.EXCLUSIVE_END, clustering)
                                    : start(ClusteringPrefix.Kind.INCLUSIVE_START, clustering));
                    isOpen = !isOpen;
                }
                if (random.nextInt(3) > 0) {
                    items.add(row(clustering, random.nextInt(3) * 8_200));
                }
                if (isOpen && (clustering == 4 || random.nextBoolean())) {
                    items.add(end(ClusteringPrefix.Kind.INCLUSIVE_END, clustering));
                    isOpen = false;
                }
            }
            if (!items.isEmpty()) {
                assertKept(items, sequence);
            }
        }
    }
}
