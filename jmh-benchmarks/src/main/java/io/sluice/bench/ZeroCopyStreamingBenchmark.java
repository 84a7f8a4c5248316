package io.sluice.bench;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Each way to move an SSTable, each end of it alone: opposite to the measured end sits the least that can. Every
 * operation moves a table, or half of each SSTable, over a loopback socket into files; none of the bytes is only
 * counted. {@link HandOverBenchmark} is the other kind.
 *
 * <p>The rows {@code :megabytes} are in MB/s: of all files for block and slice, of uncompressed rows for partial.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class ZeroCopyStreamingBenchmark {

    /** Bytes moved, beside the operations. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Moved {
        /** Millions of bytes, so that the rate reads as MB/s. */
        public double megabytes;

        void add(long bytes) {
            megabytes += bytes / 1e6;
        }
    }

    /** What is moved. */
    @State(Scope.Benchmark)
    public static class Table {
        /**
         * The folder of one table, or {@code published}: one SSTable of 1,000,000 tiny partitions, or the same in LZ4.
         */
        @Param({PublishedTable.PLAIN, PublishedTable.LZ4})
        public String sstable = "";
    }

    /** The sender of whole SSTables under test, and who receives from it. */
    @State(Scope.Benchmark)
    public static class BlockWriter {
        private @Nullable WriterBench bench;

        @Setup(Level.Trial)
        public void start(Table table) throws IOException {
            bench = WriterBench.start(table.sstable, false);
        }

        @TearDown(Level.Trial)
        public void stop() throws IOException {
            Objects.requireNonNull(bench).close();
        }
    }

    /** The receiver of whole SSTables under test, and who sends to it. */
    @State(Scope.Benchmark)
    public static class BlockReader {
        private @Nullable ReaderBench bench;

        @Setup(Level.Trial)
        public void start(Table table) throws IOException {
            bench = ReaderBench.start(table.sstable, false);
        }

        @TearDown(Level.Trial)
        public void stop() throws IOException {
            Objects.requireNonNull(bench).close();
        }
    }

    /** The sender of slices under test, and who receives from it. */
    @State(Scope.Benchmark)
    public static class SliceSender {
        private @Nullable WriterBench bench;

        @Setup(Level.Trial)
        public void start(Table table) throws IOException {
            bench = WriterBench.start(table.sstable, true);
        }

        @TearDown(Level.Trial)
        public void stop() throws IOException {
            Objects.requireNonNull(bench).close();
        }
    }

    /** The receiver of slices under test, and who sends to it. */
    @State(Scope.Benchmark)
    public static class SliceReceiver {
        private @Nullable ReaderBench bench;

        @Setup(Level.Trial)
        public void start(Table table) throws IOException {
            bench = ReaderBench.start(table.sstable, true);
        }

        @TearDown(Level.Trial)
        public void stop() throws IOException {
            Objects.requireNonNull(bench).close();
        }
    }

    /** Either end of moving partitions. */
    @State(Scope.Benchmark)
    public static class Partial {
        private @Nullable PartialBench bench;

        @Setup(Level.Trial)
        public void start(Table table) throws IOException {
            bench = PartialBench.start(table.sstable);
        }

        @TearDown(Level.Trial)
        public void stop() throws IOException {
            Objects.requireNonNull(bench).close();
        }
    }

    /** Pin, offer, send by sendfile; a plain blocking receiver writes the bytes to files. */
    @Benchmark
    public long blockStreamWriter(BlockWriter state, Moved moved) throws IOException {
        long bytes = Objects.requireNonNull(state.bench).moveOnce();
        moved.add(bytes);
        return bytes;
    }

    /** Receive, verify, sync, install; a plain blocking sender provides the bytes by {@code transferTo}. */
    @Benchmark
    public long blockStreamReader(BlockReader state, Moved moved) throws Exception {
        long bytes = Objects.requireNonNull(state.bench).moveOnce();
        moved.add(bytes);
        return bytes;
    }

    /** As blockStreamWriter, with half of each SSTable: the slice is prepared, then sent. */
    @Benchmark
    public long sliceStreamWriter(SliceSender state, Moved moved) throws IOException {
        long bytes = Objects.requireNonNull(state.bench).moveOnce();
        moved.add(bytes);
        return bytes;
    }

    /** As blockStreamReader, with half of each SSTable. */
    @Benchmark
    public long sliceStreamReader(SliceReceiver state, Moved moved) throws Exception {
        long bytes = Objects.requireNonNull(state.bench).moveOnce();
        moved.add(bytes);
        return bytes;
    }

    /** Finds the sections of half of each SSTable and sends their chunks; a plain receiver writes them to a file. */
    @Benchmark
    public long partialStreamWriter(Partial state, Moved moved) throws Exception {
        long bytes = Objects.requireNonNull(state.bench).sendOnce();
        moved.add(bytes);
        return bytes;
    }

    /** Checks, decodes every row, writes and syncs a new SSTable; a plain sender provides the bytes. */
    @Benchmark
    public long partialStreamReader(Partial state, Moved moved) throws Exception {
        long bytes = Objects.requireNonNull(state.bench).receiveOnce();
        moved.add(bytes);
        return bytes;
    }
}
