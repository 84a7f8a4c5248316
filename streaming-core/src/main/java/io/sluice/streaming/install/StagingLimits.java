package io.sluice.streaming.install;

import java.time.Duration;

/**
 * The limits of the space that staging uses. Immutable.
 *
 * @param headroomBytes free bytes that received data never uses, at least 0
 * @param headroomPercent the same as a percentage of the volume, 0 to 50: the larger of the two applies
 * @param keptPercent percentage of the usable space for retained data of failed plans, 0 to 100
 * @param keptAge age after which retained data is removed
 */
public record StagingLimits(long headroomBytes, int headroomPercent, int keptPercent, Duration keptAge) {
    /** Headroom of 256 MiB or 1 %; a tenth of the usable space for retained data, for a week. */
    public static final StagingLimits DEFAULTS = new StagingLimits(256L << 20, 1, 10, Duration.ofDays(7));

    public StagingLimits {
        if (headroomBytes < 0
                || headroomPercent < 0
                || headroomPercent > 50
                || keptPercent < 0
                || keptPercent > 100
                || keptAge.isNegative()) {
            throw new IllegalArgumentException("headroom of " + headroomBytes + " bytes or " + headroomPercent
                    + " %, kept " + keptPercent + " % for " + keptAge
                    + " (expected: at least 0, 0 to 50, 0 to 100, not negative)");
        }
    }

    /** The headroom of a volume of this size. */
    long headroom(long volumeBytes) {
        return Math.max(headroomBytes, volumeBytes / 100 * headroomPercent);
    }
}
