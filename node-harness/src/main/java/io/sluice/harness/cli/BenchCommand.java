package io.sluice.harness.cli;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.scenario.GeneratedData;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Unmatched;

/** {@code ./sluice bench}: the JMH benchmarks, in a process of their own. Not thread-safe. */
@Command(
        name = "bench",
        subcommands = {
            BenchCommand.Transfer.class,
            BenchCommand.Link.class,
            BenchCommand.Throttle.class,
            BenchCommand.Reads.class,
            BenchCommand.Receive.class,
            BenchCommand.PlannerAtScale.class
        },
        mixinStandardHelpOptions = true,
        description = "Measures each end of each way to move a table with JMH: real bytes, a real socket, real files.",
        footer = {
            "",
            "blockStreamWriter is our sender, received by the least that can receive. blockStreamReader is our receiver,",
            "which verifies, syncs and installs, fed by the least that can send. slice and partial move half of each",
            "SSTable: as files, and partition by partition. The rows ':megabytes' are in MB/s.",
            "",
            "Options of JMH follow '--', as in: ./sluice bench -- -f 3 -prof gc"
        })
final class BenchCommand implements Callable<Integer> {
    private static final String BENCHMARK = "io.sluice.bench.ZeroCopyStreamingBenchmark";
    private static final long GENERATED_BYTES = 1L << 30;

    @Option(
            names = "--sstable",
            paramLabel = "DIR",
            description = "The folder of one table, or one with a single table in it (default: 1 GiB, generated once).")
    private @Nullable Path sstable;

    @Option(
            names = "--published",
            description =
                    "In place of that the table of Cassandra's benchmark of 2018, plain and in LZ4: one SSTable of"
                            + " 1,000,000 tiny partitions.")
    private boolean published;

