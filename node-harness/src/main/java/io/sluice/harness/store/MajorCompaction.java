package io.sluice.harness.store;

import io.sluice.sstable.component.Descriptor;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compacts all SSTables that exist at the first call into one, whatever their sizes. Done when none of them is left: a
 * compaction that was discarded is repeated. Not thread-safe; used once.
 */
public final class MajorCompaction implements CompactionStrategy {
    private @Nullable Set<Descriptor> first;

    @Override
    public Optional<Task> next(List<Candidate> live) {
        Set<Descriptor> begun = first;
        if (begun == null) {
            begun = live.stream().map(Candidate::descriptor).collect(Collectors.toUnmodifiableSet());
            first = begun;
        }
        Set<Descriptor> wanted = begun;
        boolean isDone = live.stream().map(Candidate::descriptor).noneMatch(wanted::contains);
        return isDone ? Optional.empty() : Optional.of(new Task(live, 0, Long.MAX_VALUE));
    }
}
