package io.sluice.interop;

import com.google.common.io.MoreFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
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
 * Opening an SSTable of a million partitions that has no Summary.db, ours beside Cassandra's. Run as
 * {@link FormatBenchmark}, with {@code -Dtest=OpenBenchmark}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@Threads(1)
public class OpenBenchmark {
    private static final int PARTITIONS = 1_000_000;
    private static final int VALUE_LENGTH = 8;

    @Test
    @Tag("benchmark")
    void run() throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(OpenBenchmark.class.getSimpleName())
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .build())
                .run();
    }

    /** One SSTable of a million partitions of one small row. */
    @State(Scope.Benchmark)
    public static class Table {
        private @Nullable Path folder;
        private @Nullable Descriptor descriptor;

        @Setup(Level.Trial)
        public void write() throws IOException {
            Path root = FormatBenchmark.temporary("sluice-open");
            folder = Files.createDirectories(root.resolve("fx").resolve("netflix-00000000000000000000000000000001"));
            new DataSetWriter(
                            new DataSet(1, PARTITIONS, 1, VALUE_LENGTH),
                            Version.NB,
                            WriterOptions.DEFAULTS.withoutCompression())
                    .write(folder, 1);
            descriptor = TableDirectory.of(folder).orElseThrow().descriptors().get(0);
            Files.delete(folder.resolve(descriptor.fileName(Component.SUMMARY)));
        }

        Path folder() {
            return Objects.requireNonNull(folder);
        }

        Descriptor descriptor() {
            return Objects.requireNonNull(descriptor);
        }

        @TearDown(Level.Trial)
        public void delete() throws IOException {
            MoreFiles.deleteRecursively(folder().getParent().getParent());
        }
    }

    /** The same SSTable in a folder of Cassandra's. */
    @State(Scope.Benchmark)
    public static class Theirs {
        private CassandraTable.@Nullable Opener opener;

        @Setup(Level.Trial)
        public void copy(Table ours) throws Exception {
            Cassandra cassandra = Cassandra.start(FormatBenchmark.temporary("sluice-cassandra"));
            Path data = ours.folder().resolve(ours.descriptor().fileName(Component.DATA));
            opener = CassandraTable.copy(cassandra.table(FormatBenchmark.SCHEMA), data, "none");
        }

        /** It may save the summary that it made. */
        @Setup(Level.Invocation)
        public void deleteSummary(Table ours) throws IOException {
            Files.deleteIfExists(opener().folder().resolve(ours.descriptor().fileName(Component.SUMMARY)));
        }

        CassandraTable.Opener opener() {
            return Objects.requireNonNull(opener);
        }
    }

    @Benchmark
    public Object open(Table table) throws IOException {
        return SSTable.open(table.folder(), table.descriptor());
    }

    @Benchmark
    public Object openByCassandra(Theirs theirs) {
        return theirs.opener().openAndRelease();
    }
}
