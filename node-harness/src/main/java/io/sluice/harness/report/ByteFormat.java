package io.sluice.harness.report;

import java.util.List;
import java.util.Locale;

/** Amounts of bytes as people read them. Stateless. */
public final class ByteFormat {
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB");
    private static final double MEGA = 1e6;

    /** With a decimal point, like ROOT, but Java need not load the symbols of numbers for it: 20 ms of a command. */
    private static final Locale POINT = Locale.US;

    private ByteFormat() {}

    /** {@code 1.25 GiB}. */
    public static String text(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 1024 && unit < UNITS.size() - 1) {
            amount /= 1024;
            unit++;
        }
        return String.format(POINT, unit == 0 ? "%.0f %s" : "%.2f %s", amount, UNITS.get(unit));
    }

    /**
     * A rate in the units of {@link #text}, to three digits: {@code 1.25 GiB/s}, {@code 48.6 MiB/s}.
     *
     * @param bytesPerSecond at least 0
     */
    public static String rate(double bytesPerSecond) {
        double amount = bytesPerSecond;
        int unit = 0;
        while (amount >= 1024 && unit < UNITS.size() - 1) {
            amount /= 1024;
            unit++;
        }
        String form = unit == 0 || amount >= 100 ? "%.0f %s/s" : amount < 10 ? "%.2f %s/s" : "%.1f %s/s";
        return String.format(POINT, form, amount, UNITS.get(unit));
    }

    /** The rate of so many bytes in so many seconds; that of no time at all is 0. */
    public static String rate(long bytes, double seconds) {
        return rate(seconds <= 0 ? 0 : bytes / seconds);
    }

    /** Millions of bytes per second, for programs; 0 for no time at all. */
    public static double megabytesPerSecond(long bytes, double seconds) {
        return seconds <= 0 ? 0 : bytes / MEGA / seconds;
    }
}
