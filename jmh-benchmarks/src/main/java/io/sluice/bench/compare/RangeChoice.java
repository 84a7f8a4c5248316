package io.sluice.bench.compare;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Which part of the ring is moved. Stateless. */
final class RangeChoice {
    private static final int SEED = 42;
    private static final int MAX_VNODES = 4096;
    private static final String VNODES = "vnodes:";

    private RangeChoice() {}

    /**
     * The ranges of a choice: {@code whole}, {@code half} (the lower half of the ring) or {@code vnodes:N}: the N
     * ranges of one of three nodes with N random tokens each, always the same.
     *
     * @throws IllegalArgumentException if it is none of them
     */
    static TokenRanges of(String choice) {
        if (choice.equals("whole")) {
            return TokenRanges.FULL;
        }
        if (choice.equals("half")) {
            return TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0));
        }
        if (choice.matches(VNODES + "\\d{1,4}")) {
            int count = Integer.parseInt(choice.substring(VNODES.length()));
            if (count >= 1 && count <= MAX_VNODES) {
                return vnodes(count);
            }
        }
        throw new IllegalArgumentException(
                "--ranges " + choice + " (expected: whole, half, or vnodes:1 to vnodes:" + MAX_VNODES + ")");
    }

    private static TokenRanges vnodes(int count) {
        long[] tokens = new SplittableRandom(SEED).longs(3L * count).sorted().toArray();
        List<TokenRange> ranges = new ArrayList<>();
        for (int i = 0; i < tokens.length; i += 3) {
            ranges.add(TokenRange.of(tokens[(i + tokens.length - 1) % tokens.length], tokens[i]));
        }
        return TokenRanges.of(ranges);
    }
}
