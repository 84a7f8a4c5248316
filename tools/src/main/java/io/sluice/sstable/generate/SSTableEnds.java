package io.sluice.sstable.generate;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.ArrayList;
import java.util.List;

/** Computes the tokens at which one SSTable ends and the next begins. Stateless. */
final class SSTableEnds {
    private SSTableEnds() {}

    /**
     * The last token of each SSTable, ascending: divides each range into parts of equal width, in proportion to its
     * share of {@code sstables}, at least one.
     */
    static List<Long> of(List<TokenRange> ranges, int sstables) {
        List<TokenRange> plain = ranges.stream()
                .flatMap(range -> TokenRanges.of(range).ranges().stream())
                .sorted((a, b) -> a.start().compareTo(b.start()))
                .toList();
        double whole = plain.stream().mapToDouble(SSTableEnds::width).sum();
        List<Long> ends = new ArrayList<>();
        for (TokenRange range : plain) {
            long parts = Math.max(1, Math.round(sstables * width(range) / whole));
            long part = Long.divideUnsigned(unsignedWidth(range), parts);
            for (long i = 1; i < parts; i++) {
                ends.add(range.start().value() + i * part);
            }
            ends.add(range.start().value() + unsignedWidth(range));
        }
        return ends;
    }

    private static double width(TokenRange range) {
        long width = unsignedWidth(range);
        return width >= 0 ? width : width + 0x1p64;
    }

    /** Number of tokens in the range, unsigned. */
    private static long unsignedWidth(TokenRange range) {
        long end = range.end().value() == Long.MIN_VALUE
                ? Long.MAX_VALUE
                : range.end().value();
        return end - range.start().value();
    }
}
