package io.sluice.bench.transfer;

import io.sluice.bench.OneTableStore;
import io.sluice.bench.Scratch;
import io.sluice.bench.process.Program;
import io.sluice.harness.report.TextTable;
import io.sluice.harness.scenario.GeneratedData;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Limit;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench throttle}. Not thread-safe. */
@Command(
        name = "sluice bench throttle",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Sets limits and changes them while bytes flow, and shows what arrives, over windows of 5 s.")
public final class ThrottleBench implements Callable<Integer> {
    private static final List<Limit> LIMITS = List.of(
            Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND,
            Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND,
            Limit.STREAM_THROUGHPUT_INBOUND,
            Limit.SESSION_STREAM_THROUGHPUT_INBOUND);
    private static final List<Long> RATES = List.of(40L << 20, 90L << 20, 4L << 20);
    private static final long DATA_BYTES = 1L << 30;
    private static final long STEP_MILLIS = 250;
    private static final int STEPS = 20;

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "Generated data, and what arrives (default: work in Sluice's folder).")
    private Path workDir = Path.of(System.getProperty("sluice.home", "."), "work");

    /** Runs it, and ends the process. */
    public static void main(String[] arguments) {
        Program.run(new ThrottleBench(), arguments);
    }

    @Override
    public Integer call() throws Exception {
        TextTable table =
                new TextTable("limit", "set to, MiB/s", "arrived, MiB/s", "difference", "trace, MiB/s each 250 ms");
        try (WorkDirectory work = WorkDirectory.open(workDir)) {
            Path data = GeneratedData.of(work, DATA_BYTES, TokenRanges.FULL.ranges())
                    .made("the data", System.err);
            for (Limit limit : LIMITS) {
                Path target = Scratch.directory(work.root(), "throttle");
                try {
                    measure(data, target, limit, table);
                } finally {
                    Scratch.delete(target);
                }
            }
        }
        table.print(System.out);
        return 0;
    }

    private static void measure(Path data, Path target, Limit limit, TextTable table) throws Exception {
        TableDirectory directory = TableDirectory.of(data).orElseThrow();
        TableRef ref = OneTableStore.refOf(directory);
        Node from = node("source");
        Node to = node("target");
        StreamOptions options = StreamOptions.builder().build();
        try (StreamingNode source =
                        StreamingNode.start(from, options, new OneTableStore(ref, data, target.resolve("pins")));
                StreamingNode receiver = StreamingNode.start(
                        to,
                        options,
                        new OneTableStore(
                                ref, Files.createDirectory(target.resolve("live")), target.resolve("staging")))) {
            StreamingNode limited = limit.name().endsWith("INBOUND") ? receiver : source;
            limited.throughput(limit, RATES.get(0));
            UUID plan = UUID.randomUUID();
            var result = receiver.execute(
                    new StreamPlan(plan, Operation.REPLACE, List.of(new StreamRequest(from, ref, TokenRanges.FULL))));
            while (receiver.counters().bytesReceived() == 0 && !result.isDone()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            for (long rate : RATES) {
                limited.throughput(limit, rate);
                TimeUnit.MILLISECONDS.sleep(STEP_MILLIS); // it has this long to take effect
                window(receiver, limit, rate, table);
            }
            if (result.isDone()) {
                throw new IOException("the transfer ended before it was measured: "
                        + result.get().tables());
            }
            receiver.cancel(plan, "measured");
            result.get();
        }
    }

    private static void window(StreamingNode receiver, Limit limit, long rate, TextTable table)
            throws InterruptedException {
        StringBuilder trace = new StringBuilder();
        long began = System.nanoTime();
        long first = receiver.counters().bytesReceived();
        long before = first;
        long beforeNanos = began;
        for (int step = 1; step <= STEPS; step++) {
            long due = began + TimeUnit.MILLISECONDS.toNanos(step * STEP_MILLIS);
            TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
            long now = receiver.counters().bytesReceived();
            long nowNanos = System.nanoTime();
            trace.append(String.format(Locale.ROOT, "%.0f ", mebibytes(now - before, nowNanos - beforeNanos)));
            before = now;
            beforeNanos = nowNanos;
        }
        double arrived = mebibytes(before - first, beforeNanos - began);
        double wanted = rate / (double) (1 << 20);
        table.row(
                limit.key(),
                text(wanted),
                text(arrived),
                String.format(Locale.ROOT, "%+.1f %%", 100 * (arrived / wanted - 1)),
                trace.toString().strip());
    }

    private static double mebibytes(long bytes, long nanos) {
        return bytes / (double) (1 << 20) / (nanos / 1e9);
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static Node node(String name) throws IOException {
        return new Node(
                UUID.randomUUID(),
                name,
                new Address("127.0.0.1", FreePort.onLoopback()),
                List.of(new Token(name.hashCode())));
    }
}
