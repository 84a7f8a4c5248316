package io.sluice.bench.process;

import com.google.common.math.Quantiles;
import java.util.List;

/** How repeated measurements lie. Immutable. */
public record Dispersion(double min, double median, double max, double interquartileRange) {
    /** How {@code values}, at least one, lie; quartiles are linear between the two nearest, as in R and NumPy. */
    public static Dispersion of(List<Double> values) {
        return new Dispersion(
                quartile(values, 0),
                quartile(values, 2),
                quartile(values, 4),
                quartile(values, 3) - quartile(values, 1));
    }

    private static double quartile(List<Double> values, int number) {
        return Quantiles.quartiles().index(number).compute(values);
    }
}
