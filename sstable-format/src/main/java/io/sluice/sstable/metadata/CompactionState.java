package io.sluice.sstable.metadata;

import java.util.Optional;
import java.util.UUID;

/**
 * Where the SSTable stands in compaction and repair: what nodes rewrite in place. Immutable.
 *
 * @param level of leveled compaction
 * @param repairedAtMillis since 1970, or 0 if not repaired
 * @param pendingRepair the session that it waits for
 * @param isTransient whether it holds transient replicas
 * @param originatingHost the node that wrote it, to which alone commit log positions mean something
 */
public record CompactionState(
        int level,
        long repairedAtMillis,
        Optional<UUID> pendingRepair,
        boolean isTransient,
        Optional<UUID> originatingHost) {

    /** A file at level 0, not repaired, of no host. */
    public static final CompactionState NEW = new CompactionState(0, 0, Optional.empty(), false, Optional.empty());

    /** The same of no host, as what another node makes of the rows or of some of them. */
    public CompactionState ofNoHost() {
        return new CompactionState(level, repairedAtMillis, pendingRepair, isTransient, Optional.empty());
    }
}
