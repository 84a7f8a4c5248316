package io.sluice.sstable.metadata;

import java.util.Optional;
import java.util.UUID;

/**
 * The state of an SSTable in compaction and repair, which nodes rewrite in place. Immutable.
 *
 * @param level of leveled compaction
 * @param repairedAtMillis since 1970, or 0 if not repaired
 * @param pendingRepair the repair session that it is part of
 * @param isTransient whether it holds transient replicas
 * @param originatingHost the node that wrote it; commit log positions are only meaningful there
 */
public record CompactionState(
        int level,
        long repairedAtMillis,
        Optional<UUID> pendingRepair,
        boolean isTransient,
        Optional<UUID> originatingHost) {

    /** Level 0, not repaired, without host. */
    public static final CompactionState NEW = new CompactionState(0, 0, Optional.empty(), false, Optional.empty());

    /** A copy without host, for SSTables that another node writes. */
    public CompactionState ofNoHost() {
        return new CompactionState(level, repairedAtMillis, pendingRepair, isTransient, Optional.empty());
    }

    /** A copy with another level. */
    public CompactionState atLevel(int other) {
        return new CompactionState(other, repairedAtMillis, pendingRepair, isTransient, originatingHost);
    }

    /** A copy with the repair state of {@code other}, including transient replication. */
    public CompactionState repairedAs(CompactionState other) {
        return new CompactionState(
                level, other.repairedAtMillis, other.pendingRepair, other.isTransient, originatingHost);
    }
}
