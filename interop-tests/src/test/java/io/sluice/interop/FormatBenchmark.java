package io.sluice.interop;

import com.google.common.io.MoreFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.data.RowCursor;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.Unfiltered;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Reading and writing rows, ours beside Cassandra's, on the same files. An operation is a row. Run by
 *
 * <pre>mvn -B test -Pinterop -pl interop-tests -am -Dtest=FormatBenchmark -Dexcluded.test.groups= \
 *     -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@Threads(1)
public class FormatBenchmark {
    private static final int PARTITIONS = 20_000;
    private static final int ROWS_PER_PARTITION = 10;
    private static final int ROWS = PARTITIONS * ROWS_PER_PARTITION;
    private static final int VALUE_LENGTH = 88;
    private static final int DELETE_ATTEMPTS = 10;
    static final Path SCHEMA =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "netflix", "schema.cql");

    @Test
    @Tag("benchmark")
    void run() throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(System.getProperty("benchmarks", FormatBenchmark.class.getSimpleName()))
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .build())
                .run();
    }

    /**
     * A folder in memory where there is such a place: a benchmark of code must not wait for a disk. It goes when this
     * process does, also by Ctrl-C; who removes it before may.
     */
    static Path temporary(String prefix) throws IOException {
        Path memory = Path.of("/dev/shm");
        Path folder = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, prefix)
                : Files.createTempDirectory(prefix);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteAtEnd(folder), "delete-temporary"));
        return folder;
    }

    /** Threads of Cassandra may still write into it. */
    private static void deleteAtEnd(Path folder) {
        for (int attempt = 1; Files.exists(folder); attempt++) {
            try {
                MoreFiles.deleteRecursively(folder);
            } catch (IOException e) {
                if (attempt == DELETE_ATTEMPTS) {
                    System.err.println(folder + " is left, remove it: " + e);
                    return;
                }
            }
        }
    }

    /** One SSTable of 20,000 partitions of 10 rows, about 20 MiB. */
    @State(Scope.Benchmark)
    public static class Table {
        @Param({"none", "lz4"})
        public String compression = "";

        private @Nullable Path folder;
        private @Nullable Path target;
        private @Nullable SSTable sstable;
        private final List<InMemory> partitions = new ArrayList<>();
        private int nextId = 2;

        /** A partition that can be read again and again. */
        private record InMemory(PartitionHeader header, List<Unfiltered> items) {}

        @Setup(Level.Trial)
        public void write() throws IOException {
            Path root = temporary("sluice-format");
            folder = Files.createDirectories(root.resolve("fx").resolve("netflix-00000000000000000000000000000001"));
            new DataSetWriter(new DataSet(1, PARTITIONS, ROWS_PER_PARTITION, VALUE_LENGTH), Version.NB, options())
                    .write(folder, 1);
            TableDirectory table = TableDirectory.of(folder).orElseThrow();
            sstable = SSTable.open(folder, table.descriptors().get(0));
            try (PartitionReader reader = PartitionReader.open(sstable)) {
                for (Optional<Partition> p = reader.next(); p.isPresent(); p = reader.next()) {
                    List<Unfiltered> items = new ArrayList<>();
                    for (Optional<Unfiltered> item = p.get().next();
                            item.isPresent();
                            item = p.get().next()) {
                        items.add(item.get());
                    }
                    partitions.add(new InMemory(p.get().header(), items));
                }
            }
        }

        WriterOptions options() {
            return compression.equals("lz4")
                    ? WriterOptions.DEFAULTS.withCompression(CompressionParameters.lz4())
                    : WriterOptions.DEFAULTS.withoutCompression();
        }

        SSTable sstable() {
            return Objects.requireNonNull(sstable);
        }

        Path folder() {
            return Objects.requireNonNull(folder);
        }

        /** Where the next SSTable is written. */
        Path target() {
            return Objects.requireNonNull(target);
        }

        @Setup(Level.Invocation)
        public void makeTarget() throws IOException {
            target = Files.createTempDirectory(folder().getParent(), "written");
        }

        /** Memory that stays in use would make the next invocation wait for new pages. */
        @TearDown(Level.Invocation)
        public void deleteTarget() throws IOException {
            MoreFiles.deleteRecursively(target());
        }

        @TearDown(Level.Trial)
        public void delete() throws IOException {
            MoreFiles.deleteRecursively(folder().getParent().getParent());
        }
    }

    /** The same SSTable, opened by Cassandra, and its partitions as Cassandra holds them in memory. */
    @State(Scope.Benchmark)
    public static class Theirs {
        private @Nullable CassandraTable table;

        @Setup(Level.Trial)
        public void open(Table ours) throws Exception {
            Cassandra cassandra = Cassandra.start(temporary("sluice-cassandra"));
            table = CassandraTable.open(cassandra.table(SCHEMA), ours.sstable().path(Component.DATA), ours.compression);
        }

        CassandraTable table() {
            return Objects.requireNonNull(table);
        }
    }

    /** Every cell of every row, with its times and the place of its value. */
    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long scan(Table table) throws IOException {
        long cells = 0;
        try (RowCursor cursor = RowCursor.open(table.sstable(), TokenRanges.FULL)) {
            while (cursor.nextPartition()) {
                while (cursor.nextItem()) {
                    while (cursor.nextColumn()) {
                        while (cursor.nextCell()) {
                            cells++;
                        }
                    }
                }
            }
        }
        return cells;
    }

    /** The same with an object for each row and cell. */
    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long scanAsObjects(Table table) throws IOException {
        long cells = 0;
        try (PartitionReader reader = PartitionReader.open(table.sstable())) {
            for (Optional<Partition> p = reader.next(); p.isPresent(); p = reader.next()) {
                for (Optional<Unfiltered> item = p.get().next();
                        item.isPresent();
                        item = p.get().next()) {
                    if (item.get() instanceof Row row) {
                        cells += row.columns().size();
                    }
                }
            }
        }
        return cells;
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long scanByCassandra(Theirs theirs) throws IOException {
        long cells = 0;
        try (ISSTableScanner scanner = theirs.table().scanner()) {
            while (scanner.hasNext()) {
                try (UnfilteredRowIterator partition = scanner.next()) {
                    while (partition.hasNext()) {
                        cells += ((org.apache.cassandra.db.rows.Row) partition.next()).columnCount();
                    }
                }
            }
        }
        return cells;
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long write(Table table) throws IOException {
        Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(table.nextId++));
        Path target = table.target();
        try (SSTableWriter writer = SSTableWriter.create(target, descriptor, header(table), table.options())) {
            for (Table.InMemory partition : table.partitions) {
                writer.start(partition.header());
                for (Unfiltered item : partition.items()) {
                    writer.add(item);
                }
                writer.end();
            }
            return writer.finish().bytesOnDisk();
        }
    }

    private static io.sluice.sstable.data.SerializationHeader header(Table table) throws IOException {
        return io.sluice.sstable.data.SerializationHeader.parse(
                table.sstable().statistics().header());
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long writeByCassandra(Table ours, Theirs theirs) throws IOException {
        return theirs.table().write(ours.target());
    }
}
