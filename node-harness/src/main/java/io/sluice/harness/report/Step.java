package io.sluice.harness.report;

import java.util.Locale;

/**
 * How far a phase of long work is at one moment. Immutable.
 *
 * @param phase what is done, as {@code decoding rows}
 * @param done of {@code total}, at most that: totals may be estimates
 * @param total 0 if it is not known
 * @param things that are counted, as {@code ranges}; empty for bytes
 * @param note what else goes on; may be empty
 */
public record Step(String phase, long done, long total, String things, String note) {
    private static final double LONG_SECONDS = 120;
    private static final double SECONDS_PER_MINUTE = 60;
    /** Fewer things than this in a second are said the other way round. */
    private static final double SLOW = 0.5;

    public Step {
        done = total == 0 ? done : Math.min(done, total);
    }

    /** A phase of which {@code things} are counted. */
    public Step(String phase, long done, long total, String things) {
        this(phase, done, total, things, "");
    }

    /** The same, with what else goes on. */
    public Step noting(String other) {
        return new Step(phase, done, total, things, other);
    }

    /** A phase of which bytes are counted. */
    public static Step ofBytes(String phase, long done, long total) {
        return new Step(phase, done, total, "");
    }

    /** The same, with so much more of it done. */
    public Step plus(long more) {
        return new Step(phase, done + more, total, things, note);
    }

    /** Whether all that is counted is done; the work may still have to be made durable. */
    boolean isComplete() {
        return total > 0 && done == total;
    }

    /** Whether bytes are counted. */
    boolean isOfBytes() {
        return things.isEmpty();
    }

    /**
     * One line: phase, share, rate and time left, as far as they are known.
     *
     * @param seconds since the phase began, with nothing done
     */
    public String text(double seconds) {
        return text(seconds, 0);
    }

    /**
     * The same for a phase of which something was done before it began here.
     *
     * @param before what was, which says nothing of the rate
     */
    String text(double seconds, long before) {
        return numbers(seconds, done - before) + (note.isEmpty() ? "" : "; " + note);
    }

    private String numbers(double seconds, long doneSince) {
        if (total == 0) {
            return String.format(
                    Locale.ROOT, "%s, for %s%s", phase, time(seconds), done == 0 ? "" : ", " + amount(done));
        }
        double perSecond = seconds > 0 ? doneSince / seconds : 0;
        String share = String.format(
                Locale.ROOT,
                "%s: %.1f %%, %s of %s",
                phase,
                100.0 * done / total,
                isOfBytes() ? amount(done) : String.valueOf(done),
                amount(total));
        return perSecond <= 0 || done == total
                ? share
                : share + ", " + rate(perSecond) + ", " + time((total - done) / perSecond) + " left";
    }

    private String amount(long number) {
        return isOfBytes() ? ByteFormat.text(number) : number + " " + things;
    }

    private String rate(double perSecond) {
        if (isOfBytes()) {
            return ByteFormat.rate(perSecond);
        } else if (perSecond < SLOW) {
            return time(1 / perSecond) + " each";
        }
        return String.format(Locale.ROOT, perSecond < 10 ? "%.1f/s" : "%.0f/s", perSecond);
    }

    private static String time(double seconds) {
        return seconds < LONG_SECONDS
                ? String.format(Locale.ROOT, "%.0f s", seconds)
                : String.format(Locale.ROOT, "%.0f min", seconds / SECONDS_PER_MINUTE);
    }
}
