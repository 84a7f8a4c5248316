package io.sluice.bench;

import java.io.IOException;
import java.nio.file.Path;
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
 * Whole-SSTable streaming, each end of it alone: opposite to the measured end sits the least that can
 * ({@link PlainReceiver}, {@link PlainSender}). Every operation moves one whole table over a loopback socket into
 * files; none of the bytes is only counted.
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

    /** The sender under test, and who receives from it. */
    @State(Scope.Benchmark)
    public static class Writer {
        /** The folder of one table; {@code ./sluice bench} sets it. */
        @Param("")
        public String sstable = "";

        private @Nullable WriterBench bench;

        @Setup(Level.Trial)
        public void start() throws IOException {
            bench = WriterBench.start(Path.of(sstable));
        }

        @TearDown(Level.Trial)
        public void stop() throws IOException {
            Objects.requireNonNull(bench).close();
        }
    }

    /** The receiver under test, and who sends to it. */
    @State(Scope.Benchmark)
    public static class Reader {
        /** The folder of one table; {@code ./sluice bench} sets it. */
        @Param("")
        public String sstable = "";

        private @Nullable ReaderBench bench;

        @Setup(Level.Trial)
        public void start() throws IOException {
            bench = ReaderBench.start(Path.of(sstable));
        }

        @TearDown(Level.Trial)
        public void stop() throws IOException {
            Objects.requireNonNull(bench).close();
        }
    }

    /** Pin, offer, send by sendfile; a plain blocking receiver writes the bytes to files. */
    @Benchmark
    public long blockStreamWriter(Writer state, Moved moved) throws IOException {
        long bytes = Objects.requireNonNull(state.bench).moveOnce();
        moved.add(bytes);
        return bytes;
    }

    /** Receive, verify, sync, install; a plain blocking sender provides the bytes by {@code transferTo}. */
    @Benchmark
    public long blockStreamReader(Reader state, Moved moved) throws Exception {
        long bytes = Objects.requireNonNull(state.bench).moveOnce();
        moved.add(bytes);
        return bytes;
    }
}
