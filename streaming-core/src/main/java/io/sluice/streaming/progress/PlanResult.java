package io.sluice.streaming.progress;

import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * How a plan ended. Immutable.
 *
 * @param started when this node began to execute it
 * @param failure why it is not complete: that of its first table that is not live, or that it was cancelled
 * @param tables each requested table, with what became of it
 * @param ranges every range of every table, with what became of it
 * @param sessions the last sample of each session
 */
public record PlanResult(
        UUID planId,
        Instant started,
        Instant ended,
        Optional<Failure> failure,
        List<TableResult> tables,
        List<RangeResult> ranges,
        List<SessionProgress> sessions) {
    public PlanResult {
        tables = List.copyOf(tables);
        ranges = List.copyOf(ranges);
        sessions = List.copyOf(sessions);
    }

    /**
     * Why something was not brought to its end. Immutable.
     *
     * @param peer id of the node whose session failed; empty if the failure is of this node alone
     * @param reason a sentence for an operator, in one line
     */
    public record Failure(ErrorCode code, Optional<UUID> peer, String reason, Instant time) {
        /** Whether the same plan may succeed later ({@link ErrorCode#isRetryable()}). */
        public boolean isRetryable() {
            return code.isRetryable();
        }

        /** Code and reason. */
        @Override
        public String toString() {
            return code + ": " + reason;
        }
    }

    /**
     * What became of one table.
     *
     * @param bytes of its SSTables
     * @param started when its first session was opened, or, if none was, the plan began
     * @param ended when it was live, or had failed
     * @param failure why it is not live; empty if it is
     */
    public record TableResult(
            TableRef table, int sstables, long bytes, Instant started, Instant ended, Optional<Failure> failure) {
        /** Whether all its received SSTables are durable and live. */
        public boolean installed() {
            return failure.isEmpty();
        }

        /** Code and reason of the failure; empty if it is installed. */
        public String reason() {
            return failure.map(Failure::toString).orElse("");
        }
    }

    /** How a range ended. */
    public enum Outcome {
        /** Durable and live here. */
        INSTALLED,
        /** Not begun: a node said why it cannot be. */
        REFUSED,
        /** Begun, and not brought to an end. */
        FAILED
    }

    /**
     * What became of some ranges of one table, from one source.
     *
     * @param source the node that was asked last
     * @param failure why they are not live; empty if they are
     * @param writes whether this node had all writes meanwhile; of ranges that are not installed it says nothing
     */
    public record RangeResult(
            TableRef table,
            List<TokenRange> ranges,
            Node source,
            Outcome outcome,
            Optional<Failure> failure,
            LiveWrites writes) {
        public RangeResult {
            ranges = List.copyOf(ranges);
        }

        /** Code and reason of the failure; empty if the ranges are installed. */
        public String reason() {
            return failure.map(Failure::toString).orElse("");
        }
    }

    /**
     * Whether a node had every write to some ranges while they were streamed, as its database reported. Immutable.
     *
     * @param since from when on it has them without a gap; empty if it has not, or does not report
     */
    public record LiveWrites(Kind kind, Optional<Instant> since) {
        /** Of a database that does not report. */
        public static final LiveWrites NOT_SAID = new LiveWrites(Kind.NOT_SAID, Optional.empty());

        /** What is known. */
        public enum Kind {
            /** The database did not report. */
            NOT_SAID,
            /** All writes, since before anything was pinned at a source: nothing is missing. */
            GAPLESS,
            /** Writes were missed while the plan ran: hints or a repair must bring them before reads rely on it. */
            GAP
        }

        /** What two answers of the database mean: one when the plan began, one when the ranges were live. */
        public static LiveWrites between(Optional<Instant> first, Optional<Instant> last) {
            if (first.isEmpty() && last.isEmpty()) {
                return NOT_SAID;
            }
            return new LiveWrites(first.equals(last) ? Kind.GAPLESS : Kind.GAP, last);
        }

        @Override
        public String toString() {
            return switch (kind) {
                case NOT_SAID -> "the database does not say since when it has all writes";
                case GAPLESS -> since.map(from -> "all writes since " + from).orElse("all writes");
                case GAP ->
                    since.map(from -> "writes were missed before " + from + "; repair before reads count on it")
                            .orElse("writes do not come any more; repair before reads count on it");
            };
        }
    }

    /** The result of a plan that was not begun: each table of {@code requests} failed so. */
    public static PlanResult refused(UUID planId, List<StreamRequest> requests, Failure why) {
        return new PlanResult(
                planId,
                why.time(),
                why.time(),
                Optional.of(why),
                requests.stream()
                        .map(StreamRequest::table)
                        .distinct()
                        .map(table -> new TableResult(table, 0, 0, why.time(), why.time(), Optional.of(why)))
                        .toList(),
                requests.stream()
                        .map(request -> new RangeResult(
                                request.table(),
                                request.ranges().ranges(),
                                request.source(),
                                Outcome.REFUSED,
                                Optional.of(why),
                                LiveWrites.NOT_SAID))
                        .toList(),
                List.of());
    }

    /** Whether every table was installed. */
    public boolean isComplete() {
        return tables.stream().allMatch(TableResult::installed);
    }
}
