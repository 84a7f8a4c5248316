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
 * @param failure why it is not complete: the failure of its first table that is not live, or the cancellation; empty if
 *     all tables are live, also if the plan was cancelled during the last install
 * @param tables the result of each requested table
 * @param ranges the result of every range of every table
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
     * Why a plan, table, range or session failed. Immutable.
     *
     * @param peer id of the node whose session failed; empty if this node alone failed
     * @param reason one line for an operator
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
     * The result of one table.
     *
     * @param bytes of its SSTables
     * @param started when its first session opened; without a session, when the plan began
     * @param ended when it became live or failed
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
        /** Not started: a node refused it with a reason. */
        REFUSED,
        /** Started, but not completed. */
        FAILED
    }

    /**
     * The result of some ranges of one table from one source.
     *
     * @param source the node that was asked last
     * @param failure why they are not live; empty if they are
     * @param writes whether this node received all writes meanwhile; meaningless for ranges that are not installed
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
     * Whether a node received every write to some ranges while they were streamed, according to its database.
     * Immutable.
     *
     * @param since the time since which it has them without a gap; empty if it does not, or does not report it
     */
    public record LiveWrites(Kind kind, Optional<Instant> since) {
        /** For a database that does not report. */
        public static final LiveWrites NOT_SAID = new LiveWrites(Kind.NOT_SAID, Optional.empty());

        /** The state of these writes. */
        public enum Kind {
            /** The database did not report. */
            NOT_SAID,
            /** All writes since before a source pinned anything: nothing is missing. */
            GAPLESS,
            /**
             * The node missed writes while the plan ran: hints or a repair must deliver them before reads can rely on
             * the data.
             */
            GAP
        }

        /** Compares two answers of the database: when the plan began, and when the ranges were live. */
        public static LiveWrites between(Optional<Instant> first, Optional<Instant> last) {
            if (first.isEmpty() && last.isEmpty()) {
                return NOT_SAID;
            }
            return new LiveWrites(first.equals(last) ? Kind.GAPLESS : Kind.GAP, last);
        }

        @Override
        public String toString() {
            return switch (kind) {
                case NOT_SAID -> "the database does not report whether writes are missing";
                case GAPLESS -> since.map(from -> "all writes since " + from).orElse("all writes");
                case GAP ->
                    since.map(from -> "writes before " + from + " are missing; repair before reads rely on it")
                            .orElse("writes no longer arrive; repair before reads rely on it");
            };
        }
    }

    /** The result of a plan that did not start: each table of {@code requests} has this failure. */
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
