package io.sluice.bench.transfer;

import io.sluice.bench.OneTableStore;
import io.sluice.bench.Scratch;
import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Machine;
import io.sluice.bench.process.Program;
import io.sluice.harness.cli.RateConverter;
import io.sluice.harness.cli.ReportFile;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.report.HtmlReport;
import io.sluice.harness.report.SluiceVersion;
import io.sluice.harness.report.Spread;
import io.sluice.harness.report.TextTable;
import io.sluice.harness.scenario.FreeMemory;
import io.sluice.harness.scenario.GeneratedData;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench reads}. Not thread-safe. */
@Command(
        name = "sluice bench reads",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Reads and writes in a node's own store, alone and while a table streams into the node.",
        footer = {
            "",
            "100 reads and 100 writes a second, 500 of each in every fifth second, each counted from when it was due; the"
                    + " 1,000 partitions that are read stay in the page cache, and writes are acknowledged when they are there.",
            "Before each run memory is fetched and the table is read; the first round warms up and is not counted.",
            "'default' is a plan of a node that serves clients as it comes, 'full speed' one with"
                    + " streaming_duty_beside_clients at 100%%, 'signal' one whose store says when its reads are slow"
                    + " (StreamOptions.foregroundLoad)."
        })
public final class ReadsBench implements Callable<Integer> {
    /** For no setting. */
    static final String DEFAULT_DUTY = "-";

    private static final String ALONE = "alone";
    private static final long KIBIBYTE = 1 << 10;
    private static final long MEBIBYTE = 1 << 20;
    /** With one burst in it. */
    private static final int SHORTEST_RUN = 5;

    private static final int LONGEST_RUN = 600;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Size of the table that is read, and of the one that streams (default: 1GiB).")
    private long size = 1L << 30;

    @Option(
            names = "--throttle",
            paramLabel = "RATE",
            split = ",",
            converter = RateConverter.class,
            description = "Limits of what arrives to try (default: 200MiB/s,100MiB/s,50MiB/s).")
    private List<Long> throttles = List.of(200L << 20, 100L << 20, 50L << 20);

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds that count, 1 or more (default: 5).")
    private int rounds = 5;

