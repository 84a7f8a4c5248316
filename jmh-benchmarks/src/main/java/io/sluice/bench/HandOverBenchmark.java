package io.sluice.bench;

import io.netty.channel.DefaultFileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.harness.content.TableFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
 * The measurement that the benchmark published in 2018 calls "block writer": file regions are handed to an in-memory
 * channel, which releases them. <em>No byte is moved</em>: the figure counts hand-overs, and must not be compared with
 * a transfer.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class HandOverBenchmark {

    /** The components of one table. */
    @State(Scope.Benchmark)
    public static class Files {
        /** As in {@link ZeroCopyStreamingBenchmark}. */
        @Param(PublishedTable.PLAIN)
        public String sstable = "";

        private final List<Path> paths = new ArrayList<>();
        private @Nullable Path scratch;

        @Setup(Level.Trial)
        public void open() throws IOException {
            scratch = Scratch.directory();
            TableDirectory table = PublishedTable.of(sstable, scratch);
            for (SSTable opened : TableFiles.open(table)) {
                for (Component component : opened.components()) {
                    if (component.isStreamed()) {
                        paths.add(opened.path(component));
                    }
                }
            }
        }

        @TearDown(Level.Trial)
        public void close() throws IOException {
            Scratch.delete(Objects.requireNonNull(scratch));
        }
    }

    /** Hands over all files of the table; no byte is read from them. */
    @Benchmark
    public int blockStreamWriterMovesNoBytes(Files files) {
        EmbeddedChannel channel = new EmbeddedChannel();
        for (Path path : files.paths) {
            java.io.File file = path.toFile();
            channel.writeOutbound(new DefaultFileRegion(file, 0, file.length()));
        }
        int handedOver = channel.outboundMessages().size();
        channel.finishAndReleaseAll();
        return handedOver;
    }
}
