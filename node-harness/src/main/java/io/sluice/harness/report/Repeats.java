package io.sluice.harness.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How long streaming took in runs of the same, in seconds. Quartiles lie between two runs where they have to, in
 * proportion. Immutable.
 */
public record Repeats(
        List<Double> seconds, double least, double lowerQuartile, double median, double upperQuartile, double most) {
    public Repeats {
        seconds = List.copyOf(seconds);
    }

    /**
     * Puts runs together.
     *
     * @param seconds at least one, in the order of the runs
     */
    public static Repeats of(List<Double> seconds) {
        List<Double> sorted = new ArrayList<>(seconds);
        sorted.sort(null);
        return new Repeats(
                seconds,
                sorted.get(0),
                quantile(sorted, 0.25),
                quantile(sorted, 0.5),
                quantile(sorted, 0.75),
                sorted.get(sorted.size() - 1));
    }

    private static double quantile(List<Double> sorted, double share) {
        double at = share * (sorted.size() - 1);
        int below = (int) at;
        int above = Math.min(below + 1, sorted.size() - 1);
        return sorted.get(below) + (at - below) * (sorted.get(above) - sorted.get(below));
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d runs: median %.2f s, quartiles %.2f s and %.2f s (IQR %.2f s), least %.2f s, most %.2f s",
                seconds.size(),
                median,
                lowerQuartile,
                upperQuartile,
                upperQuartile - lowerQuartile,
                least,
                most);
    }
}
