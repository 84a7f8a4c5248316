package io.sluice.harness.store;

import io.sluice.sstable.component.Descriptor;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Compacts all SSTables that exist when it begins, whatever their sizes, into one of each repair state. Done when none
 * of them is left: a compaction that was discarded is repeated. Not thread-safe; used once.
 */
public final class MajorCompaction implements CompactionStrategy {
    private Set<Descriptor> first = Set.of();

    @Override
    public void begin(List<Candidate> all) {
        first = all.stream().map(Candidate::descriptor).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Optional<Task> next(List<Candidate> live) {
        boolean isDone = live.stream().map(Candidate::descriptor).noneMatch(first::contains);
        return isDone ? Optional.empty() : Optional.of(new Task(live, 0, Long.MAX_VALUE));
    }
}
