package io.sluice.bench.replace;

import io.sluice.bench.process.Usage;
import io.sluice.harness.report.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What all repetitions came to. Immutable. Rates are of the bytes that the dead node held, for everybody the same.
 *
 * @param versions of Sluice, Cassandra and Java
 * @param machine in words
 * @param startedAt as ISO 8601
 * @param loadBefore the machine's average of the minute before anything was started, in processors
 */
record ReplaceResult(
        String command,
        String versions,
        String machine,
        String startedAt,
        double loadBefore,
        int repetitions,
        List<CaseResult> cases) {
    ReplaceResult {
        cases = List.copyOf(cases);
    }

    /**
     * One cluster.
     *
     * @param name as the command line has it
     * @param bytes of all components that the dead node held, in so many {@code sstables}
     * @param digest of the content, the same at the dead node and at every replacement
     */
    record CaseResult(
            String name,
            String what,
            String table,
            long bytes,
            int sstables,
            String digest,
            List<Row> rows,
            List<Ratio> ratios) {
        CaseResult {
            rows = List.copyOf(rows);
            ratios = List.copyOf(ratios);
        }
    }

    /**
     * One contender: of each figure all repetitions, in their order, and their spread.
     *
     * @param mebibytesPerSecond of the bytes that the dead node held
     * @param normalSeconds until the node may be read; empty where that is no step of its own
     */
    record Row(
            String name,
            String what,
            boolean isVerified,
            boolean isDurable,
            Spread seconds,
            Spread mebibytesPerSecond,
            Optional<Spread> normalSeconds,
            Spread receiverCpuPerGibibyte,
            Spread sourceCpuPerGibibyte,
            Spread load,
            List<Replacement> runs) {
        Row {
            runs = List.copyOf(runs);
        }
    }

    /**
     * A figure of the first contender to that of another one, repetition by repetition: above 1 the other one needs
     * less.
     */
    record Ratio(String what, Spread ratio) {}

    private static final double MEBIBYTE = 1L << 20;
    private static final double GIBIBYTE = 1L << 30;

    /** The rows of contenders and their runs, at least one each, all contenders as often. */
    static List<Row> rows(Map<Contender, List<Replacement>> runs, long bytes) {
        List<Row> rows = new ArrayList<>();
        runs.forEach((contender, all) -> rows.add(new Row(
                contender.name(),
                contender.what(),
                contender.isVerified(),
                contender.isDurable(),
                spread(all, Replacement::seconds),
                spread(all, run -> bytes / MEBIBYTE / run.seconds()),
                all.stream().allMatch(run -> run.normalSeconds().isPresent())
                        ? Optional.of(spread(all, run -> run.normalSeconds().orElseThrow()))
                        : Optional.empty(),
                spread(all, run -> run.receiverCpuSeconds() / (bytes / GIBIBYTE)),
                spread(all, run -> run.sourceCpuSeconds() / (bytes / GIBIBYTE)),
                spread(all, Replacement::load),
                all)));
        return rows;
    }

    private static Spread spread(List<Replacement> runs, ToDoubleFunction<Replacement> figure) {
        return Spread.of(runs.stream().map(figure::applyAsDouble).toList());
    }

    /** Of the first row to each other one. */
    static List<Ratio> ratios(List<Row> rows) {
        List<Ratio> ratios = new ArrayList<>();
        Row first = rows.get(0);
        for (Row other : rows.subList(1, rows.size())) {
            String both = first.name() + " ÷ " + other.name();
            ratios.add(new Ratio("time, " + both, ratio(first, other, Replacement::seconds)));
            if (first.normalSeconds().isPresent() && other.normalSeconds().isPresent()) {
                ratios.add(new Ratio(
                        "time until NORMAL, " + both,
                        ratio(first, other, run -> run.normalSeconds().orElseThrow())));
            }
            cpuRatio("CPU of the receiver, " + both, first, other, Replacement::receiverCpuSeconds)
                    .ifPresent(ratios::add);
            cpuRatio("CPU of the sources, " + both, first, other, Replacement::sourceCpuSeconds)
                    .ifPresent(ratios::add);
        }
        return ratios;
    }

    /** Empty if the clock hardly counted the CPU of one of them. */
    private static Optional<Ratio> cpuRatio(
            String what, Row first, Row other, ToDoubleFunction<Replacement> cpuSeconds) {
        boolean isCounted = Stream.of(first, other)
                .allMatch(row -> Usage.isCounted(spread(row.runs(), cpuSeconds).median()));
        return isCounted ? Optional.of(new Ratio(what, ratio(first, other, cpuSeconds))) : Optional.empty();
    }

    private static Spread ratio(Row first, Row other, ToDoubleFunction<Replacement> figure) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < first.runs().size(); i++) {
            double less = Usage.atLeastOneStep(figure.applyAsDouble(other.runs().get(i)));
            ratios.add(figure.applyAsDouble(first.runs().get(i)) / less);
        }
        return Spread.of(ratios);
    }
}
