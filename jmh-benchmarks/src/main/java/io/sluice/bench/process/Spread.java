package io.sluice.bench.process;

import java.util.List;

/** How repeated measurements lie. Immutable. */
public record Spread(double min, double median, double max, double interquartileRange) {
    /** How {@code values}, at least one, lie. */
    public static Spread of(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return new Spread(
                sorted.get(0),
                quantile(sorted, 0.5),
                sorted.get(sorted.size() - 1),
                quantile(sorted, 0.75) - quantile(sorted, 0.25));
    }

    /** Linear between the two nearest: definition 7 of Hyndman and Fan, as in R and NumPy. */
    private static double quantile(List<Double> sorted, double q) {
        double at = q * (sorted.size() - 1);
        int below = (int) at;
        int above = Math.min(below + 1, sorted.size() - 1);
        return sorted.get(below) + (at - below) * (sorted.get(above) - sorted.get(below));
    }
}
