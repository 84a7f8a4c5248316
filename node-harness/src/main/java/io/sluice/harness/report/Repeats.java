package io.sluice.harness.report;

import com.google.common.math.Quantiles;
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
        return new Repeats(
                seconds,
                quartile(seconds, 0),
                quartile(seconds, 1),
                quartile(seconds, 2),
                quartile(seconds, 3),
                quartile(seconds, 4));
    }

    private static double quartile(List<Double> seconds, int number) {
        return Quantiles.quartiles().index(number).compute(seconds);
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
