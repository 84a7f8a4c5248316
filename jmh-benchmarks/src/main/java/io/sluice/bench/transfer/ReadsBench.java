package io.sluice.bench.transfer;

import io.sluice.bench.Scratch;
import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Dispersion;
import io.sluice.bench.process.Program;
import io.sluice.harness.cli.RateConverter;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.report.TextTable;
import io.sluice.harness.scenario.FreeMemory;
import io.sluice.harness.scenario.GeneratedData;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench reads}. Not thread-safe. */
@Command(
        name = "sluice bench reads",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Reads partitions of a node's own store, alone and while a table streams into the node.",
        footer = {
            "",
            "100 reads a second, each counted from when it was due; the partitions that are read fit in memory.",
            "The runs of a round follow each other at once; the first round warms up and is not counted.",
            "'yielding' has no limit, but the store says when its reads are slow (ForegroundLoad)."
        })
public final class ReadsBench implements Callable<Integer> {
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

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds that count (default: 5).")
    private int rounds = 5;

    @Option(names = "--seconds", paramLabel = "N", description = "How long each run takes (default: 10).")
    private int seconds = 10;

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "Generated data, and what arrives (default: work in Sluice's folder).")
    private Path workDir = Path.of(System.getProperty("sluice.home", "."), "work");

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the figures here; - for the terminal.")
    private @Nullable String json;

    /**
     * The runs of one kind.
     *
     * @param arrivedMibPerSecond what streamed meanwhile
     * @param p50Micros and the 99th percentile, in microseconds
     * @param p99Ratio to that of the run alone of the same round
     */
    record Figures(
            String run,
            Dispersion arrivedMibPerSecond,
            Dispersion p50Micros,
            Dispersion p99Micros,
            Dispersion p99Ratio) {}

    /** Runs it, and ends the process. */
    public static void main(String[] arguments) {
        Program.run(new ReadsBench(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        PrintStream people = "-".equals(json) ? System.err : System.out;
        List<Figures> figures;
        try (WorkDirectory work = WorkDirectory.open(workDir)) {
            GeneratedData data = GeneratedData.of(work, size, TokenRanges.FULL.ranges());
            Path table = data.made("the data", people);
            Path target = Files.createTempDirectory(work.root(), "reads");
            try {
                figures = measure(work, table, target);
            } finally {
                Scratch.delete(target);
            }
        }
        print(figures, people);
        Program.writeJson(figures, json);
        return 0;
    }

    /** What is asked of the reading node, by the name of the run; the one alone is the first. */
    private Map<String, String> questions() {
        Map<String, String> questions = new LinkedHashMap<>();
        questions.put("alone", "alone " + seconds + " 0");
        questions.put("full speed", "beside " + seconds + " 0");
        for (long throttle : throttles) {
            questions.put((throttle >> 20) + " MiB/s", "beside " + seconds + " " + throttle);
        }
        questions.put("yielding", "yielding " + seconds + " 0");
        return questions;
    }

    private List<Figures> measure(WorkDirectory work, Path table, Path target)
            throws IOException, InterruptedException {
        Map<String, String> questions = questions();
        Map<String, List<ReadsPeer.Read>> samples = new LinkedHashMap<>();
        questions.keySet().forEach(run -> samples.put(run, new ArrayList<>()));
        Path log = work.root().resolve("bench-reads.log");
        List<String> options = List.of("-Xmx512m");
        String from = "127.0.0.1:" + FreePort.onLoopback();
        String here = "127.0.0.1:" + FreePort.onLoopback();
        try (ChildProcess sender =
                        ChildProcess.start(TransferPeer.class, options, log, "send", table.toString(), from, "1", "-");
                ChildProcess reader = ChildProcess.start(
                        ReadsPeer.class, options, log, table.toString(), from, target.toString(), here)) {
            for (int round = -1; round < rounds; round++) {
                for (Map.Entry<String, String> run : questions.entrySet()) {
                    FreeMemory.fetch(target, 2 * size); // of a copy that arrives, and of the next one
                    ReadsPeer.Read read = reader.ask(run.getValue(), ReadsPeer.Read.class);
                    if (round >= 0) {
                        samples.getOrDefault(run.getKey(), List.of()).add(read);
                    }
                }
            }
            sender.ask("usage", TransferPeer.Sent.class); // it has lived to the end
        }
        List<ReadsPeer.Read> alone = samples.getOrDefault("alone", List.of());
        return samples.entrySet().stream()
                .map(run -> figures(run.getKey(), run.getValue(), alone))
                .toList();
    }

    private static Figures figures(String run, List<ReadsPeer.Read> reads, List<ReadsPeer.Read> alone) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < reads.size(); round++) {
            ratios.add(reads.get(round).p99() / alone.get(round).p99());
        }
        return new Figures(
                run,
                Dispersion.of(reads.stream()
                        .map(read -> read.streamedBytes() / (double) (1 << 20) / read.seconds())
                        .toList()),
                Dispersion.of(reads.stream().map(ReadsPeer.Read::p50).toList()),
                Dispersion.of(reads.stream().map(ReadsPeer.Read::p99).toList()),
                Dispersion.of(ratios));
    }

    private static void print(List<Figures> figures, PrintStream out) {
        TextTable table = new TextTable(
                "stream", "arrives, MiB/s", "reads: p50, µs", "p99, µs (least to greatest)", "p99 / alone (…)");
        for (Figures run : figures) {
            table.row(
                    run.run(),
                    text(run.arrivedMibPerSecond().median(), 0),
                    text(run.p50Micros().median(), 0),
                    spread(run.p99Micros(), 0),
                    spread(run.p99Ratio(), 2));
        }
        table.print(out);
        out.println("Medians of the rounds.");
    }

    private static String spread(Dispersion spread, int digits) {
        return text(spread.median(), digits) + " (" + text(spread.min(), digits) + " to " + text(spread.max(), digits)
                + ")";
    }

    private static String text(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
