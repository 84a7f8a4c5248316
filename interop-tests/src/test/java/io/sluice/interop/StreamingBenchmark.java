package io.sluice.interop;

import com.google.common.io.MoreFiles;
import com.sun.management.OperatingSystemMXBean;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
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
 * Moving one SSTable, whole or the lower half of the ring, ours beside Cassandra's own writer and reader: the same
 * files, both ends in one process, a real socket over loopback that is set up in the same way, into memory, or durable
 * on a disk. {@code megabytes} are of uncompressed rows, {@code cpuSeconds} of the process: the one divided by the
 * other is what a byte costs. Cassandra's limits of rate are off; it runs on the Netty of this build. Run by
 *
 * <pre>mvn -B test -Pinterop -pl interop-tests -am -Dtest=StreamingBenchmark -Dexcluded.test.groups= \
 *     -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * with {@code -Dbenchmarks=block -Dshapes=large -Dtargets=memory,disk} for some of it.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
@Threads(1)
public class StreamingBenchmark {
    @Test
    @Tag("benchmark")
    void run() throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(System.getProperty("benchmarks", StreamingBenchmark.class.getSimpleName()))
                        .param(
                                "shape",
                                System.getProperty("shapes", "tiny,netflix").split(","))
                        .param("target", System.getProperty("targets", "memory").split(","))
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .build())
                .run();
    }

    /** What was moved, and what it cost. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Cost {
        /** Millions of bytes of uncompressed rows. */
        public double megabytes;
        /** Of all threads of the process. */
        public double cpuSeconds;

        void add(Work work, long bytes) throws Throwable {
            long before = cpuNanos();
            work.run();
            cpuSeconds += (cpuNanos() - before) / 1e9;
            megabytes += bytes / 1e6;
        }

        private static long cpuNanos() {
            return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
        }
    }

    /** One operation. */
    interface Work {
        void run() throws Throwable;
    }

    /** The SSTable, as we and as Cassandra see it. */
    @State(Scope.Benchmark)
    public static class Table {
        private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0));

        /**
         * {@code tiny}: a million partitions of one row of one byte; {@code netflix}: 20,000 of ten rows of 880 bytes;
         * {@code large}: 120,000 of those, 1 GB.
         */
        @Param({"tiny", "netflix"})
        public String shape = "";

        @Param({"none", "lz4"})
        public String compression = "";

        /** Where files arrive: {@code memory}, or a {@code disk}, where both sync them. */
        @Param({"memory"})
        public String target = "";

        private @Nullable Path root;
        private @Nullable SSTable sstable;
        private @Nullable SluiceStream ours;
        private @Nullable SSTableReader reader;
        private @Nullable CassandraStream theirs;
        private long halfBytes;

        @Setup(Level.Trial)
        public void open() throws Exception {
            root = target.equals("disk")
                    ? Files.createTempDirectory("sluice-streaming")
                    : FormatBenchmark.temporary("sluice-streaming");
            Path folder =
                    Files.createDirectories(root.resolve("fx").resolve("netflix-00000000000000000000000000000001"));
            WriterOptions options = compression.equals("lz4")
                    ? WriterOptions.DEFAULTS.withCompression(CompressionParameters.lz4())
                    : WriterOptions.DEFAULTS.withoutCompression();
            DataSet rows = switch (shape) {
                case "tiny" -> new DataSet(1, 1_000_000, 1, 1);
                case "netflix" -> new DataSet(1, 20_000, 10, 880);
                case "large" -> new DataSet(1, 120_000, 10, 880);
                default -> throw new IllegalArgumentException("shape: " + shape);
            };
            new DataSetWriter(rows, Version.NB, options).write(folder, 1);
            TableDirectory table = TableDirectory.of(folder).orElseThrow();
            sstable = SSTable.open(folder, table.descriptors().get(0));
            halfBytes = sstable.sections(HALF).stream()
                    .mapToLong(Section::lengthBytes)
                    .sum();
            ours = SluiceStream.open(table, root.resolve("ours"));
            Cassandra cassandra = Cassandra.start(Files.createDirectories(root.resolve("cassandra")));
            CassandraTable.Opener opener = CassandraTable.copy(
                    cassandra.table(FormatBenchmark.SCHEMA), sstable.path(Component.DATA), compression);
            reader = opener.open();
            theirs = CassandraStream.open(opener.store());
        }

        SluiceStream ours() {
            return Objects.requireNonNull(ours);
        }

        long wholeBytes() {
            return Objects.requireNonNull(sstable).dataLengthBytes();
        }

        void byCassandra(long lastToken) throws Throwable {
            Token last = new Murmur3Partitioner.LongToken(lastToken);
            Objects.requireNonNull(theirs)
                    .move(Objects.requireNonNull(reader), List.of(new Range<>(Murmur3Partitioner.MINIMUM, last)));
        }

        /** Files that stay would fill the memory. */
        @TearDown(Level.Invocation)
        public void clear() throws IOException {
            ours().clear();
            Objects.requireNonNull(theirs).clear();
        }

        @TearDown(Level.Trial)
        public void close() throws IOException {
            ours().close();
            Objects.requireNonNull(theirs).close();
            Objects.requireNonNull(reader).selfRef().release();
            MoreFiles.deleteRecursively(Objects.requireNonNull(root));
        }
    }

    /** The whole SSTable as files, through a session. */
    @Benchmark
    public void block(Table table, Cost cost) throws Throwable {
        cost.add(() -> table.ours().moveFiles(TokenRanges.FULL), table.wholeBytes());
    }

    /** The whole SSTable as files, by Cassandra. */
    @Benchmark
    public void blockByCassandra(Table table, Cost cost) throws Throwable {
        cost.add(() -> table.byCassandra(Long.MAX_VALUE), table.wholeBytes());
    }

    /** Half of it as a slice, through a session. */
    @Benchmark
    public void slice(Table table, Cost cost) throws Throwable {
        cost.add(() -> table.ours().moveFiles(Table.HALF), table.halfBytes);
    }

    /** Half of it as rows. */
    @Benchmark
    public void partial(Table table, Cost cost) throws Throwable {
        cost.add(() -> table.ours().moveRows(Table.HALF), table.halfBytes);
    }

    /** Half of it by Cassandra, which sends and writes rows. */
    @Benchmark
    public void partialByCassandra(Table table, Cost cost) throws Throwable {
        cost.add(() -> table.byCassandra(0), table.halfBytes);
    }
}
