package io.sluice.harness.cassandra;

import java.io.IOException;
import java.util.regex.Pattern;

/**
 * A published release of Cassandra. Immutable.
 *
 * @param version {@code 5.0.9}
 */
public record Release(String version) {
    private static final Pattern EXACT = Pattern.compile("[45]\\.\\d+\\.\\d+");

    /**
     * The release that {@code text} names.
     *
     * @param text {@code 5.0} or {@code 4.1} for the patch that Sluice is tested with, or an exact {@code 5.0.6}
     * @throws IOException if it is neither
     */
    public static Release of(String text) throws IOException {
        String tested = Resources.versions().getProperty(text);
        if (tested == null && !EXACT.matcher(text).matches()) {
            throw new IOException("Cassandra " + text + " (expected: 5.0, 4.1, or an exact release as 5.0.6)");
        }
        return new Release(tested == null ? text : tested);
    }

    /** Whether it is of the 4.x line. */
    public boolean isBeforeFive() {
        return version.startsWith("4.");
    }

    /** Whether its settings have numbers without units, as those of 4.0. */
    boolean isBeforeUnits() {
        return version.startsWith("4.0.");
    }

    @Override
    public String toString() {
        return version;
    }
}
