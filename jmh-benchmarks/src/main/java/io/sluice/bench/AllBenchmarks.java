package io.sluice.bench;

import io.sluice.bench.compare.CompareBench;
import io.sluice.bench.replace.ReplaceBench;
import io.sluice.bench.transfer.LinkBench;
import io.sluice.bench.transfer.ReadsBench;
import io.sluice.bench.transfer.SlicesBench;
import io.sluice.bench.transfer.ThrottleBench;
import io.sluice.bench.transfer.TransferBench;
import io.sluice.harness.cli.Benchmarks;
import java.util.List;
import org.openjdk.jmh.Main;

/** The benchmarks of {@code ./sluice bench} and {@code ./sluice compare}. Stateless. */
public final class AllBenchmarks implements Benchmarks {
    /** By itself JMH ends with 0 when a benchmark has failed. */
    @Override
    public Program ends() {
        return new Program(Main.class, List.of(ZeroCopyStreamingBenchmark.class.getName(), "-foe", "true"));
    }

    @Override
    public Program compare() {
        return Program.of(CompareBench.class);
    }

    @Override
    public Program compareReplacements() {
        return Program.of(ReplaceBench.class);
    }

    @Override
    public List<Subcommand> subcommands() {
        return List.of(
                new Subcommand(
                        "transfer",
                        "Moves whole SSTables between two processes, beside a C program that moves the same files.",
                        Program.of(TransferBench.class)),
                new Subcommand(
                        "slices",
                        "Moves an SSTable whole, then half of it as a slice: tiny partitions and rows of 1 KiB.",
                        Program.of(SlicesBench.class)),
                new Subcommand(
                        "link",
                        "Moves one large SSTable, and 1,000 small ones, over a link of a known rate (needs root).",
                        Program.of(LinkBench.class)),
                new Subcommand(
                        "throttle",
                        "Sets limits and changes them while bytes flow, and shows what arrives.",
                        Program.of(ThrottleBench.class)),
                new Subcommand(
                        "reads",
                        "Reads partitions of a node's own store, alone and while a table streams into the node.",
                        Program.of(ReadsBench.class)),
                new Subcommand(
                        "receive",
                        "Takes bytes from a socket to a file in each way that Java has, checksum included, with CPU;"
                                + " to $TMPDIR, or to --target.",
                        Program.of(ReceiveBench.class)),
                new Subcommand(
                        "planner",
                        "Plans the rebuild of data centres of 10 to 10,000 nodes, in a heap of 512 MiB, by one thread.",
                        Program.of(PlannerBench.class)));
    }
}
