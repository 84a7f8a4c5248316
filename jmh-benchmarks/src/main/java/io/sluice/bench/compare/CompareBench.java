package io.sluice.bench.compare;

import io.sluice.bench.CongestionControl;
import io.sluice.bench.DataFolder;
import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Dispersion;
import io.sluice.bench.process.Program;
import io.sluice.bench.process.Usage;
import io.sluice.harness.cassandra.SchemaFile;
import io.sluice.harness.cli.ReportFile;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.cli.TargetFolder;
import io.sluice.harness.content.RowsRead;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.HtmlReport;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.TextTable;
import io.sluice.harness.report.WorkProgress;
import io.sluice.harness.scenario.GeneratedData;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice compare}. Not thread-safe. */
@Command(
        name = "sluice compare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Moves the same part of a table in every way that there is, between two processes, side by side.",
        footer = {
            "",
            "A round runs every mode once. Before that each warms up for --warm-up seconds, twice, and the first move of",
            "each is checked: all bring the same content. A run ends when everything is durable and in its place. One",
            "connection each, but for 'files', which opens a second one as nodes do. Rates are of uncompressed rows.",
            "CPU is counted in steps of 10 ms for each run and process; of less than three '<' is shown,",
            "and no ratio.",
            "",
            "--with cassandra --replace compares the replacement of a dead node: see ./sluice compare --replace --help"
        })
