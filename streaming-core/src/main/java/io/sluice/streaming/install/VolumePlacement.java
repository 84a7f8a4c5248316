package io.sluice.streaming.install;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses the volume for an SSTable: the one whose tokens contain it, or, if there is none or it has no space, the one
 * with most free space. SSTables are not divided: a part of one that crosses a boundary is on the wrong volume until
 * the database rewrites it. Pure.
 */
final class VolumePlacement {
    private VolumePlacement() {}

    /**
     * The current state of a volume.
     *
     * @param tokens the tokens that it should hold; none if the ring is not divided
     * @param freeBytes unreserved free bytes, without the headroom
     */
    record Candidate(TokenRanges tokens, long freeBytes) {}

    /**
     * The numbers of the volumes, in order of preference.
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

    /** The only volume that holds all tokens from the first to the last; -1 if there is none. */
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
