package io.sluice.streaming.install;

import java.time.Duration;

/**
 * What staging leaves to others. Immutable.
 *
 * @param headroomBytes never taken by what is received, at least 0
 * @param headroomPercent of the volume, never taken either, 0 to 50: the larger of the two counts
 * @param keptPercent of what the volume could give, for transfers that broke off and may be tried again, 0 to 100
 * @param keptAge after which what is kept of them is removed
 */
public record StagingLimits(long headroomBytes, int headroomPercent, int keptPercent, Duration keptAge) {
    /** 256 MiB or 1 %; a tenth; a week. */
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

    /** What is never taken of a volume of so many bytes. */
    long headroom(long volumeBytes) {
        return Math.max(headroomBytes, volumeBytes / 100 * headroomPercent);
    }
}
