package io.sluice.harness.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Compacts four or more SSTables of similar size: few writes, but a key may be in many SSTables. Immutable. */
public record SizeTiered() implements CompactionStrategy {
    private static final int MIN_THRESHOLD = 4;
    private static final int MAX_THRESHOLD = 32;
    private static final double BUCKET_LOW = 0.5;
    private static final double BUCKET_HIGH = 1.5;
    private static final long SMALL_BYTES = 1 << 20; // all smaller ones count as of one size

    @Override
    public Optional<Task> next(List<Candidate> live) {
        return buckets(live).stream()
                .filter(bucket -> bucket.size() >= MIN_THRESHOLD)
                .max(Comparator.comparingInt(List::size))
                .map(bucket -> new Task(bucket.subList(0, Math.min(bucket.size(), MAX_THRESHOLD)), 0, Long.MAX_VALUE));
    }

    private static List<List<Candidate>> buckets(List<Candidate> live) {
        List<List<Candidate>> buckets = new ArrayList<>();
        for (Candidate candidate :
                live.stream().sorted(Comparator.comparingLong(Candidate::bytes)).toList()) {
            List<Candidate> last = buckets.isEmpty() ? List.of() : buckets.get(buckets.size() - 1);
            if (!last.isEmpty() && isAlike(candidate.bytes(), last)) {
                last.add(candidate);
            } else {
                buckets.add(new ArrayList<>(List.of(candidate)));
            }
        }
        return buckets;
    }

    private static boolean isAlike(long bytes, List<Candidate> bucket) {
        double average = bucket.stream().mapToLong(Candidate::bytes).average().orElse(0);
        return bytes < SMALL_BYTES || (bytes > average * BUCKET_LOW && bytes < average * BUCKET_HIGH);
    }
}
