package io.sluice.bench.transfer;

import io.sluice.harness.report.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * How requests were alone, and beside a stream. Immutable.
 *
 * @param machine in words
 * @param startedAt as ISO 8601
 * @param loadBefore the machine's average of the minute before anything was started, in processors
 * @param secondsPerRun how long each run of a round took
 */
record ReadsResult(
        String command,
        String versions,
        String machine,
        String startedAt,
        double loadBefore,
        int rounds,
        int secondsPerRun,
        List<Run> runs) {
    ReadsResult {
        runs = List.copyOf(runs);
    }

    private static final double MEBIBYTE = 1L << 20;
    private static final double MEDIAN = 0.5;
    private static final double P99 = 0.99;
    /** The curve goes to 99.9 %, with so many points for each nine of its share. */
    private static final int NINES = 3;

    private static final int POINTS_PER_NINE = 16;

    /**
     * The runs of one kind, one in each round.
     *
     * @param arrivedMibPerSecond what streamed meanwhile
     * @param p50Micros of reads outside bursts, as are the next two
     * @param p99Ratio to that of the run alone of the same round, as are all ratios
     * @param writeP99Micros of all writes, those in bursts included
     * @param curve of the reads of all rounds, bursts included
     * @param last the reads of the last round
     */
    record Run(
            String name,
            Spread arrivedMibPerSecond,
            Spread p50Micros,
            Spread p99Micros,
            Spread p99Ratio,
            Spread burstP99Micros,
            Spread burstP99Ratio,
            Spread writeP99Micros,
            Spread writeP99Ratio,
            List<Point> curve,
            List<Request> last) {
        Run {
            curve = List.copyOf(curve);
            last = List.copyOf(last);
        }
    }

    /**
     * A point of a distribution.
     *
     * @param nines of the share of requests that took at most {@code micros}: 1 is 90 %, 2 is 99 %
     */
    record Point(double nines, int micros) {}

    /**
     * The runs of each kind.
     *
     * @param measured by the name of the run, at least one each, all as often
     * @param alone the name of that with which the others are compared
     */
    static List<Run> runs(Map<String, List<ReadsPeer.Measured>> measured, String alone) {
        List<ReadsPeer.Measured> base = measured.getOrDefault(alone, List.of());
        List<Run> runs = new ArrayList<>();
        measured.forEach((name, rounds) -> runs.add(run(name, rounds, base)));
        return runs;
    }

    private static Run run(String name, List<ReadsPeer.Measured> rounds, List<ReadsPeer.Measured> alone) {
        ToDoubleFunction<ReadsPeer.Measured> p99 = of(ReadsPeer.Measured::steadyReads, P99);
        ToDoubleFunction<ReadsPeer.Measured> burst = of(ReadsPeer.Measured::burstReads, P99);
        ToDoubleFunction<ReadsPeer.Measured> write = of(ReadsPeer.Measured::writes, P99);
        return new Run(
                name,
                spread(rounds, one -> one.streamedBytes() / MEBIBYTE / one.seconds()),
                spread(rounds, of(ReadsPeer.Measured::steadyReads, MEDIAN)),
                spread(rounds, p99),
                ratio(rounds, alone, p99),
                spread(rounds, burst),
                ratio(rounds, alone, burst),
                spread(rounds, write),
                ratio(rounds, alone, write),
                curve(rounds.stream().flatMap(one -> one.reads().stream()).toList()),
                rounds.get(rounds.size() - 1).reads());
    }

    private static ToDoubleFunction<ReadsPeer.Measured> of(
            Function<ReadsPeer.Measured, List<Request>> requests, double share) {
        return one -> Request.percentile(requests.apply(one), share);
    }

    private static Spread spread(List<ReadsPeer.Measured> rounds, ToDoubleFunction<ReadsPeer.Measured> figure) {
        return Spread.of(rounds.stream().map(figure::applyAsDouble).toList());
    }

    private static Spread ratio(
            List<ReadsPeer.Measured> rounds,
            List<ReadsPeer.Measured> alone,
            ToDoubleFunction<ReadsPeer.Measured> figure) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < rounds.size(); round++) {
            ratios.add(figure.applyAsDouble(rounds.get(round)) / figure.applyAsDouble(alone.get(round)));
        }
        return Spread.of(ratios);
    }

    private static List<Point> curve(List<Request> requests) {
        List<Integer> took = requests.stream().map(Request::took).sorted().toList();
        List<Point> curve = new ArrayList<>();
        for (int i = 0; i <= NINES * POINTS_PER_NINE; i++) {
            double nines = i / (double) POINTS_PER_NINE;
            int at = (int) ((1 - Math.pow(10, -nines)) * took.size());
            curve.add(new Point(nines, took.get(at)));
        }
        return curve;
    }
}
