package io.sluice.bench.compare;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.bench.process.Dispersion;
import io.sluice.bench.process.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * A published claim beside what was measured here. Immutable.
 *
 * @param ours the same ratio, round by round; empty if it is one of CPU of which the clock counted less than three
 *     steps at an end of a mode, as the median of its rounds
 * @param differs what one must know before comparing the two
 */
record Published(
        String claim,
        @JsonProperty("published_ratio") String ratio,
        @JsonProperty("our_ratio") Optional<Dispersion> ours,
        String differs) {

    private static final String MICRO = "Cassandra 4.0, August 2018, JMH: block to partial, ";
    private static final String MICRO_DIFFERS =
            "Theirs measures each end alone, and its block writer hands file regions"
                    + " to a channel in memory that moves no byte; ours is the CPU of that end in whole transfers. ./sluice bench"
                    + " --published measures the ends alone.";
    private static final String TABLET = "ScyllaDB 2025.1: files of a tablet, to rows: ";

    /** The claims that the modes in {@code runs} bear on. */
    static List<Published> of(Map<Mode, List<Run>> runs) {
        return List.of(
                new Published(
                        MICRO + "writer",
                        "76",
                        cpuRatios(runs, Mode.PARTIAL, Mode.FILES_SINGLE, List.of(Run::senderCpuSeconds)),
                        MICRO_DIFFERS + " Our partial writer sends stored chunks by sendfile, too, so there is little"
                                + " to gain; of slices the source reads and checks the data."),
                new Published(
                        MICRO + "reader",
                        "34",
                        cpuRatios(runs, Mode.PARTIAL, Mode.FILES_SINGLE, List.of(Run::receiverCpuSeconds)),
                        MICRO_DIFFERS),
                new Published(
                        "Cassandra 4.0, April 2019: replacing a node, to 3.0: time",
                        "about 5",
                        Optional.of(ratios(runs, Mode.PARTIAL, Mode.FILES_SINGLE, Run::seconds)),
                        "Theirs is a cluster of six machines behind a network; here both ends share a machine, and our"
                                + " partial mode is faster than theirs. Both over one connection."),
                new Published(
                        "ScyllaDB 3.0, 2018: rows straight to one SSTable, to rows through memory tables: time",
                        "2.4 to 3.4",
                        Optional.of(ratios(runs, Mode.MEMTABLE, Mode.DIRECT, Run::seconds)),
                        "Theirs compares two releases, with the window of 10 requests, the compaction and the commit of"
                                + " the older one; ours has 256, no compaction, and flushes beside the stream."),
                new Published(
                        TABLET + "time",
                        "25",
                        Optional.of(ratios(runs, Mode.DIRECT, Mode.TABLET, Run::seconds)),
                        "Theirs has rows at 30 to 40 MB/s by other limits than CPU, which do not hold here. Our SSTables"
                                + " are cut at the edges beforehand."),
                new Published(
                        TABLET + "bandwidth",
                        "10",
                        Optional.of(ratios(runs, Mode.TABLET, Mode.DIRECT, run -> run.wireBytes() / run.seconds())),
                        "Bytes on the wire in a second. The same limits of theirs."),
                new Published(
                        TABLET + "bytes on the wire",
                        "almost 3",
                        Optional.of(ratios(runs, Mode.DIRECT_FIXED, Mode.TABLET, Run::wireBytes)),
                        "A statement about the encoding of rows: here the one of fixed width, as theirs. With the"
                                + " encoding of SSTables it is about 1. It depends on how small cells are and how well"
                                + " they are compressed."),
                new Published(
                        TABLET + "CPU work of both ends",
                        "60, as 12 % to 5 % in a 25th of the time",
                        cpuRatios(
                                runs,
                                Mode.DIRECT_FIXED,
                                Mode.TABLET,
                                List.of(Run::senderCpuSeconds, Run::receiverCpuSeconds)),
                        "Theirs is what follows from charts of load, other work of the nodes included."));
    }

    /** @param ends whose CPU is added; the clock counts each of them by itself */
    private static Optional<Dispersion> cpuRatios(
            Map<Mode, List<Run>> runs, Mode above, Mode below, List<ToDoubleFunction<Run>> ends) {
        boolean isCounted = Stream.of(above, below)
                .map(mode -> runs.getOrDefault(mode, List.of()))
                .allMatch(all -> ends.stream().allMatch(end -> Usage.isCounted(median(all, end))));
        return isCounted
                ? Optional.of(ratios(
                        runs,
                        above,
                        below,
                        run -> Usage.atLeastOneStep(ends.stream()
                                .mapToDouble(end -> end.applyAsDouble(run))
                                .sum())))
                : Optional.empty();
    }

    private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
        return Dispersion.of(runs.stream().map(figure::applyAsDouble).toList()).median();
    }

    private static Dispersion ratios(Map<Mode, List<Run>> runs, Mode above, Mode below, ToDoubleFunction<Run> figure) {
        List<Run> a = runs.getOrDefault(above, List.of());
        List<Run> b = runs.getOrDefault(below, List.of());
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < a.size(); round++) {
            ratios.add(figure.applyAsDouble(a.get(round)) / figure.applyAsDouble(b.get(round)));
        }
        return Dispersion.of(ratios);
    }
}
