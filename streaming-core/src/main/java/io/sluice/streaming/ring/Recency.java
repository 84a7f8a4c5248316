package io.sluice.streaming.ring;

import java.util.Arrays;

/**
 * Lists of items, one list per group, the one touched last at the front. Touching and stepping take constant time. Not
 * thread-safe: confined to one walk.
 */
final class Recency {
    private static final int NONE = -1;

    private final int[] groupOf;
    private final int[] first;
    private final int[] next;
    private final int[] previous;
    private final boolean[] isListed;

    /** @param groupOf the group of each item */
    Recency(int[] groupOf, int groups) {
        this.groupOf = groupOf;
        this.first = new int[groups];
        this.next = new int[groupOf.length];
        this.previous = new int[groupOf.length];
        this.isListed = new boolean[groupOf.length];
        Arrays.fill(first, NONE);
    }

    void touch(int item) {
        int group = groupOf[item];
        if (first[group] == item) {
            return;
        }
        if (isListed[item]) {
            unlink(item);
        }
        isListed[item] = true;
        int second = first[group];
        next[item] = second;
        previous[item] = NONE;
        if (second != NONE) {
            previous[second] = item;
        }
        first[group] = item;
    }

    /** Unlinks an item that is not the first of its list. */
    private void unlink(int item) {
        next[previous[item]] = next[item];
        if (next[item] != NONE) {
            previous[next[item]] = previous[item];
        }
    }

    int first(int group) {
        return first[group];
    }

    int next(int item) {
        return next[item];
    }
}
