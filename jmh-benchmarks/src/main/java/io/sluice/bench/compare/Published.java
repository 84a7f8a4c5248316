package io.sluice.bench.compare;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.bench.process.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A published claim beside what was measured here. Immutable.
 *
 * @param ours the ratio of the rates, round by round
 * @param differs what one must know before comparing the two
 */
record Published(
        String claim,
        @JsonProperty("published_ratio") String ratio,
        @JsonProperty("our_ratio") Spread ours,
        String differs) {

    /** The claims that the modes in {@code runs} bear on. */
    static List<Published> of(Map<Mode, List<Run>> runs) {
        return List.of(
                new Published(
                        "Cassandra 4.0, August 2018, JMH: block to partial, of the writer and of the reader",
                        "76 and 34",
                        ratios(runs, Mode.FILES, Mode.PARTIAL),
                        "Theirs measures each end alone, and its block writer hands file regions to a channel in memory"
                                + " that moves no byte; ours is a whole transfer, durable at the end. ./sluice bench"
                                + " measures the ends."),
                new Published(
                        "Cassandra 4.0, April 2019: replacing a node, to 3.0",
                        "about 5",
                        ratios(runs, Mode.FILES, Mode.PARTIAL),
                        "Theirs is a cluster of six machines behind a network; here both ends share a machine."),
                new Published(
                        "ScyllaDB 3.0, 2018: rows straight to one SSTable, to rows through memory tables",
                        "2.4 to 3.4 in MiB/s",
                        ratios(runs, Mode.DIRECT, Mode.MEMTABLE),
                        "Theirs compares two releases, with the window of 10 requests, the compaction and the commit of"
                                + " the older one; ours has 256, no compaction, and flushes beside the stream."),
                new Published(
                        "ScyllaDB 2025.1: files of a tablet, to rows",
                        "10 in bandwidth, 25 in time",
                        ratios(runs, Mode.FILES, Mode.DIRECT),
                        "Theirs has rows at 30 to 40 MB/s by other limits, and files through user space; ours leave by"
                                + " sendfile."));
    }

    private static Spread ratios(Map<Mode, List<Run>> runs, Mode fast, Mode slow) {
        List<Run> a = runs.getOrDefault(fast, List.of());
        List<Run> b = runs.getOrDefault(slow, List.of());
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < a.size(); round++) {
            ratios.add(b.get(round).seconds() / a.get(round).seconds());
        }
        return Spread.of(ratios);
    }
}
