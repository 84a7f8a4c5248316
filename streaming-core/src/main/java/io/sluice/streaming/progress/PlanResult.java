package io.sluice.streaming.progress;

import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.UUID;

/**
 * How a plan ended. Immutable.
 *
 * @param tables each requested table, with what became of it
 * @param sessions the last sample of each session
 */
public record PlanResult(UUID planId, List<TableResult> tables, List<SessionProgress> sessions) {
    public PlanResult {
        tables = List.copyOf(tables);
        sessions = List.copyOf(sessions);
    }

    /**
     * What became of one table.
     *
     * @param installed whether all its received SSTables are durable and live
     * @param reason why not; empty if installed
     */
    public record TableResult(TableRef table, boolean installed, int sstables, long bytes, String reason) {}

    /** Whether every table was installed. */
    public boolean isComplete() {
        return tables.stream().allMatch(TableResult::installed);
    }
}
