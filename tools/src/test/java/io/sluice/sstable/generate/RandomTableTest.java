package io.sluice.sstable.generate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.ColumnData;
import io.sluice.sstable.data.ComplexColumn;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.Liveness;
import io.sluice.sstable.data.Marker;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every table: what was written is read, and what was spread is merged. */
class RandomTableTest {
    private static final List<String> TABLES = List.of(
            "(k int PRIMARY KEY, v text)",
            "(k text, c int, s text STATIC, t set<int> STATIC, v text, PRIMARY KEY (k, c))",
            "(a int, b text, c timeuuid, d text, e decimal, v blob, PRIMARY KEY ((a, b), c, d, e))"
                    + " WITH CLUSTERING ORDER BY (c DESC, d ASC, e DESC)",
            "(k uuid, c frozen<list<int>>, l list<text>, s set<inet>, m map<varint, double>, u ks.address,"
                    + " f frozen<ks.address>, t tuple<int, text>, w vector<float, 3>, x vector<text, 2>,"
                    + " PRIMARY KEY (k, c))",
            "(k text, c bigint, hits counter, total counter STATIC, PRIMARY KEY (k, c))",
            "(k text, c smallint, "
                    + IntStream.range(0, 70).mapToObj(i -> "v" + i + " int, ").collect(Collectors.joining())
                    + "PRIMARY KEY (k, c))",
            "(k ascii, a boolean, b date, c time, d timestamp, e uuid, f float, g tinyint, h duration,"
                    + " PRIMARY KEY (k, a, b, c, d, e, f, g))");

    @TempDir
    Path directory;

    record Case(String table, long seed) {
        SerializationHeader header() throws SchemaException {
            return TableSchema.parse("CREATE TYPE ks.address (street text, zip int, tags frozen<set<text>>);"
                            + " CREATE TABLE ks.t " + table + ";")
                    .header(RandomTable.BASE);
        }

        PartitionSource content() throws SchemaException {
            return RandomTable.of(header(), new RandomTable.Shape(12, 60, 0.2), seed);
        }
    }

    static Stream<Case> cases() {
        return TABLES.stream().flatMap(table -> Stream.of(1L, 2L, 3L).map(seed -> new Case(table, seed)));
    }

    private SSTable write(PartitionSource content, SerializationHeader header, Version version, WriterOptions options)
            throws IOException {
        Descriptor descriptor = new Descriptor(version, new SSTableId.Sequence(1));
        try (SSTableWriter writer = SSTableWriter.create(directory, descriptor, header, options)) {
            writer.appendAll(content);
            return writer.finish();
        }
    }

    private static List<Object> all(PartitionSource source) throws IOException {
        List<Object> all = new ArrayList<>();
        for (Optional<Partition> partition = source.next(); partition.isPresent(); partition = source.next()) {
            all.add(partition.get().header());
            all.addAll(items(partition.get()));
        }
        return all;
    }

    private static List<Unfiltered> items(Partition partition) throws IOException {
        List<Unfiltered> items = new ArrayList<>();
        for (Optional<Unfiltered> item = partition.next(); item.isPresent(); item = partition.next()) {
            items.add(item.get());
        }
        return items;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void is_read_as_it_was_written_in_the_older_version(Case table) throws IOException, SchemaException {
        WriterOptions options = WriterOptions.DEFAULTS.withCompression(CompressionParameters.lz4());
        SSTable sstable = write(table.content(), table.header(), Version.NB, options);

        try (PartitionReader reader = PartitionReader.open(sstable)) {
            assertThat(all(reader)).isEqualTo(all(table.content()));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void is_read_as_it_was_written_in_the_newer_version(Case table) throws IOException, SchemaException {
        SSTable sstable = write(table.content(), table.header(), Version.OA, WriterOptions.DEFAULTS);

        try (PartitionReader reader = PartitionReader.open(sstable)) {
            assertThat(all(reader)).isEqualTo(all(table.content()));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void has_one_digest_however_its_rows_are_spread(Case table) throws IOException, SchemaException {
        ClusteringOrder order = new ClusteringOrder(table.header().clusteringTypes());
        ContentDigest whole = ContentDigest.of(new MergedPartitions(List.of(table.content()), order));

        for (long split = 0; split < 5; split++) {
            List<PartitionSource> parts = new ArrayList<>();
            for (int part = 0; part < Part.COUNT; part++) {
                parts.add(new Part(table.content(), part, split));
            }
            assertThat(ContentDigest.of(new MergedPartitions(parts, order)))
                    .as("split %d", split)
                    .isEqualTo(whole);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void has_digests_of_ranges_that_add_up(Case table) throws IOException, SchemaException {
        SSTable sstable = write(table.content(), table.header(), Version.OA, WriterOptions.DEFAULTS);
        TokenRanges low = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 12));
        TokenRanges high = TokenRanges.of(TokenRange.of(12, Long.MIN_VALUE));

        ContentDigest sum = ContentDigest.of(List.of(sstable), low).plus(ContentDigest.of(List.of(sstable), high));

        assertThat(sum).isEqualTo(ContentDigest.of(List.of(sstable), TokenRanges.FULL));
    }

    /**
     * One part of a table whose content was thrown into several: every cell, liveness and deletion is in at least one,
     * some in more. All parts with the same number of the split make the same throws.
     */
    private static final class Part implements PartitionSource {
        static final int COUNT = 3;

        private final PartitionSource whole;
        private final int number;
        private final Random random;

        Part(PartitionSource whole, int number, long split) {
            this.whole = whole;
            this.number = number;
            this.random = new Random(split);
        }

        private boolean isMine() {
            int first = random.nextInt(COUNT);
            int second = random.nextInt(COUNT);
            return number == first || number == second;
        }

        @Override
        public Optional<Partition> next() throws IOException {
            Optional<Partition> next = whole.next();
            return next.isPresent() ? Optional.of(part(next.get())) : next;
        }

        private Partition part(Partition partition) throws IOException {
            PartitionHeader header = partition.header();
            DeletionTime deletion = isMine() ? header.deletion() : DeletionTime.LIVE;
            Row statics = part(header.staticRow());
            boolean hasMarkers = isMine();
            List<Unfiltered> mine = new ArrayList<>();
            for (Unfiltered item : items(partition)) {
                if (item instanceof Row row) {
                    Row part = part(row);
                    if (!part.isEmpty()) {
                        mine.add(part);
                    }
                } else if (item instanceof Marker && hasMarkers) {
                    mine.add(item);
                }
            }
            return Partition.of(new PartitionHeader(header.key(), deletion, statics), mine);
        }

        private Row part(Row row) {
            Liveness liveness = isMine() ? row.liveness() : Liveness.NONE;
            DeletionTime deletion = isMine() ? row.deletion() : DeletionTime.LIVE;
            List<ColumnData> columns = new ArrayList<>();
            for (ColumnData data : row.columns()) {
                if (data instanceof Cell cell && isMine()) {
                    columns.add(cell);
                } else if (data instanceof ComplexColumn complex) {
                    ComplexColumn part = part(complex);
                    if (!part.deletion().isLive() || !part.cells().isEmpty()) {
                        columns.add(part);
                    }
                }
            }
            return new Row(row.clustering(), liveness, deletion, false, columns);
        }

        private ComplexColumn part(ComplexColumn complex) {
            DeletionTime deletion = isMine() ? complex.deletion() : DeletionTime.LIVE;
            List<Cell> cells = complex.cells().stream().filter(cell -> isMine()).toList();
            return new ComplexColumn(complex.column(), deletion, cells);
        }

        @Override
        public void close() throws IOException {
            whole.close();
        }
    }
}
