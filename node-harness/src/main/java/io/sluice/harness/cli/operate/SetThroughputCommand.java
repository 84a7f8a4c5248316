package io.sluice.harness.cli.operate;

import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.config.ByteAmounts;
import io.sluice.harness.report.ByteFormat;
import io.sluice.streaming.Limit;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice set-throughput RATE}. Not thread-safe. */
@Command(
        name = "set-throughput",
        addMethodSubcommands = false,
        description = "Sets a limit of each node from now on, also while bytes flow; until the node ends.")
public final class SetThroughputCommand implements Callable<Integer> {
    @Mixin
    private TargetNodes targets = new TargetNodes();

    @Parameters(paramLabel = "RATE", description = "As 24MiB/s; 0 for no limit.")
    private String rate = "";

    @Option(
            names = "--limit",
            paramLabel = "KEY",
            converter = LimitConverter.class,
            description = {
                "Which limit, by the name of its setting (default: entire_sstable_stream_throughput_outbound, which",
                "holds for whole SSTables and slices). See docs/operations.md for all of them."
            })
    private Limit limit = Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND;

    @Override
    public Integer call() throws IOException {
        long bytesPerSecond = ByteAmounts.rate("RATE", rate);
        String now = bytesPerSecond == 0 ? "no limit" : ByteFormat.rate((double) bytesPerSecond);
        boolean allTold = true;
        for (TargetNodes.Answer<String> answer : targets.ask(node -> {
            node.setThroughput(new AdminRequests.Throughput(limit, bytesPerSecond));
            return node.status().node().name();
        })) {
            allTold &= answer.value() != null;
            if (answer.value() == null) {
                System.err.println("sluice: " + answer.problem());
            } else {
                System.out.println(answer.value() + ": " + limit.key() + " is " + now);
            }
        }
        return allTold ? 0 : 1;
    }

    /** Not thread-safe. */
    static final class LimitConverter implements CommandLine.ITypeConverter<Limit> {
        @Override
        public Limit convert(String text) {
            return Arrays.stream(Limit.values())
                    .filter(any -> any.key().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new CommandLine.TypeConversionException("'" + text + "' (expected: one of "
                            + Arrays.stream(Limit.values()).map(Limit::key).collect(Collectors.joining(", ")) + ")"));
        }
    }
}
