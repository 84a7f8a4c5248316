package io.sluice.bench.transfer;

import io.sluice.bench.Scratch;
import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Dispersion;
import io.sluice.bench.process.Program;
import io.sluice.harness.cli.RateConverter;
import io.sluice.harness.cli.SizeConverter;
import io.sluice.harness.cli.TargetFolder;
import io.sluice.harness.fault.Namespaces;
import io.sluice.harness.report.TextTable;
import io.sluice.harness.scenario.GeneratedData;
import io.sluice.harness.scenario.ScenarioException;
import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench link}. Not thread-safe. */
@Command(
        name = "sluice bench link",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Moves one large SSTable, and 1,000 small ones, over a link of a known rate: how much of it they fill.",
        footer = {
            "",
            "The link is a pair of veth cables of this kernel, each limited by tbf: needs root on Linux, and iproute2.",
            "A delay is that of a proxy in front of the sender: it answers later, for which TCP alone does not wait.",
            "Everything that arrives is verified, made durable and installed. Small files on ext4 without a journal:",
            "for minutes after many files were deleted it is slow to make new ones, so a second run is, too."
        })
public final class LinkBench implements Callable<Integer> {
    private static final List<String> HEAP = List.of("-Xmx256m");
    private static final long SMALL_BYTES = 122 << 10;
    private static final int MOST_CONNECTIONS = 32;
    private static final int SMALL_FILES = 1_000;
    private static final double MIB = 1 << 20;
    private static final double ETHERNET_SHARE = 1448.0 / 1514; // of a full frame, what is payload of TCP

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            converter = RateConverter.class,
            description = "Of the link (default: 64MiB/s).")
    private long bytesPerSecond = 64L << 20;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Of the large SSTable (default: 512MiB).")
    private long size = 512L << 20;

    @Option(
            names = "--delay",
            paramLabel = "MILLIS",
            description = "What comes out of the link comes so much later, each way (default: 0).")
    private int delayMillis;

    @Option(names = "--connections", paramLabel = "N", description = "0 to 32; 0 for as many as it takes (default: 0).")
    private int connections;

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds that count, 1 or more (default: 3).")
    private int rounds = 3;

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "Generated data, and what arrives (default: work in Sluice's folder).")
    private Path workDir = Path.of(System.getProperty("sluice.home", "."), "work");

    @Option(
            names = "--target",
            paramLabel = "DIR",
            description = "Where files arrive: a disk, or a tmpfs as /dev/shm (default: the work directory).")
    private @Nullable Path target;

    /** Runs it, and ends the process. */
    public static void main(String[] arguments) {
        Program.run(new LinkBench(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ScenarioException {
        Program.requireAtLeast("--rate", bytesPerSecond, 1);
        Program.requireAtLeast("--size", size, 1);
        Program.requireAtLeast("--delay", delayMillis, 0);
        Program.requireBetween("--connections", connections, 0, MOST_CONNECTIONS);
        Program.requireAtLeast("--rounds", rounds, 1);
        TargetFolder.require(target);
        if (!Namespaces.isPossible()) {
            System.err.println("sluice: no link can be made here (expected: root on Linux, with iproute2)");
            return 1;
        }
        Map<String, Dispersion> rates = new LinkedHashMap<>();
        try (WorkDirectory work = WorkDirectory.open(workDir)) {
            rates.put("one SSTable", rate(work, table(work, size, 1)));
            rates.put("1,000 SSTables of 122 KiB", rate(work, table(work, SMALL_BYTES * SMALL_FILES, SMALL_FILES)));
        }
        TextTable table = new TextTable(
                "over a link of " + text(bytesPerSecond / MIB) + " MiB/s"
                        + (delayMillis == 0 ? "" : ", " + 2 * delayMillis + " ms there and back"),
                "MiB/s",
                "min",
                "max",
                "of the link's payload");
        rates.forEach((what, rate) -> table.row(
                what,
                text(rate.median()),
                text(rate.min()),
                text(rate.max()),
                text(100 * rate.median() * MIB / (bytesPerSecond * ETHERNET_SHARE)) + " %"));
        table.print(System.out);
        return 0;
    }

    private static Path table(WorkDirectory work, long size, int sstables) throws IOException, ScenarioException {
        GeneratedData data = new GeneratedData(work, size, TokenRanges.FULL.ranges(), sstables, 1);
        return data.made(sstables + " SSTables", System.err);
    }

    @SuppressWarnings("try") // the proxy is there, nobody speaks to it
    private Dispersion rate(WorkDirectory work, Path table) throws IOException, InterruptedException {
        Path log = work.root().resolve("bench-link.log");
        List<Double> rates = new ArrayList<>();
        Path arrive = Scratch.directory(target == null ? work.root() : target, "link");
        try (Namespaces network = Namespaces.open(Optional.of(bytesPerSecond))) {
            Node from = new Node(new UUID(1, 1), "sender", network.address(1), List.of(new Token(0)));
            Node to = new Node(new UUID(2, 2), "receiver", network.address(2), List.of(new Token(1)));
            Address at = from.address();
            Address seenAt = delayMillis == 0 ? at : new Address(at.host(), at.port() + 1);
            String count = Integer.toString(connections);
            try (ChildProcess sender = ChildProcess.startAt(
                            network.at(from),
                            TransferPeer.class,
                            HEAP,
                            log,
                            "send",
                            table.toString(),
                            at.toString(),
                            count,
                            "-");
                    ChildProcess proxy = delayMillis == 0
                            ? sender
                            : ChildProcess.startAt(
                                    network.at(from),
                                    DelayProxy.class,
                                    HEAP,
                                    log,
                                    seenAt.toString(),
                                    at.toString(),
                                    Integer.toString(delayMillis));
                    ChildProcess receiver = ChildProcess.startAt(
                            network.at(to),
                            TransferPeer.class,
                            HEAP,
                            log,
                            "receive",
                            table.toString(),
                            seenAt.toString(),
                            count,
                            "-",
                            arrive.toString(),
                            "true",
                            to.address().toString())) {
                for (int round = -1; round < rounds; round++) {
                    sender.ask("usage", TransferPeer.Sent.class);
                    TransferPeer.Moved moved = receiver.ask("move", TransferPeer.Moved.class);
                    if (round >= 0) {
                        rates.add(moved.bytes() / MIB / moved.seconds());
                    }
                }
            }
        }
        Scratch.delete(arrive);
        return Dispersion.of(rates);
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