public final class CompareBench implements Callable<Integer> {
    private static final String HEAP = "-Xmx512m";
    private static final double GIBIBYTE = 1L << 30;
    private static final int WARM_UP_ROUNDS = 2;
    private static final String DIGESTING = "digesting what is to move";

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The folder of one table, or one with a single table in it, in place of generated data.")
    private @Nullable Path data;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "How much to generate, once (default: 256MiB).")
    private long size = 256L << 20;

    @Option(
            names = "--ranges",
            paramLabel = "R",
            description =
                    "What to move: whole, half (of the ring), or vnodes:N, the N ranges of one of three nodes with"
                            + " N tokens each (default: half; with Cassandra whole: its nodes stream all they hold).")
    private @Nullable String ranges;

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds that count, 1 or more (default: 5).")
    private int rounds = 5;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description =
                    "How long each mode moves the same in each of two rounds that do not count (default: 3): fast modes"
                            + " move more often, so that their code is compiled as well as that of slow ones.")
    private int warmUpSeconds = 3;

    @Option(
            names = "--with",
            paramLabel = "cassandra",
            description =
                    "Adds rows measured on real Cassandra 5.0, which Maven fetches: its loader, and a second node that"
                            + " rebuilds, in whole SSTables and in rows.")
    private @Nullable String with;

    @Option(
            names = "--target",
            paramLabel = "DIR",
            description =
                    "Where files arrive: a disk, or a tmpfs as /dev/shm; made if need be (default: the work directory).")
    private @Nullable Path target;

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "Generated data, logs and the page (default: work in Sluice's folder).")
    private Path workDir = Path.of(System.getProperty("sluice.home", "."), "work");

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Where the page with the plots goes (default: compare.html in the work directory).")
    private @Nullable Path html;

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the figures here; - for the terminal.")
    private @Nullable String json;

    /** Runs it, and ends the process. */
    public static void main(String[] arguments) {
        Program.run(new CompareBench(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        String choice = Objects.requireNonNullElse(ranges, with == null ? "half" : "whole");
        TokenRanges wanted = RangeChoice.of(choice);
        Program.requireAtLeast("--rounds", rounds, 1);
        Program.requireAtLeast("--size", size, 1);
        if (warmUpSeconds < 0) {
            throw new IllegalArgumentException("--warm-up " + warmUpSeconds + " (expected: 0 or more seconds)");
        }
        if (with != null && !(with.equals("cassandra") && choice.equals("whole"))) {
            throw new IllegalArgumentException("--with " + with
                    + " (expected: --with cassandra --ranges whole; its nodes stream all that they hold)");
        }
        Optional<TableDirectory> given =
                data == null ? Optional.empty() : Optional.of(DataFolder.onlyTable("--data", data.toAbsolutePath()));
        if (given.isPresent()) {
            requireFits(given.get(), new Choice(choice, wanted));
        }
        TargetFolder.require(target);
        PrintStream people = "-".equals(json) ? System.err : System.out;
        try (WorkDirectory work = WorkDirectory.open(workDir)) {
            Path page = html == null ? work.root().resolve("compare.html") : html;
            Program.beginJson(json);
            ReportFile.begin("--html", page);
            TableDirectory table = given.isPresent() ? given.get() : generated(work, people);
            CompareResult result = compare(work, table, new Choice(choice, wanted), people);
            if (with != null) {
                Path nodes = work.root().resolve("compare-cassandra");
                result = result.with(new CassandraRows(table, nodes, rounds, result.dataBytes(), people).measure());
            }
            print(result, people);
            CongestionControl.ofSystem().warning().ifPresent(people::println);
            Files.writeString(page, HtmlReport.page(CompareBench.class, "compare.js", result));
            people.println("Plots: " + page);
            Program.writeJson(result, json);
        }
        return 0;
    }

    /** Before reports are begun; of generated data both are true. */
    private void requireFits(TableDirectory given, Choice choice) throws IOException {
        if (with != null) {
            SchemaFile.fileOf(given);
        }
        for (SSTable source : TableFiles.open(given)) {
            if (!source.sections(choice.ranges()).isEmpty()) {
                return;
            }
        }
        throw nothingIn(given, choice);
    }

    private static IllegalArgumentException nothingIn(TableDirectory table, Choice choice) {
        return new IllegalArgumentException("--ranges " + choice.name() + ": no partition of " + table.path()
                + " lies there (expected: some of them)");
    }

    private TableDirectory generated(WorkDirectory work, PrintStream people) throws IOException, ScenarioException {
        Path table = GeneratedData.of(work, size, TokenRanges.FULL.ranges()).made("the data", people);
        return DataFolder.onlyTable("--data", table);
    }

    /** What to move, and how it is called on the command line. */
    private record Choice(String name, TokenRanges ranges) {}

    private CompareResult compare(WorkDirectory work, TableDirectory table, Choice choice, PrintStream people)
            throws IOException, InterruptedException {
        List<SSTable> sources = TableFiles.open(table);
        ContentDigest expected = digest(sources, choice.ranges());
        if (expected.equals(ContentDigest.EMPTY)) {
            throw nothingIn(table, choice); // sections may hold what has expired
        }
        Map<Mode, List<Run>> runs = run(work, table, choice.name(), expected, people);
        long dataBytes = 0;
        double storedBytes = 0;
        int touched = 0;
        for (SSTable source : sources) {
            long bytes = source.sections(choice.ranges()).stream()
                    .mapToLong(Section::lengthBytes)
                    .sum();
            dataBytes += bytes;
            storedBytes += (double) source.bytesOnDisk() * bytes / source.dataLengthBytes();
            touched += bytes > 0 ? 1 : 0;
        }
        return new CompareResult(
                table.keyspace() + "." + table.name(),
                choice.name(),
                dataBytes,
                Math.round(storedBytes),
                touched,
                warmUpSeconds,
                rounds,
                expected.hex(),
                machine(),
                CompareResult.rows(runs, dataBytes, Math.round(storedBytes)),
                Published.of(runs));
    }

    @SuppressWarnings("try") // it is shown meanwhile
    private static ContentDigest digest(List<SSTable> sources, TokenRanges ranges) throws IOException {
        AtomicReference<Step> step = new AtomicReference<>(Step.ofBytes(DIGESTING, 0, 0));
        try (WorkProgress shown = WorkProgress.of(step::get)) {
            return digest(sources, ranges, step);
        }
    }

    /** @param step learns how far it is */
    static ContentDigest digest(List<SSTable> sources, TokenRanges ranges, AtomicReference<Step> step)
            throws IOException {
        long total = 0;
        for (SSTable source : sources) {
            total += RowsRead.bytes(source, ranges);
        }
        step.set(Step.ofBytes(DIGESTING, 0, total));
        List<SSTable> watched = new ArrayList<>();
        for (SSTable source : sources) {
            watched.add(RowsRead.watched(source, ranges, more -> step.updateAndGet(now -> now.plus(more))));
        }
        return ContentDigest.of(watched, ranges);
    }

    private Path arrival(WorkDirectory work) {
        return (target == null ? work.root() : target).toAbsolutePath();
    }

    private static String machine() throws IOException {
        return "Java " + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors() + " processors, "
                + System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", heap " + HEAP
                + " for each process, congestion control " + CongestionControl.ofSystem() + ".";
    }

    private Map<Mode, List<Run>> run(
            WorkDirectory work, TableDirectory table, String ranges, ContentDigest expected, PrintStream people)
            throws IOException, InterruptedException {
        Path log = work.root().resolve("compare.log");
        String port = Integer.toString(FreePort.onLoopback());
        String rowPort = Integer.toString(FreePort.onLoopback());
        String folder = table.path().toString();
        String arrive = arrival(work).toString();
        Map<Mode, List<Run>> runs = new EnumMap<>(Mode.class);
        int turns = (WARM_UP_ROUNDS + rounds) * Mode.values().length;
        AtomicReference<Step> step = new AtomicReference<>(new Step("moving", 0, turns, "turns"));
        try (WorkProgress shown = WorkProgress.of(step::get);
                ChildProcess sender =
                        ChildProcess.start(ModePeer.class, List.of(HEAP), log, "send", folder, port, rowPort, ranges);
                ChildProcess receiver = ChildProcess.start(
                        ModePeer.class, List.of(HEAP), log, "receive", folder, port, rowPort, arrive, ranges)) {
            for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
                String name = round < 0
                        ? "warming up, " + (round + WARM_UP_ROUNDS + 1) + " of " + WARM_UP_ROUNDS
                        : "round " + (round + 1) + " of " + rounds;
                for (Mode mode : Mode.values()) {
                    step.updateAndGet(now -> now.noting(mode.label() + ", " + name));
                    if (round < 0) {
                        warmUp(mode, round == -WARM_UP_ROUNDS ? expected.toString() : "", sender, receiver);
                    } else {
                        runs.computeIfAbsent(mode, any -> new ArrayList<>()).add(move(mode, "", sender, receiver));
                    }
                    step.updateAndGet(now -> now.plus(1));
                }
                shown.aside(() -> people.println(name + ": done"));
            }
        } catch (IOException failed) {
            throw new IOException(failed.getMessage() + "; its log: " + log, failed);
        }
        return runs;
    }

    private void warmUp(Mode mode, String expected, ChildProcess sender, ChildProcess receiver)
            throws IOException, InterruptedException {
        double moved = move(mode, expected, sender, receiver).seconds();
        while (moved < warmUpSeconds) {
            moved += move(mode, "", sender, receiver).seconds();
        }
    }

    private static Run move(Mode mode, String expected, ChildProcess sender, ChildProcess receiver)
            throws IOException, InterruptedException {
        Usage before = sender.ask("usage", Usage.class);
        ModePeer.Moved moved =
                receiver.ask(expected.isEmpty() ? mode.name() : "check " + mode.name(), ModePeer.Moved.class);
        Usage used = sender.ask("usage", Usage.class).since(before);
        if (!moved.digest().equals(expected)) {
            throw new IOException(mode.label() + " brought other content: " + moved.digest() + " (expected: " + expected
                    + "); nothing is compared");
        }
        return new Run(
                moved.seconds(),
                used.cpuSeconds(),
                moved.usage().cpuSeconds(),
                used.allocatedBytes(),
                moved.usage().allocatedBytes(),
                moved.wireBytes(),
                moved.filesBytes(),
                moved.sstables());
    }

    private static void print(CompareResult result, PrintStream out) {
        out.println();
        TextTable table = new TextTable(
                "mode",
                "MiB/s",
                "min",
                "max",
                "CPU s/GiB: sender",
                "receiver",
                "wire/rest",
                "MiB alloc/GiB",
                "SSTables");
        double gibibytes = result.dataBytes() / GIBIBYTE;
        for (CompareResult.Row row : result.modes()) {
            table.row(
                    row.mode(),
                    text(row.rate().median()),
                    text(row.rate().min()),
                    text(row.rate().max()),
                    Usage.text(row.senderCpu().median(), gibibytes, CompareBench::text),
                    Usage.text(row.receiverCpu().median(), gibibytes, CompareBench::text),
                    median(row.wireRatio()),
                    median(row.allocated()),
                    row.sstables() == 0 ? "-" : Integer.toString(row.sstables()));
        }
        table.print(out);
        TextTable claims = new TextTable("published", "their ratio", "ours");
        for (Published claim : result.published()) {
            claims.row(
                    claim.claim(),
                    claim.ratio(),
                    claim.ours().map(CompareBench::text).orElse("-"));
        }
        claims.print(out);
        out.println("All modes brought the same content: " + result.digest());
    }

    private static String median(@Nullable Dispersion spread) {
        return spread == null ? "-" : text(spread.median());
    }

    private static String text(Dispersion spread) {
        return text(spread.median()) + " (" + text(spread.min()) + " to " + text(spread.max()) + ")";
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }
}
