package io.sluice.bench;

import io.sluice.bench.process.Program;
import io.sluice.harness.cli.TargetFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Unmatched;

/** {@code ./sluice bench receive}: {@link ReceiverBenchmark} in JMH, which takes the other options. Not thread-safe. */
@Command(
        name = "sluice bench receive",
        mixinStandardHelpOptions = true,
        description = "Takes bytes from a socket to a file in each way that Java has, checksum included, with CPU.",
        footer = {"", "Other options are those of JMH (-- -- -h lists them)."})
public final class ReceiveBench implements Callable<Integer> {
    @Option(
            names = "--target",
            paramLabel = "DIR",
            description = "A disk, or a tmpfs as /dev/shm (default: the directory for temporary files).")
    private @Nullable Path target;

    @Unmatched
    private List<String> jmh = new ArrayList<>();

    /** Runs it, and ends the process. */
    public static void main(String[] arguments) {
        Program.run(new ReceiveBench(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        TargetFolder.require(target);
        List<String> all = new ArrayList<>();
        if (target != null) {
            all.addAll(List.of("-jvmArgsAppend", "-Dsluice.bench.target=" + target.toAbsolutePath()));
        }
        all.addAll(jmh);
        Jmh.run(ReceiverBenchmark.class, List.of(), all);
        return 0;
    }
}