    @Option(
            names = "--target",
            paramLabel = "DIR",
            description = "Where received files go: a disk, or a tmpfs as /dev/shm (default: the work directory).")
    private @Nullable Path target;

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            defaultValue = "${sys:sluice.home:-.}/work",
            description = "Generated data, and results as bench.json (default: work in Sluice's folder).")
    private Path workDir = Path.of("work");

    @Parameters(paramLabel = "JMH", description = "Options of JMH.")
    private List<String> jmh = new ArrayList<>();

    /** Runs one of the programs that measure, in a process of its own; its options are passed on. */
    private static int run(String program, List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(java());
        command.add("-Dsluice.home=" + System.getProperty("sluice.home", "."));
        command.add(program);
        command.addAll(options);
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    /** Whole transfers, beside a C program; its options are those of the benchmark. */
    @Command(
            name = "transfer",
            description = "Moves whole SSTables between two processes, beside a C program that moves the same files.")
    static final class Transfer implements Callable<Integer> {
        @Unmatched
        private List<String> options = new ArrayList<>();

        @Override
        public Integer call() throws IOException, InterruptedException {
            return run("io.sluice.bench.transfer.TransferBench", options);
        }
    }

    /** Transfers over a link of a known rate; its options are those of the benchmark. */
    @Command(
            name = "link",
            description = "Moves one large SSTable, and 1,000 small ones, over a link of a known rate (needs root).")
    static final class Link implements Callable<Integer> {
        @Unmatched
        private List<String> options = new ArrayList<>();

        @Override
        public Integer call() throws IOException, InterruptedException {
            return run("io.sluice.bench.transfer.LinkBench", options);
        }
    }

    /** What limits do; its options are those of the benchmark. */
    @Command(name = "throttle", description = "Sets limits and changes them while bytes flow, and shows what arrives.")
    static final class Throttle implements Callable<Integer> {
        @Unmatched
        private List<String> options = new ArrayList<>();

        @Override
        public Integer call() throws IOException, InterruptedException {
            return run("io.sluice.bench.transfer.ThrottleBench", options);
        }
    }

    /** Reads of a store while data streams into its node; its options are those of the benchmark. */
    @Command(
            name = "reads",
            description = "Reads partitions of a node's own store, alone and while a table streams into the node.")
    static final class Reads implements Callable<Integer> {
        @Unmatched
        private List<String> options = new ArrayList<>();

        @Override
        public Integer call() throws IOException, InterruptedException {
            return run("io.sluice.bench.transfer.ReadsBench", options);
        }
    }

    /** Planning at scale; its options are those of JMH. */
    @Command(
            name = "planner",
            description = "Plans the rebuild of data centres of 10 to 10,000 nodes, in a heap of 512 MiB on one core.")
    static final class PlannerAtScale implements Callable<Integer> {
        @Unmatched
        private List<String> options = new ArrayList<>();

        @Override
        public Integer call() throws IOException, InterruptedException {
            return jmh("io.sluice.bench.PlannerBenchmark", List.of(), options);
        }
    }

    /** Ways to receive; its options are those of JMH. */
    @Command(
            name = "receive",
            description = "Takes bytes from a socket to a file in each way that Java has, checksum included, with CPU;"
                    + " to $TMPDIR, or to --target.")
    static final class Receive implements Callable<Integer> {
        @Option(names = "--target", paramLabel = "DIR", description = "A disk, or a tmpfs as /dev/shm.")
        private @Nullable Path target;

        @Unmatched
        private List<String> options = new ArrayList<>();

        @Override
        public Integer call() throws IOException, InterruptedException {
            List<String> where = target == null
                    ? List.of()
                    : List.of("-jvmArgsAppend", "-Dsluice.bench.target=" + target.toAbsolutePath());
            return jmh("io.sluice.bench.ReceiverBenchmark", where, options);
        }
    }

    private static int jmh(String benchmark, List<String> own, List<String> options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of("org.openjdk.jmh.Main", benchmark));
        command.addAll(own);
        command.addAll(options);
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    /** How a benchmark is started, up to its main class. */
    static List<String> java() {
        String classPath = System.getProperty("sluice.bench.classpath");
        if (classPath == null) {
            throw new ConfigException(
                    "the benchmarks are not on the class path (expected: run by ./sluice bench or compare)");
        }
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", classPath);
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        List<String> command = new ArrayList<>(java());
        try (WorkDirectory work = WorkDirectory.open(workDir)) {
            if (published && sstable != null) {
                throw new ConfigException("--published and --sstable (expected: one of them)");
            }
            Path results = work.root().resolve("bench.json");
            Path received = target == null ? work.root() : target;
            command.addAll(List.of(
                    "org.openjdk.jmh.Main",
                    BENCHMARK,
                    "-jvmArgsAppend",
                    "-Dsluice.bench.target=" + received.toAbsolutePath(),
                    "-rf",
                    "json",
                    "-rff",
                    results.toString()));
            if (!published) {
                Path table = sstable == null ? generated(work) : onlyTable(sstable);
                command.addAll(List.of("-p", "sstable=" + table.toAbsolutePath()));
            }
            command.addAll(jmh);
            int ended = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (ended != 0) {
                System.err.println("sluice: bench failed, JMH ended with code " + ended);
                return ExitCode.FAILED.number();
            }
            System.out.println("Results: " + results);
            return ExitCode.OK.number();
        }
    }

    private static Path generated(WorkDirectory work) throws IOException {
        GeneratedData data = GeneratedData.of(work, GENERATED_BYTES, TokenRanges.FULL.ranges());
        if (!data.isThere()) {
            System.out.println("Generating 1 GiB (kept for later runs)");
            data.generate();
        }
        return data.table();
    }

    private static Path onlyTable(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new ConfigException("--sstable " + directory + ": no such folder (expected: SSTables)");
        }
        List<TableDirectory> tables = TableDirectory.find(directory);
        if (tables.size() != 1) {
            throw new ConfigException("--sstable " + directory + ": holds " + tables.size()
                    + " tables (expected: one folder <table>-<id>/ with SSTables in it)");
        }
        return tables.get(0).path();
    }
}
