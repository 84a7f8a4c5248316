package io.sluice.simulation;

import io.sluice.sstable.token.TokenRange;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Draws sections of the ring, and tokens, often at the borders where an off-by-one error would show. Stateless. */
final class RingSections {
    static final List<Long> EDGES =
            List.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MIN_VALUE + 2, -1L, 0L, 1L, Long.MAX_VALUE - 1);

    private RingSections() {}

    /** One to five sections that do not overlap; one of them may wrap around the highest token. */
    static List<TokenRange> draw(SplittableRandom random) {
        int count = 1 + random.nextInt(5);
        TreeSet<Long> cuts = new TreeSet<>();
        while (cuts.size() < count + 1) {
            cuts.add(random.nextInt(3) == 0 ? EDGES.get(random.nextInt(EDGES.size())) : random.nextLong(-5, 6) * 1_000);
        }
        List<Long> around = new ArrayList<>(cuts);
        int first = random.nextInt(around.size());
        List<TokenRange> sections = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            sections.add(TokenRange.of(around.get(i % around.size()), around.get((i + 1) % around.size())));
        }
        return sections;
    }

    /** A token in a section: its first, its last, or another; never the lowest of all, which no partition has. */
    static long token(TokenRange range, SplittableRandom random) {
        RingSection section = new RingSection(range.start().value(), range.end().value());
        long token = switch (random.nextInt(5)) {
            case 0 -> section.first();
            case 1 -> section.end();
            case 2 -> Long.MAX_VALUE;
            case 3 -> section.first() + random.nextInt(1_000);
            default -> section.end() - random.nextInt(1_000);
        };
        boolean isGood = section.contains(token) && token != Long.MIN_VALUE;
        return isGood ? token : section.first();
    }
}
