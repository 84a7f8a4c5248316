package io.sluice.harness.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Leveled compaction: SSTables of a level above 0 do not overlap, and each level may be ten times as large as the one
 * below. Many writes, but a key is in few SSTables, and an SSTable often lies within one range. Immutable.
 *
 * @param sstableBytes approximate size of SSTables, 1 or more
 */
public record Leveled(long sstableBytes) implements CompactionStrategy {
    /** Cassandra's default. */
    public static final long DEFAULT_SSTABLE_BYTES = 160L << 20;

    private static final int LEVEL_0_THRESHOLD = 4;
    private static final int MAX_INPUTS = 32;
    private static final int FAN_OUT = 10;
    private static final int MAX_LEVEL = 8;

    @Override
    public Optional<Task> next(List<Candidate> live) {
        Map<Integer, List<Candidate>> levels = levels(live);
        List<Candidate> unordered = levels.getOrDefault(0, List.of());
        if (unordered.size() >= LEVEL_0_THRESHOLD) {
            return Optional.of(up(unordered.subList(0, Math.min(unordered.size(), MAX_INPUTS)), 1, levels));
        }
        double room = sstableBytes;
        for (int level = 1; level < MAX_LEVEL; level++) {
            room *= FAN_OUT;
            List<Candidate> members = levels.getOrDefault(level, List.of());
            if (members.stream().mapToLong(Candidate::bytes).sum() > room) {
                Candidate oldest = members.stream()
                        .min(Comparator.comparing(member -> member.descriptor().id()))
                        .orElseThrow();
                return Optional.of(up(List.of(oldest), level + 1, levels));
            }
        }
        return Optional.empty();
    }

    private Task up(List<Candidate> inputs, int level, Map<Integer, List<Candidate>> levels) {
        Set<Candidate> all = new HashSet<>(inputs);
        for (Candidate member : levels.getOrDefault(level, List.of())) {
            if (inputs.stream().anyMatch(member::overlaps)) {
                all.add(member);
            }
        }
        return new Task(List.copyOf(all), level, sstableBytes);
    }

    /** SSTables by level; one that overlaps its level, as a received SSTable may, counts as level 0. */
    private static Map<Integer, List<Candidate>> levels(List<Candidate> live) {
        Map<Integer, List<Candidate>> levels = new HashMap<>();
        for (Candidate candidate :
                live.stream().sorted(Comparator.comparing(Candidate::first)).toList()) {
            List<Candidate> level = levels.computeIfAbsent(candidate.level(), any -> new ArrayList<>());
            boolean fits = candidate.level() == 0 || level.stream().noneMatch(candidate::overlaps);
            (fits ? level : levels.computeIfAbsent(0, any -> new ArrayList<>())).add(candidate);
        }
        return levels;
    }
}
