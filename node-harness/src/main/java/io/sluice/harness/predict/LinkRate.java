package io.sluice.harness.predict;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rates as makers of networks and disks write them. Stateless. */
public final class LinkRate {
    private static final Pattern RATE = Pattern.compile("(\\d+(?:\\.\\d+)?) ?(Mbit|Gbit|MB|GB|MiB|GiB)(?:/s)?");
    private static final double BITS = 8;

    private LinkRate() {}

    /**
     * Bytes per second of {@code 25Gbit}, {@code 2GB/s}, {@code 500MiB/s}.
     *
     * @throws IllegalArgumentException naming what is allowed
     */
    public static double parse(String text) {
        Matcher matcher = RATE.matcher(text);
        if (!matcher.matches() || Double.parseDouble(matcher.group(1)) <= 0) {
            throw new IllegalArgumentException("'" + text + "' (expected: a rate as 25Gbit, 2GB/s or 500MiB/s)");
        }
        return Double.parseDouble(matcher.group(1))
                * switch (matcher.group(2)) {
                    case "Mbit" -> 1e6 / BITS;
                    case "Gbit" -> 1e9 / BITS;
                    case "MB" -> 1e6;
                    case "GB" -> 1e9;
                    case "MiB" -> 1 << 20;
                    default -> 1 << 30;
                };
    }

    /** {@code 25.0 Gbit/s}, for people. */
    public static String bits(double bytesPerSecond) {
        return String.format(Locale.ROOT, "%.1f Gbit/s", bytesPerSecond * BITS / 1e9);
    }
}
