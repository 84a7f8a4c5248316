package io.sluice.bench.transfer;

import io.sluice.bench.DataFolder;
import io.sluice.bench.Scratch;
import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Dispersion;
import io.sluice.bench.process.Program;
import io.sluice.bench.process.Usage;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.cli.TargetFolder;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.TextTable;
import io.sluice.harness.scenario.FreeMemory;
import io.sluice.harness.scenario.GeneratedData;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.harness.security.TrialAuthority;
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
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench transfer}. Not thread-safe. */
@Command(
        name = "sluice bench transfer",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Moves whole SSTables between two processes, beside a C program that moves the same files.",
        footer = {
            "",
            "The runs of a round follow each other at once, so that ratios compare what the machine could do at that",
            "time; the first rounds warm up and are not counted. Without a C compiler (cc) only our own runs are made.",
            "Our CPU is counted in steps of 10 ms for each run and process; of less than three '<' is shown,",
            "and no ratio."
        })
public final class TransferBench implements Callable<Integer> {
    private static final double GIBIBYTE = 1L << 30;
    private static final double HALF = 0.5;
    private static final String HEAP = "-Xmx256m";
    private static final int MOST_CONNECTIONS = 32;
    private static final int WARM_UP_ROUNDS = 6; // after three, compilers still take a quarter of the sender's CPU

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "How much to move, generated once (default: 2GiB).")
    private long size = 2L << 30;

    @Option(
            names = "--sstable",
            paramLabel = "DIR",
            description =
                    "The folder of one table to move, <keyspace>/<table>-<id>, or one with a single table in it, in place of"
                            + " generated data.")
    private @Nullable Path existing;

    @Option(
            names = "--files",
            paramLabel = "N",
            description = "SSTables to generate, 1 or more (default: 1 for each 160 MiB).")
    private @Nullable Integer sstables;

    @Option(names = "--connections", paramLabel = "N", description = "Data connections, 1 to 32 (default: 1).")
    private int connections = 1;

    @Option(
            names = "--tls",
            description =
                    "Encrypts Sluice's connections (the C program's never are); the TLS library runs beside it, over as many.")
    private boolean tls;

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds that count, 1 or more (default: 7).")
    private int rounds = 7;

    @Option(
            names = "--target",
            paramLabel = "DIR",
            description = "Where files arrive: a disk, or a tmpfs as /dev/shm (default: the work directory).")
    private @Nullable Path target;

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "Generated data (default: work in Sluice's folder).")
    private Path workDir = Path.of(System.getProperty("sluice.home", "."), "work");

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the figures here; - for the terminal.")
    private @Nullable String json;

    /** Runs it, and ends the process. */
    public static void main(String[] arguments) {
        Program.run(new TransferBench(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        Program.requireAtLeast("--size", size, 1);
        if (sstables != null) {
            Program.requireAtLeast("--files", sstables, 1);
        }
        Program.requireBetween("--connections", connections, 1, MOST_CONNECTIONS);
        Program.requireAtLeast("--rounds", rounds, 1);
        Optional<Path> given = existing == null
                ? Optional.empty()
                : Optional.of(DataFolder.onlyTable("--sstable", existing.toAbsolutePath())
                        .path());
        TargetFolder.require(target);
        PrintStream people = "-".equals(json) ? System.err : System.out;
        try (WorkDirectory work = WorkDirectory.open(workDir)) {
            Program.beginJson(json);
            Path table = given.isPresent() ? given.get() : generated(work, people);
            TransferResult result = measure(work, table, people);
            print(result, people);
            Program.writeJson(result, json);
        }
        return 0;
    }

    private Path generated(WorkDirectory work, PrintStream people) throws IOException, ScenarioException {
        GeneratedData data = sstables == null
                ? GeneratedData.of(work, size, TokenRanges.FULL.ranges())
                : new GeneratedData(work, size, TokenRanges.FULL.ranges(), sstables, 1);
        return data.made("the data", people);
    }

    private TransferResult measure(WorkDirectory work, Path table, PrintStream people)
            throws IOException, InterruptedException {
        Path arrive = target == null ? work.root() : target;
        Path log = work.root().resolve("bench-transfer.log");
        String port = loopback();
        String count = Integer.toString(connections);
        Optional<Yardstick> yardstick = Yardstick.compile(
                Path.of(System.getProperty("sluice.home", "."), "jmh-benchmarks", "src", "main", "c", "yardstick.c"),
                work.root(),
                connections,
                arrive,
                table);
        if (yardstick.isEmpty()) {
            people.println("No C compiler (cc): the yardstick is left out.");
        }
        long bytes = TableFiles.openAll(table).stream()
                .mapToLong(TableFiles::bytesOnDisk)
                .sum();
        Map<Variant, List<Sample>> samples = new EnumMap<>(Variant.class);
        String pem = tls ? certificates(work).toString() : "-";
        String from = table.toString();
        String to = arrive.toString();
        try (ChildProcess sender =
                        ChildProcess.start(TransferPeer.class, options(arrive), log, "send", from, port, count, pem);
                ChildProcess unsynced = ChildProcess.start(
                        TransferPeer.class,
                        options(arrive),
                        log,
                        "receive",
                        from,
                        port,
                        count,
                        pem,
                        to,
                        "false",
                        loopback());
                ChildProcess durable = ChildProcess.start(
                        TransferPeer.class,
                        options(arrive),
                        log,
                        "receive",
                        from,
                        port,
                        count,
                        pem,
                        to,
                        "true",
                        loopback())) {
            double checking = unsynced.ask("crc", TransferPeer.Checked.class).cpuSecondsPerGib();
            for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
                for (Variant variant : Variant.values()) {
                    FreeMemory.fetch(arrive, bytes);
                    Optional<Sample> sample = run(variant, yardstick, sender, unsynced, durable);
                    if (round >= 0 && sample.isPresent()) {
                        samples.computeIfAbsent(variant, any -> new ArrayList<>())
                                .add(sample.get());
                    }
                }
                people.println(round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds);
            }
            try (var files = Files.list(table)) {
                int components = Math.toIntExact(
                        files.filter(file -> file.toString().endsWith(".db")).count());
                return TransferResult.of(components, connections, checking, samples);
            }
        }
    }

    /**
     * Of the processes that stream. What the second compiler does in a process that lives for a minute is no cost of a
     * transfer, and little there is to compile: system calls and checksums. TLS may need it for ciphers of the JDK. A
     * few hundred messages for each GiB would leave most of the code to the interpreter, as it never is in a database.
     */
    private List<String> options(Path arrive) {
        String scratch = "-Dsluice.bench.target=" + arrive; // the sender writes slices where files arrive
        return tls
                ? List.of(HEAP, scratch)
                : List.of(HEAP, scratch, "-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=0.05");
    }

    private static String loopback() throws IOException {
        return "127.0.0.1:" + FreePort.onLoopback();
    }

    private static Path certificates(WorkDirectory work) throws IOException {
        Path folder = Scratch.directory(work.root(), "bench-tls");
        TrialAuthority authority = new TrialAuthority(folder);
        authority.issue("send", "127.0.0.1", TransferPeer.SENDER);
        authority.issue("receive", "127.0.0.1", TransferPeer.RECEIVER);
        return folder;
    }

    private Optional<Sample> run(
            Variant variant,
            Optional<Yardstick> yardstick,
            ChildProcess sender,
            ChildProcess unsynced,
            ChildProcess durable)
            throws IOException, InterruptedException {
        return switch (variant) {
            case SLUICE -> Optional.of(Sample.of("move", sender, unsynced));
            case SLUICE_DURABLE -> Optional.of(Sample.of("move", sender, durable));
            case SLICES -> Optional.of(Sample.of(TransferPeer.slice(HALF), sender, unsynced));
            case SLICES_DURABLE -> Optional.of(Sample.of(TransferPeer.slice(HALF), sender, durable));
            case TLS_ALONE -> tls ? Optional.of(Sample.of("tls", sender, unsynced)) : Optional.empty();
            case C_RW -> yardstick(yardstick, "rw", false);
            case C_RW_DURABLE -> yardstick(yardstick, "rw", true);
            case C_SPLICE -> yardstick(yardstick, "splice", false);
            case C_SPLICE_DURABLE -> yardstick(yardstick, "splice", true);
        };
    }

    private static Optional<Sample> yardstick(Optional<Yardstick> yardstick, String receiver, boolean durable)
            throws IOException, InterruptedException {
        return yardstick.isEmpty()
                ? Optional.empty()
                : Optional.of(yardstick.get().move(receiver, durable));
    }

    private static void print(TransferResult result, PrintStream out) {
        TextTable table =
                new TextTable("variant", "GiB/s", "min", "max", "IQR %", "sender CPU s/GiB", "receiver CPU s/GiB");
        for (Variant variant : Variant.values()) {
            TransferResult.Row row = result.variants().get(variant.label());
            if (row != null) {
                table.row(
                        variant.label(),
                        text(row.rate().median()),
                        text(row.rate().min()),
                        text(row.rate().max()),
                        String.format(
                                Locale.ROOT,
                                "%.0f",
                                100
                                        * row.rate().interquartileRange()
                                        / row.rate().median()),
                        cpu(row.cpuSecondsPerGib().sender(), row.bytes()),
                        cpu(row.cpuSecondsPerGib().receiver(), row.bytes()));
            }
        }
        out.println();
        table.print(out);
        result.ratioToC().ifPresent(ratio -> out.println("Throughput, of C's best:          " + text(ratio)));
        result.durableRatioToC().ifPresent(ratio -> out.println("Durable and installed, of C's:    " + text(ratio)));
        result.cpuRatioToC().ifPresent(ratio -> out.println("CPU of both sides, of C's:        " + text(ratio)));
        result.senderCpuRatioToC().ifPresent(ratio -> out.println("  of the sender:                  " + text(ratio)));
        result.receiverCpuRatioToC()
                .ifPresent(ratio -> out.println("  of the receiver:                " + text(ratio)));
        out.println("    of which checking takes       " + text(result.checkingCpuSecondsPerGib()) + " CPU s/GiB");
        result.ratioToTlsAlone().ifPresent(ratio -> out.println("Throughput, of TLS alone:         " + text(ratio)));
        out.println("Slices, of whole SSTables:        " + text(result.sliceRatioToWhole()));
        out.println("The same, durable and installed:  " + text(result.durableSliceRatioToWhole()));
        out.printf(
                Locale.ROOT,
                "Allocated for each GiB:           sender %.0f KiB, receiver %.0f KiB%n",
                result.allocatedBytesPerGib().sender() / 1024,
                result.allocatedBytesPerGib().receiver() / 1024);
        printCounts(result, out);
    }

    private static String cpu(Optional<Double> secondsPerGib, long bytes) {
        return secondsPerGib
                .map(TransferBench::text)
                .orElseGet(() -> Usage.text(0, bytes / GIBIBYTE, TransferBench::text));
    }

    private static void printCounts(TransferResult result, PrintStream out) {
        TransferResult.Counts counts = result.countsPerGib();
        out.printf(
                Locale.ROOT,
                "Calls for each GiB:               sender %.0f regions; receiver %.0f reads, %.0f writes%n",
                counts.regions(),
                counts.socketReads(),
                counts.fileWrites());
        out.printf(
                Locale.ROOT,
                "Syncs of a durable run:           %.0f for %d files%n",
                counts.syncsOfDurableRun(),
                result.files());
    }

    private static String text(Dispersion spread) {
        return text(spread.median()) + " (" + text(spread.min()) + " to " + text(spread.max()) + ")";
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
