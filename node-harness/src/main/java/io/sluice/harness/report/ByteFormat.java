package io.sluice.harness.report;

import java.util.List;
import java.util.Locale;

/** Amounts of bytes as people read them. Stateless. */
public final class ByteFormat {
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB");
    private static final double MEGA = 1e6;

    private ByteFormat() {}

    /** {@code 1.25 GiB}. */
    public static String text(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 1024 && unit < UNITS.size() - 1) {
            amount /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.2f %s", amount, UNITS.get(unit));
    }

    /** Millions of bytes per second; 0 for no time at all. */
    public static double megabytesPerSecond(long bytes, double seconds) {
        return seconds <= 0 ? 0 : bytes / MEGA / seconds;
    }
}
