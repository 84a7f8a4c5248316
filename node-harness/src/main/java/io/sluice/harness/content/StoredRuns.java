package io.sluice.harness.content;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What some SSTables of a table add to the {@link StoredDigest} of ranges. Immutable.
 *
 * @param hashes of their runs of partitions, by range
 */
public record StoredRuns(Map<TokenRange, List<String>> hashes) {
    public StoredRuns {
        hashes = Map.copyOf(hashes);
    }

    /**
     * Reads all of these ranges, and verifies every checksum.
     *
     * @throws IOException if a file cannot be read, or a checksum does not match
     */
    static StoredRuns verified(Collection<SSTable> sstables, List<TokenRange> ranges) throws IOException {
        return of(sstables, ranges, StoredRun::verify);
    }

    /**
     * Reads the checksums of these ranges, and of their bytes only those at the ends of runs.
     *
     * @throws IOException if a file cannot be read, or a checksum of what is read does not match
     */
    static StoredRuns recorded(Collection<SSTable> sstables, List<TokenRange> ranges) throws IOException {
        return of(sstables, ranges, run -> {});
    }

    /** What a run must pass before it is hashed. */
    private interface Check {
        void of(StoredRun run) throws IOException;
    }

    private static StoredRuns of(Collection<SSTable> sstables, List<TokenRange> ranges, Check check)
            throws IOException {
        Map<TokenRange, List<String>> hashes = new LinkedHashMap<>();
        for (TokenRange range : ranges) {
            List<String> runs = new ArrayList<>();
            for (SSTable sstable : sstables) {
                for (StoredRun run : StoredDigest.runs(sstable, range)) {
                    check.of(run);
                    runs.add(run.hash(StoredDigest.sha256()));
                }
            }
            hashes.put(range, runs);
        }
        return new StoredRuns(hashes);
    }

    /** The digest of each range, in their order, of all SSTables of the table together. */
    public static List<StoredDigest> digests(Collection<StoredRuns> parts, List<TokenRange> ranges) {
        return ranges.stream()
                .map(range -> StoredDigest.ofRuns(parts.stream()
                        .flatMap(part -> part.hashes.getOrDefault(range, List.of()).stream())
                        .toList()))
                .toList();
    }
}