    @Option(names = "--seconds", paramLabel = "N", description = "How long each run takes, 5 to 600 (default: 10).")
    private int seconds = 10;

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "Generated data, and what arrives (default: work in Sluice's folder).")
    private Path workDir = Path.of(System.getProperty("sluice.home", "."), "work");

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the figures here; - for the terminal.")
    private @Nullable String json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Where the page goes (default: reads.html in the work directory).")
    private @Nullable Path html;

    /** Runs it, and ends the process. */
    public static void main(String[] arguments) {
        Program.run(new ReadsBench(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        Program.requireAtLeast("--rounds", rounds, 1);
        Program.requireBetween("--seconds", seconds, SHORTEST_RUN, LONGEST_RUN);
        Program.requireAtLeast("--size", size, 1);
        throttles.forEach(throttle -> Program.requireAtLeast("--throttle", throttle, 1));
        PrintStream people = "-".equals(json) ? System.err : System.out;
        double load = Machine.load();
        String startedAt = Instant.now().toString();
        try (WorkDirectory work = WorkDirectory.open(workDir)) {
            Path page = html == null ? work.root().resolve("reads.html") : html;
            Program.beginJson(json);
            ReportFile.begin("--html", page);
            GeneratedData data = GeneratedData.of(work, size, TokenRanges.FULL.ranges());
            Path table = data.made("the data", people);
            Path target = Scratch.directory(work.root(), "reads");
            List<ReadsResult.Run> runs;
            try {
                runs = ReadsResult.runs(measure(work, table, target, people), ALONE);
            } finally {
                Scratch.delete(target);
            }
            String versions = SluiceVersion.TEXT + ", Java " + Runtime.version();
            ReadsResult result = new ReadsResult(
                    command(), versions, Machine.text(work.root()), startedAt, load, rounds, seconds, runs);
            print(result, people);
            Program.writeJson(result, json);
            Files.writeString(page, HtmlReport.page(ReadsBench.class, "reads.js", result));
            people.println("Page: " + page);
        }
        return 0;
    }

    private String command() {
        return "./sluice bench reads --size " + exact(size) + " --throttle "
                + throttles.stream().map(rate -> exact(rate) + "/s").collect(Collectors.joining(","))
                + " --rounds " + rounds + " --seconds " + seconds;
    }

    private static String exact(long bytes) {
        if (bytes % MEBIBYTE == 0) {
            return bytes / MEBIBYTE + "MiB";
        }
        return bytes % KIBIBYTE == 0 ? bytes / KIBIBYTE + "KiB" : bytes + "B";
    }

    /** What is asked of the reading node, by the name of the run; the one alone is the first. */
    Map<String, String> questions() {
        Map<String, String> questions = new LinkedHashMap<>();
        questions.put(ALONE, "alone " + seconds + " 0 " + DEFAULT_DUTY);
        questions.put("default", "beside " + seconds + " 0 " + DEFAULT_DUTY);
        questions.put("full speed", "beside " + seconds + " 0 100%");
        for (long throttle : throttles) {
            questions.put(exact(throttle) + "/s", "beside " + seconds + " " + throttle + " " + DEFAULT_DUTY);
        }
        questions.put("signal", "signal " + seconds + " 0 " + DEFAULT_DUTY);
        return questions;
    }

    /** First the one alone, which limits the one with a signal, then the others, each round from another one on. */
    private static List<Map.Entry<String, String>> inTurn(Map<String, String> questions, int round) {
        List<Map.Entry<String, String>> ordered = new ArrayList<>(questions.entrySet());
        Collections.rotate(ordered.subList(1, ordered.size()), -round);
        return ordered;
    }

    private Map<String, List<ReadsPeer.Measured>> measure(
            WorkDirectory work, Path table, Path target, PrintStream people) throws IOException, InterruptedException {
        Map<String, String> questions = questions();
        Map<String, List<ReadsPeer.Measured>> samples = new LinkedHashMap<>();
        questions.keySet().forEach(run -> samples.put(run, new ArrayList<>()));
        Path log = work.root().resolve("bench-reads.log");
        // The collector that databases use: of the serial one a pause of 50 ms was the slowest hundredth by itself.
        List<String> options = List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch", "-XX:+UseG1GC");
        String from = "127.0.0.1:" + FreePort.onLoopback();
        String here = "127.0.0.1:" + FreePort.onLoopback();
        try (ChildProcess sender =
                        ChildProcess.start(TransferPeer.class, options, log, "send", table.toString(), from, "1", "-");
                ChildProcess reader = ChildProcess.start(
                        ReadsPeer.class, options, log, table.toString(), from, target.toString(), here)) {
            for (int round = 0; round <= rounds; round++) {
                people.println(round == 0 ? "warms up, for one round" : "round " + round + " of " + rounds);
                for (Map.Entry<String, String> run : inTurn(questions, round)) {
                    FreeMemory.fetch(target, (EndlessStream.MOST_TO_REMOVE + 1) * size); // of all copies that are there
                    read(table);
                    ReadsPeer.Measured measured = reader.ask(run.getValue(), ReadsPeer.Measured.class);
                    if (round > 0) {
                        samples.getOrDefault(run.getKey(), List.of()).add(measured);
                    }
                }
            }
            sender.ask("usage", TransferPeer.Sent.class); // it has lived to the end
        }
        return samples;
    }

    /** So that it is in the page cache: some kernels page out what was not read for a minute. */
    private static void read(Path table) throws IOException {
        for (Path file : OneTableStore.files(table)) {
            Files.copy(file, OutputStream.nullOutputStream());
        }
    }

    static void print(ReadsResult result, PrintStream out) {
        TextTable table = new TextTable(
                "stream",
                "arrives, MiB/s",
                "reads: p50, µs",
                "p99, µs (least to greatest)",
                "p99 ÷ alone",
                "in bursts",
                "writes");
        for (ReadsResult.Run run : result.runs()) {
            table.row(
                    run.name(),
                    text(run.arrivedMibPerSecond().median(), 0),
                    text(run.p50Micros().median(), 0),
                    spread(run.p99Micros(), 0),
                    spread(run.p99Ratio(), 2),
                    spread(run.burstP99Ratio(), 2),
                    spread(run.writeP99Ratio(), 2));
        }
        table.print(out);
        out.println(
                "Medians of the rounds. The last three columns are 99th percentiles divided by those alone. Those of reads"
                        + " are outside bursts, or in them alone; those of writes are of all.");
    }

    private static String spread(Spread spread, int digits) {
        return text(spread.median(), digits) + " (" + text(spread.least(), digits) + " to "
                + text(spread.most(), digits) + ")";
    }

    private static String text(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
