package io.sluice.harness.store;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import java.util.List;
import java.util.Optional;

/** Decides which SSTables of a table to compact. Does no I/O; immutable, unless it says otherwise. */
public interface CompactionStrategy {
    /** No compaction. */
    CompactionStrategy NONE = live -> Optional.empty();

    /** What there is before the first of a series of calls of {@link #next}: SSTables of all repair states. */
    default void begin(List<Candidate> all) {}

    /**
     * The next compaction, or empty if none is worthwhile.
     *
     * @param live those of one repair state
     */
    Optional<Task> next(List<Candidate> live);

    /** An SSTable as strategies see it. */
    record Candidate(Descriptor descriptor, long bytes, int level, Token first, Token last) {
        static Candidate of(SSTable sstable) {
            int level = sstable.statistics().stats().placement().level();
            return new Candidate(
                    sstable.descriptor(), sstable.bytesOnDisk(), level, sstable.firstToken(), sstable.lastToken());
        }

        boolean overlaps(Candidate other) {
            return first.compareTo(other.last) <= 0 && other.first.compareTo(last) <= 0;
        }
    }

    /**
     * A compaction.
     *
     * @param inputs one or more
     * @param level of the outputs
     * @param maxBytes size at which the output continues in another SSTable
     */
    record Task(List<Candidate> inputs, int level, long maxBytes) {
        public Task {
            inputs = List.copyOf(inputs);
        }
    }
}
