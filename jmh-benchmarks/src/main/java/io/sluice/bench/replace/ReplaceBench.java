package io.sluice.bench.replace;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.sluice.bench.DataFolder;
import io.sluice.bench.process.Machine;
import io.sluice.bench.process.Program;
import io.sluice.harness.cassandra.ClassPath;
import io.sluice.harness.cassandra.Release;
import io.sluice.harness.cassandra.SchemaFile;
import io.sluice.harness.cli.Interruption;
import io.sluice.harness.cli.ReportFile;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.HtmlReport;
import io.sluice.harness.report.SluiceVersion;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.WorkProgress;
import io.sluice.harness.scenario.GeneratedData;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice compare --with cassandra --replace}. Not thread-safe. */
@Command(
        name = "sluice compare --replace",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Replaces a dead node by real Cassandra and by Sluice, with the same files, in turns.",
        footer = {
            "",
            "Nodes of Cassandra start on 127.0.0.1, 127.0.0.2, ... (about 800 MB of memory each) and get the table; one dies,",
            "and is replaced again and again: by Cassandra's own streams, and by nodes of ./sluice replace-node with the same",
            "files and tokens. What each replacement then holds is compared with what the dead node held. The page cache is full",
            "before each run, and has the files of the sources, for everybody. Afterwards nothing runs, and nothing is left but",
            "the data, the page and the figures."
        })
public final class ReplaceBench implements Callable<Integer> {
    private static final int MOST_REPETITIONS = 100;
    /** The data, what each node of Cassandra holds, both replacements, and one to spare. */
    private static final int COPIES = 6;

    @Option(names = "--replace", required = true, description = "That a dead node is replaced.")
    void replace(boolean asked) {
        // Without it this is another command.
    }

    @Option(
            names = "--with",
            paramLabel = "cassandra",
            required = true,
            description = "Whom Sluice is compared with; there is no other.")
    private String with = "cassandra";

