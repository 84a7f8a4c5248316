package io.sluice.harness.report;

import com.google.common.math.Quantiles;
import java.util.List;
import java.util.Locale;

/**
 * The same figure of several runs, and how far they lie apart. A quartile that falls between two runs is interpolated.
 * Immutable.
 *
 * @param values at least one, in the order of the runs
 */
public record Spread(
        List<Double> values, double least, double lowerQuartile, double median, double upperQuartile, double most) {
    public Spread {
        values = List.copyOf(values);
    }

    /**
     * Summarizes the figures of several runs.
     *
     * @param values at least one, in the order of the runs
     */
    public static Spread of(List<Double> values) {
        return new Spread(
                values,
                quartile(values, 0),
                quartile(values, 1),
                quartile(values, 2),
                quartile(values, 3),
                quartile(values, 4));
    }

    private static double quartile(List<Double> values, int number) {
        return Quantiles.quartiles().index(number).compute(values);
    }

    /** All of it in one line, for a terminal; each figure has {@code unit} behind it, which may be empty. */
    public String text(String unit) {
        return String.format(
                Locale.ROOT,
                "median %2$.2f%1$s, quartiles %3$.2f%1$s and %4$.2f%1$s, least %5$.2f%1$s, most %6$.2f%1$s",
                unit,
                median,
                lowerQuartile,
                upperQuartile,
                least,
                most);
    }
}
