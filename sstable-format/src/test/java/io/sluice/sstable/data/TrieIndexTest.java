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
}
