package io.sluice.streaming.progress;

import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.UUID;

/**
 * How a plan ended. Immutable.
 *
 * @param tables each requested table, with what became of it
 * @param ranges every range of every table, with what became of it
 * @param sessions the last sample of each session
 */
public record PlanResult(
        UUID planId, List<TableResult> tables, List<RangeResult> ranges, List<SessionProgress> sessions) {
    public PlanResult {
        tables = List.copyOf(tables);
        ranges = List.copyOf(ranges);
        sessions = List.copyOf(sessions);
    }

    /**
     * What became of one table.
     *
     * @param installed whether all its received SSTables are durable and live
     * @param reason why not; empty if installed
     */
    public record TableResult(TableRef table, boolean installed, int sstables, long bytes, String reason) {}

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
     * @param source the name of the node that was asked last
     * @param reason why not; empty if installed
     * @param writes whether this node had all writes meanwhile; of ranges that are not installed it says nothing
     */
    public record RangeResult(
            TableRef table, List<TokenRange> ranges, String source, Outcome outcome, String reason, LiveWrites writes) {
        public RangeResult {
            ranges = List.copyOf(ranges);
        }
    }

    /** The result of a plan that was not begun. */
    public static PlanResult refused(UUID planId, List<StreamRequest> requests, String reason) {
        return new PlanResult(
                planId,
                requests.stream()
                        .map(StreamRequest::table)
                        .distinct()
                        .map(table -> new TableResult(table, false, 0, 0, reason))
                        .toList(),
                requests.stream()
                        .map(request -> new RangeResult(
                                request.table(),
                                request.ranges().ranges(),
                                request.source().name(),
                                Outcome.REFUSED,
                                reason,
                                LiveWrites.NOT_SAID))
                        .toList(),
                List.of());
    }

    /** Whether every table was installed. */
    public boolean isComplete() {
        return tables.stream().allMatch(TableResult::installed);
    }
}
