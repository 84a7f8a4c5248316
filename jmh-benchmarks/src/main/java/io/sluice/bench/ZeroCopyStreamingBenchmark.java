package io.sluice.bench;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
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
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Measures each mode of moving an SSTable, each end separately, against a minimal peer. Every operation moves a table,
 * or half of each SSTable, over a loopback socket into files; all counted bytes are really moved.
 * {@link HandOverBenchmark} is the other kind. What has arrived is removed between operations, which is not measured.
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
    }

    private interface Move<T> {
        long of(T ends) throws Exception;
    }

    /** What is moved, and both ends of the benchmark. */
    @State(Scope.Benchmark)
    public static class Ends {
        /**
         * The folder of one table, or {@code published}: one SSTable of 1,000,000 tiny partitions, or the same in LZ4.
         */
        @Param({PublishedTable.PLAIN, PublishedTable.LZ4})
        public String sstable = "";

        private @Nullable TwoEnds bench;
        private @Nullable Callable<Long> move;

        @Setup(Level.Trial)
        public void start(BenchmarkParams params) throws IOException {
            String name = params.getBenchmark().substring(params.getBenchmark().lastIndexOf('.') + 1);
            switch (name) {
                case "blockStreamWriter" -> move(WriterBench.start(sstable, false), WriterBench::moveOnce);
                case "blockStreamReader" -> move(ReaderBench.start(sstable, false), ReaderBench::moveOnce);
                case "sliceStreamWriter" -> move(WriterBench.start(sstable, true), WriterBench::moveOnce);
                case "sliceStreamReader" -> move(ReaderBench.start(sstable, true), ReaderBench::moveOnce);
                case "partialStreamWriter" -> move(PartialBench.start(sstable), PartialBench::sendOnce);
                case "partialStreamReader" -> move(PartialBench.start(sstable), PartialBench::receiveOnce);
                default -> throw new IllegalArgumentException(name + ": no ends are known");
            }
        }

        private <T extends TwoEnds> void move(T ends, Move<T> once) {
            bench = ends;
            move = () -> once.of(ends);
        }

        long move(Moved moved) throws Exception {
            long bytes = Objects.requireNonNull(move).call();
            moved.megabytes += bytes / 1e6;
            return bytes;
        }

        @TearDown(Level.Invocation)
        public void removeArrived() throws IOException {
            Objects.requireNonNull(bench).removeArrived();
        }

        @TearDown(Level.Trial)
        public void stop() throws IOException {
            Objects.requireNonNull(bench).close();
        }
    }

    /** Pin, offer, send by sendfile; a plain blocking receiver writes the bytes to files. */
    @Benchmark
    public long blockStreamWriter(Ends ends, Moved moved) throws Exception {
        return ends.move(moved);
    }

    /** Receive, verify, sync, install; a plain blocking sender provides the bytes by {@code transferTo}. */
    @Benchmark
    public long blockStreamReader(Ends ends, Moved moved) throws Exception {
        return ends.move(moved);
    }

    /** As blockStreamWriter, with half of each SSTable: the slice is prepared, then sent. */
    @Benchmark
    public long sliceStreamWriter(Ends ends, Moved moved) throws Exception {
        return ends.move(moved);
    }

    /** As blockStreamReader, with half of each SSTable. */
    @Benchmark
    public long sliceStreamReader(Ends ends, Moved moved) throws Exception {
        return ends.move(moved);
    }

    /** Finds the sections of half of each SSTable and sends their chunks; a plain receiver writes them to a file. */
    @Benchmark
    public long partialStreamWriter(Ends ends, Moved moved) throws Exception {
        return ends.move(moved);
    }

    /** Checks, decodes every row, writes and syncs a new SSTable; a plain sender provides the bytes. */
    @Benchmark
    public long partialStreamReader(Ends ends, Moved moved) throws Exception {
        return ends.move(moved);
    }
}
