package io.sluice.streaming.progress;

import java.time.Instant;
import java.util.Optional;

/**
 * Whether a node had every write to some ranges while they came, as its database told. Immutable.
 *
 * @param since from when on it has them without a gap, as {@link Instant} writes it; empty if it has not, or does not
 *     say
 */
public record LiveWrites(Kind kind, String since) {
    /** Of a database that does not say. */
    public static final LiveWrites NOT_SAID = new LiveWrites(Kind.NOT_SAID, "");

    /** What is known. */
    public enum Kind {
        /** The database did not say. */
        NOT_SAID,
        /** All writes, since before anything was pinned at a source: nothing is missing. */
        GAPLESS,
        /** Writes were missed while the plan ran: they must be brought by hints or repair before reads count on it. */
        GAP
    }

    /** What two answers of the database mean: one when the plan began, one when the ranges were live. */
    public static LiveWrites between(Optional<Instant> first, Optional<Instant> last) {
        if (first.isEmpty() && last.isEmpty()) {
            return NOT_SAID;
        }
        return new LiveWrites(
                first.equals(last) ? Kind.GAPLESS : Kind.GAP,
                last.map(Instant::toString).orElse(""));
    }

    @Override
    public String toString() {
        return switch (kind) {
            case NOT_SAID -> "the database does not say since when it has all writes";
            case GAPLESS -> "all writes since " + since;
            case GAP ->
                since.isEmpty()
                        ? "writes do not come any more; repair before reads count on it"
                        : "writes were missed before " + since + "; repair before reads count on it";
        };
    }
}