    @Option(
            names = "--case",
            paramLabel = "CASE",
            description =
                    "whole: two nodes, Cassandra moves whole files. rows: three nodes with 16 tokens, size-tiered,"
                            + " Cassandra goes row by row. Or both (default).")
    private String cases = "both";

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "How much to generate for each case, once (default: 256MiB).")
    private long size = 256L << 20;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "In place of generated data the folder of one table, or one with a single table in it; the"
                    + " CREATE TABLE as schema.cql beside the folder of the keyspace.")
    private @Nullable Path data;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "How often each replaces the node, 1 to 100 (default: 3).")
    private int repeat = 3;

    @Option(
            names = "--cassandra-version",
            paramLabel = "RELEASE",
            description = "5.0, 4.1, or an exact release as 5.0.6, which Maven fetches (default: 5.0).")
    private @Nullable String version;

    @Option(
            names = "--cassandra-home",
            paramLabel = "DIR",
            description = "An unpacked binary distribution, in place of what Maven fetches.")
    private @Nullable Path distribution;

    @Option(
            names = "--agents",
            description = "A third contender: Sluice's agents beside the nodes of Cassandra, and ./sluice cassandra"
                    + " replace-node.")
    private boolean agents;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            defaultValue = "${sys:sluice.home:-.}/conf/sluice.yaml",
            description = "Settings of Sluice's nodes (default: conf/sluice.yaml).")
    private Path config = Path.of("conf", "sluice.yaml");

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            defaultValue = "${sys:sluice.home:-.}/work",
            description = "Data, nodes, page and figures (default: work in Sluice's folder).")
    private Path workDir = Path.of("work");

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Where the page goes (default: replace.html in the work directory).")
    private @Nullable Path html;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Where the figures go (default: replace.json in the work directory).")
    private @Nullable Path json;

    /** Runs it, and ends the process. */
    public static void main(String[] arguments) {
        Program.run(new ReplaceBench(), arguments);
    }

    @Override
    @SuppressWarnings("try") // it is there for Ctrl-C
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        List<ReplaceCase> chosen = ReplaceCase.named(cases);
        requireSense();
        Wanted wanted = wanted();
        Optional<Path> hook = agents ? Optional.of(AgentsReplace.hookJar()) : Optional.empty();
        SluiceConfig settings = SluiceConfig.read(config);
        if (data != null) {
            SchemaFile.fileOf(given(data));
        }
        Thread worker = Thread.currentThread();
        try (WorkDirectory work = WorkDirectory.open(workDir);
                Interruption interruption = Interruption.of(
                        () -> {
                            System.err.println("sluice: cancelled, all nodes are stopped and removed");
                            worker.interrupt();
                        },
                        ExitCode.CANCELLED::number)) {
            Output output = new Output(
                    json == null ? work.root().resolve("replace.json") : json,
                    html == null ? work.root().resolve("replace.html") : html);
            Path home = work.root().resolve("compare-replace");
            try {
                clear(home); // of a run that was killed
                requireRoom(work, chosen);
                output.begin();
                ReplaceResult result = compare(work, home, new Plan(chosen, wanted, settings, hook));
                ReplaceTable.print(result, System.out);
                output.write(result);
            } finally {
                boolean wasInterrupted = Thread.interrupted(); // or files would stay
                clear(home);
                if (wasInterrupted) {
                    worker.interrupt();
                }
            }
        }
        return ExitCode.OK.number();
    }

    private void requireSense() {
        if (!with.equals("cassandra")) {
            throw new IllegalArgumentException("--with " + with + " (expected: cassandra)");
        }
        if (repeat < 1 || repeat > MOST_REPETITIONS) {
            throw new IllegalArgumentException("--repeat " + repeat + " (expected: 1 to " + MOST_REPETITIONS + ")");
        }
        if (version != null && distribution != null) {
            throw new IllegalArgumentException(
                    "--cassandra-version and --cassandra-home (expected: one of them; a distribution names its release)");
        }
    }

    /** Which Cassandra, and its jars if they are there already. */
    private record Wanted(Release release, Optional<ClassPath> jars) {}

    /** What is to be done. */
    private record Plan(List<ReplaceCase> cases, Wanted cassandra, SluiceConfig settings, Optional<Path> hook) {
        int steps(int repetitions) {
            return cases.size() * CaseRun.steps(hook.isPresent() ? 3 : 2, repetitions);
        }
    }

    private Wanted wanted() throws IOException {
        Optional<ClassPath> jars =
                distribution == null ? Optional.empty() : Optional.of(ClassPath.ofDistribution(distribution));
        Release release = jars.isPresent() ? jars.get().release().orElseThrow() : named();
        if (release.version().startsWith("4.0.")) {
            throw new IllegalArgumentException("Cassandra " + release + " (expected: 4.1 or 5.0)");
        }
        return new Wanted(release, jars);
    }

    private Release named() {
        try {
            return Release.of(version == null ? "5.0" : version);
        } catch (IOException e) {
            throw new IllegalArgumentException("--cassandra-version: " + e.getMessage(), e);
        }
    }

    private ReplaceResult compare(WorkDirectory work, Path home, Plan plan) throws IOException, InterruptedException {
        List<ReplaceCase> chosen = plan.cases();
        double load = Machine.load();
        String startedAt = Instant.now().toString();
        List<TableDirectory> tables = new ArrayList<>();
        for (ReplaceCase shape : chosen) {
            tables.add(table(work, shape));
        }
        for (TableDirectory table : tables) {
            requireRoom(work, new GivenNode(table).bytes(), 0);
        }
        AtomicReference<Step> step = new AtomicReference<>(Step.ofBytes("finding Cassandra", 0, 0));
        try (WorkProgress shown = WorkProgress.of(step::get)) {
            RunningCassandra.Binaries binaries = binaries(work, plan.cassandra());
            step.set(new Step("replacing", 0, plan.steps(repeat), "steps"));
            List<ReplaceResult.CaseResult> results = new ArrayList<>();
            for (int i = 0; i < chosen.size(); i++) {
                Path own = home.resolve(chosen.get(i).toString());
                results.add(new CaseRun(chosen.get(i), repeat, own, System.out, step, shown)
                        .run(tables.get(i), binaries, plan.settings(), plan.hook()));
            }
            return new ReplaceResult(
                    command(),
                    SluiceVersion.TEXT + ", Apache Cassandra " + binaries.release() + ", Java " + Runtime.version(),
                    Machine.text(work.root()),
                    startedAt,
                    load,
                    repeat,
                    results);
        }
    }

    private TableDirectory table(WorkDirectory work, ReplaceCase shape) throws IOException {
        if (data != null) {
            return given(data);
        }
        GeneratedData generated = generated(work, shape);
        return DataFolder.onlyTable("--data", generated.made("the data of case " + shape, System.out));
    }

    private static TableDirectory given(Path data) throws IOException {
        return DataFolder.onlyTable("--data", data.toAbsolutePath());
    }

    private GeneratedData generated(WorkDirectory work, ReplaceCase shape) {
        return shape == ReplaceCase.WHOLE
                ? GeneratedData.of(work, size, TokenRanges.FULL.ranges())
                : GeneratedData.overlapping(work, size);
    }

    private void requireRoom(WorkDirectory work, List<ReplaceCase> cases) throws IOException {
        if (data != null) {
            requireRoom(work, new GivenNode(given(data)).bytes(), 0);
        } else {
            long missing = cases.stream()
                    .filter(shape -> !generated(work, shape).isThere())
                    .count();
            requireRoom(work, size, missing);
        }
    }

    /** @param missing tables that are still to be generated */
    private static void requireRoom(WorkDirectory work, long tableBytes, long missing) throws IOException {
        long copies = COPIES + missing;
        long free = Files.getFileStore(work.root()).getUsableSpace();
        if (free / copies < tableBytes) {
            throw new IllegalArgumentException("--work-dir " + work.root() + ": " + ByteFormat.text(free)
                    + " are free there (expected: " + copies + " times the table, which has "
                    + ByteFormat.text(tableBytes) + "; a smaller --size needs less)");
        }
    }

    private static RunningCassandra.Binaries binaries(WorkDirectory work, Wanted wanted)
            throws IOException, InterruptedException {
        if (wanted.jars().isPresent()) {
            return new RunningCassandra.Binaries(wanted.release(), wanted.jars().get());
        }
        try {
            return new RunningCassandra.Binaries(
                    wanted.release(),
                    ClassPath.resolve(wanted.release(), work.root().resolve("compare-cassandra")));
        } catch (IOException e) {
            throw new IOException(e.getMessage() + "; or name an unpacked distribution by --cassandra-home DIR", e);
        }
    }

    /** Where figures and page go. */
    private record Output(Path figures, Path page) {
        void begin() {
            ReportFile.begin("--json", figures);
            ReportFile.begin("--html", page);
        }

        void write(ReplaceResult result) throws IOException {
            Json.MAPPER.writeValue(figures.toFile(), result);
            Files.writeString(page, HtmlReport.page(ReplaceBench.class, "replace.js", result));
            System.out.println("Page: " + page + ", for programs " + figures);
        }
    }

    private String command() {
        return "./sluice compare --with cassandra --replace --case " + cases
                + (data == null ? " --size " + size : " --data " + data) + " --repeat " + repeat
                + (agents ? " --agents" : "");
    }

    private static void clear(Path folder) throws IOException {
        if (Files.exists(folder)) {
            MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }
}
