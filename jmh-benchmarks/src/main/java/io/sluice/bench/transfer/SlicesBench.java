package io.sluice.bench.transfer;

import io.sluice.bench.Scratch;
import io.sluice.bench.UniformTable;
import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Dispersion;
import io.sluice.bench.process.Program;
import io.sluice.bench.process.Usage;
import io.sluice.harness.cli.TargetFolder;
import io.sluice.harness.report.TextTable;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.tools.FreePort;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench slices}. Not thread-safe. */
@Command(
        name = "sluice bench slices",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Moves SSTables whole, then a part of each as a slice: tiny partitions and rows of 1 KiB, nb and da.",
        footer = {
            "",
            "Each table has a process that sends and one that receives. The runs of a round follow each other at once, so",
            "that ratios compare what the machine could do at that time; the first rounds warm up and are not counted.",
            "CPU of processes is counted in steps of 10 ms for each run, and '<' is shown of less than three; that of",
            "'cut' exactly."
        })
public final class SlicesBench implements Callable<Integer> {
    /** The default compilers: what is measured is code for each partition, which a node has long compiled. */
    private static final List<String> HEAP = List.of("-Xmx1g");

    private static final double GIBIBYTE = 1L << 30;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int MOST_SSTABLES = 100;
    private static final int WARM_UP_ROUNDS = 6;
    private static final long BYTES_OF_LARGE_ROWS = 256L << 20;
    private static final int LARGE_ROW_BYTES = 1 << 10;
    /** With it partitions of {@code da} have the 29 or 30 bytes that those of {@code nb} have without. */
    private static final int SHORT_VALUE_BYTES = 10;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description = "Tiny partitions of each table, 1,000 to 100,000,000 (default: 5,000,000).")
    private int partitions = 5_000_000;

    @Option(
            names = "--share",
            paramLabel = "SHARE",
            description =
                    "Part of the ring that is cut, 0.01 to 0.99 (default: 0.5). Below 0.4 a slice gets a filter of its"
                            + " own, above that of its source.")
    private double share = 0.5;

    @Option(
            names = "--sstables",
            paramLabel = "N",
            description =
                    "SSTables of each table, 1 to 100 (default: 1). Of several, one is cut while another one travels.")
    private int sstables = 1;

    @Option(names = "--lz4", description = "Compresses the tables (default: not compressed).")
    private boolean isCompressed;

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds that count, 1 or more (default: 7).")
    private int rounds = 7;

    @Option(
            names = "--target",
            paramLabel = "DIR",
            description = "Where all files are: a disk, or a tmpfs as /dev/shm (default: the directory for temporary"
                    + " files).")
    private @Nullable Path target;

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the figures here; - for the terminal.")
    private @Nullable String json;

    /** One table, and the processes that move it. */
    private record Pair(String name, ChildProcess sender, ChildProcess receiver, List<Round> rounds)
            implements Closeable {
        @Override
        public void close() {
            receiver.close();
            sender.close();
        }
    }

    /** What was measured of a table in one round. */
    private record Round(Sample whole, Sample slice, TransferPeer.Prepared cut) {
        double ratio() {
            return slice.gibPerSecond() / whole.gibPerSecond();
        }
    }

    /**
     * Figures of a table, one for each round.
     *
     * @param wholeBytes of all components
     * @param sliceBytes of the slice's components
     * @param ratio rate of the slice to that of the whole SSTable
     * @param sliceGibPerSecond with the time that it takes to prepare the slice
     * @param wholeSenderCpuPerGib CPU seconds of the sending process for each GiB
     * @param sliceSenderCpuPerGib the same of the slice
     * @param sliceSenderNanosPerPartition CPU of the sending process for each partition of the slice
     * @param cutNanosPerPartition CPU of preparation alone, on one thread
     */
    record Figures(
            String table,
            long wholeBytes,
            long partitionsOfSlice,
            long sliceBytes,
            Dispersion ratio,
            Dispersion wholeGibPerSecond,
            Dispersion sliceGibPerSecond,
            Dispersion wholeSenderCpuPerGib,
            Dispersion sliceSenderCpuPerGib,
            Dispersion sliceSenderNanosPerPartition,
            Dispersion cutNanosPerPartition) {}

    /** Runs it, and ends the process. */
    public static void main(String[] arguments) {
        Program.run(new SlicesBench(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Program.requireBetween("--partitions", partitions, 1_000, 100_000_000);
        if (!(share >= 0.01 && share <= 0.99)) {
            throw new IllegalArgumentException("--share: " + share + " (expected: 0.01 to 0.99)");
        }
        Program.requireBetween("--sstables", sstables, 1, MOST_SSTABLES);
        Program.requireAtLeast("--rounds", rounds, 1);
        TargetFolder.require(target);
        Program.beginJson(json);
        Path scratch = target == null ? Scratch.directory() : Scratch.directory(target, "sluice-slices");
        PrintStream people = "-".equals(json) ? System.err : System.out;
        List<Pair> pairs = new ArrayList<>();
        try {
            start(pairs, scratch, people);
            for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
                for (Pair pair : pairs) {
                    Round one = new Round(
                            Sample.of("move", pair.sender(), pair.receiver()),
                            Sample.of(TransferPeer.slice(share), pair.sender(), pair.receiver()),
                            pair.sender().ask(TransferPeer.cut(share), TransferPeer.Prepared.class));
                    if (round >= 0) {
                        pair.rounds().add(one);
                    }
                }
                people.println(round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds);
            }
            List<Figures> figures = pairs.stream()
                    .map(pair -> figures(pair.name(), pair.rounds()))
                    .toList();
            print(figures, people);
            Program.writeJson(figures, json);
        } finally {
            pairs.forEach(Pair::close);
            Scratch.delete(scratch);
        }
        return 0;
    }

    private void start(List<Pair> pairs, Path scratch, PrintStream people) throws IOException, InterruptedException {
        int large = (int) (BYTES_OF_LARGE_ROWS / LARGE_ROW_BYTES);
        start(pairs, "nb, tiny", new UniformTable(Version.NB, partitions, 0), scratch, people);
        start(pairs, "da, tiny", new UniformTable(Version.DA, partitions, SHORT_VALUE_BYTES), scratch, people);
        start(pairs, "nb, rows of 1 KiB", new UniformTable(Version.NB, large, LARGE_ROW_BYTES), scratch, people);
        start(pairs, "da, rows of 1 KiB", new UniformTable(Version.DA, large, LARGE_ROW_BYTES), scratch, people);
    }

    private void start(List<Pair> pairs, String name, UniformTable table, Path scratch, PrintStream people)
            throws IOException, InterruptedException {
        people.println("writing " + name);
        Path own = Files.createDirectory(scratch.resolve(Integer.toString(pairs.size())));
        WriterOptions options = WriterOptions.DEFAULTS;
        String folder = table.write(
                        own.resolve("data"),
                        isCompressed ? options.withCompression(CompressionParameters.lz4()) : options,
                        sstables)
                .toString();
        List<String> java = new ArrayList<>(HEAP);
        java.add("-Dsluice.bench.target=" + own);
        Path log = own.resolve("log");
        String port = loopback();
        ChildProcess sender = ChildProcess.start(TransferPeer.class, java, log, "send", folder, port, "1", "-");
        try {
            ChildProcess receiver = ChildProcess.start(
                    TransferPeer.class,
                    java,
                    log,
                    "receive",
                    folder,
                    port,
                    "1",
                    "-",
                    own.toString(),
                    "false",
                    loopback());
            pairs.add(new Pair(name, sender, receiver, new ArrayList<>()));
        } catch (IOException | InterruptedException failed) {
            sender.close();
            throw failed;
        }
    }

    private static String loopback() throws IOException {
        return "127.0.0.1:" + FreePort.onLoopback();
    }

    private static Figures figures(String name, List<Round> rounds) {
        long partitions = rounds.get(0).cut().partitions();
        return new Figures(
                name,
                rounds.get(0).whole().bytes(),
                partitions,
                rounds.get(0).slice().bytes(),
                Dispersion.of(rounds.stream().map(Round::ratio).toList()),
                Dispersion.of(rounds.stream()
                        .map(round -> round.whole().gibPerSecond())
                        .toList()),
                Dispersion.of(rounds.stream()
                        .map(round -> round.slice().gibPerSecond())
                        .toList()),
                Dispersion.of(rounds.stream()
                        .map(round -> round.whole().perGibibyte(round.whole().senderCpuSeconds()))
                        .toList()),
                Dispersion.of(rounds.stream()
                        .map(round -> round.slice().perGibibyte(round.slice().senderCpuSeconds()))
                        .toList()),
                Dispersion.of(rounds.stream()
                        .map(round -> round.slice().senderCpuSeconds() * NANOS_PER_SECOND / partitions)
                        .toList()),
                Dispersion.of(rounds.stream()
                        .map(round -> round.cut().cpuSeconds() * NANOS_PER_SECOND / partitions)
                        .toList()));
    }

    static void print(List<Figures> figures, PrintStream out) {
        TextTable table = new TextTable(
                "table",
                "slice : whole",
                "whole GiB/s",
                "slice GiB/s",
                "sender CPU s/GiB, whole",
                "slice",
                "sender ns/partition",
                "cut ns/partition");
        for (Figures row : figures) {
            table.row(
                    row.table(),
                    text(row.ratio()),
                    text(row.wholeGibPerSecond()),
                    text(row.sliceGibPerSecond()),
                    cpu(row.wholeSenderCpuPerGib(), row.wholeBytes() / GIBIBYTE),
                    cpu(row.sliceSenderCpuPerGib(), row.sliceBytes() / GIBIBYTE),
                    cpu(row.sliceSenderNanosPerPartition(), row.partitionsOfSlice() / NANOS_PER_SECOND),
                    text(row.cutNanosPerPartition()));
        }
        out.println();
        table.print(out);
    }

    /** @param perUnit of the process that sends, for each of the {@code units} of a run */
    private static String cpu(Dispersion perUnit, double units) {
        return Usage.isCounted(perUnit.median(), units)
                ? text(perUnit)
                : Usage.text(perUnit.median(), units, bound -> String.format(Locale.ROOT, format(bound), bound));
    }

    private static String text(Dispersion spread) {
        String number = format(spread.max());
        return String.format(
                Locale.ROOT,
                number + " (" + number + " to " + number + ")",
                spread.median(),
                spread.min(),
                spread.max());
    }

    private static String format(double greatest) {
        return greatest < 10 ? "%.2f" : "%.0f";
    }
}
