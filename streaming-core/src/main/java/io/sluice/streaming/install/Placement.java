package io.sluice.streaming.install;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * On which volume an SSTable lands: on the one whose tokens it lies in, else, and if that has no room, where most room
 * is. An SSTable is not divided for it: of one that crosses a boundary a part lies on the wrong volume until the
 * database rewrites it. Pure.
 */
final class Placement {
    private Placement() {}

    /**
     * A volume as it is now.
     *
     * @param tokens that it should hold; none if the ring is not divided
     * @param freeBytes that are not reserved for anything else, headroom left out
     */
    record Candidate(TokenRanges tokens, long freeBytes) {}

    /**
     * The volumes in the order in which they are to be asked for room, by their numbers.
     *
     * @param first token of the SSTable
     * @param last token of it
     */
    static List<Integer> order(List<Candidate> volumes, Token first, Token last) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < volumes.size(); i++) {
            order.add(i);
        }
        int owner = owner(volumes, first, last);
        order.sort(Comparator.comparing((Integer i) -> i != owner)
                .thenComparing(i -> -volumes.get(i).freeBytes()));
        return order;
    }

    /** The only one to which tokens from the first to the last belong; -1 if there is none such. */
    private static int owner(List<Candidate> volumes, Token first, Token last) {
        int owner = -1;
        for (int i = 0; i < volumes.size(); i++) {
            if (volumes.get(i).tokens().intersects(first, last)) {
                if (owner >= 0) {
                    return -1;
                }
                owner = i;
            }
        }
        return owner;
    }
}
