package io.sluice.harness.store;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import java.util.List;
import java.util.Optional;

/** Decides which SSTables of a table become one. Immutable; does no I/O. */
public interface CompactionStrategy {
    /** SSTables stay as they are. */
    CompactionStrategy NONE = live -> Optional.empty();

    /** What is worth to be compacted next, or empty if nothing is. */
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
     * What to do.
     *
     * @param inputs one or more
     * @param level of the outcome
     * @param maxBytes after which the outcome goes on in another SSTable
     */
    record Task(List<Candidate> inputs, int level, long maxBytes) {
        public Task {
            inputs = List.copyOf(inputs);
        }
    }
}
