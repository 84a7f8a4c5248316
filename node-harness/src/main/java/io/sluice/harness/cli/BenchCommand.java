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
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** {@code ./sluice bench}: the JMH benchmarks, in a process of their own. Not thread-safe. */
@Command(
        name = "bench",
        addMethodSubcommands = false,
        subcommands = CommandLine.HelpCommand.class,
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

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Adds the programs that the class path has, each under its name. */
    static void addPrograms(CommandLine bench) {
        Benchmarks.find().stream()
                .flatMap(found -> found.subcommands().stream())
                .forEach(found -> {
                    CommandSpec spec = CommandSpec.forAnnotatedObject(new OneProgram(found.program()));
                    spec.usageMessage().description(found.description());
                    bench.addSubcommand(found.name(), new CommandLine(spec));
                });
    }

    /** Starts a program, which reads its options itself. */
    @Command
    private static final class OneProgram implements Callable<Integer> {
        private final Benchmarks.Program program;

        @Unmatched
        private List<String> options = new ArrayList<>();

        OneProgram(Benchmarks.Program program) {
            this.program = program;
        }

        @Override
        public Integer call() throws IOException, InterruptedException {
            return program.run(options);
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        Benchmarks.Program ends = Benchmarks.get().ends();
        refuseWord();
        TargetFolder.require(target);
        try (WorkDirectory work = WorkDirectory.open(workDir)) {
            if (published && sstable != null) {
                throw new ConfigException("--published and --sstable (expected: one of them)");
            }
            Path results = work.root().resolve("bench.json");
            Path received = target == null ? work.root() : target;
            List<String> options = new ArrayList<>(List.of(
                    "-jvmArgsAppend",
                    "-Dsluice.bench.target=" + received.toAbsolutePath(),
                    "-rf",
                    "json",
                    "-rff",
                    results.toString()));
            if (!published) {
                Path table = sstable == null
                        ? GeneratedData.of(work, GENERATED_BYTES, TokenRanges.FULL.ranges())
                                .made("1 GiB", System.out)
                        : onlyTable(sstable);
                options.addAll(List.of("-p", "sstable=" + table.toAbsolutePath()));
            }
            options.addAll(jmh);
            int ended = ends.run(options);
            if (ended != 0) {
                System.err.println("sluice: bench failed, JMH ended with code " + ended);
                return ExitCode.FAILED.number();
            }
            System.out.println("Results: " + results);
            return ExitCode.OK.number();
        }
    }

    /** JMH would take a name that does not exist for one more pattern, and run all: for an hour. */
    private void refuseWord() {
        jmh.stream().findFirst().filter(word -> !word.startsWith("-")).ifPresent(word -> {
            throw new ParameterException(
                    spec.commandLine(),
                    "no benchmark '" + word + "' (expected: one of those of ./sluice bench --help, or options of JMH)"
                            + Explanations.didYouMean(word, spec.commandLine()));
        });
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
