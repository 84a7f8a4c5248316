package io.sluice.streaming.planner;

import java.util.Arrays;

/**
 * Lists of node numbers in two arrays: a million small arrays would cost the collector of garbage more than what is
 * planned with them. A list that equals the one added before it is not stored again. Not thread-safe: confined to one
 * planner.
 */
final class NodeLists {
    private int[] end = new int[64];
    private int[] numbers = new int[256];
    private int count;

    /** Adds a copy of {@code list}; returns its number. */
    int add(int[] list) {
        if (count > 0 && isEqual(count - 1, list)) {
            return count - 1;
        }
        int start = start(count);
        end = withRoom(end, count, 1);
        numbers = withRoom(numbers, start, list.length);
        System.arraycopy(list, 0, numbers, start, list.length);
        end[count] = start + list.length;
        return count++;
    }

    /** Adds copies of all lists of {@code others}, in their order; returns the number of the first of them. */
    int addAll(NodeLists others) {
        int from = start(count);
        int more = others.start(others.count);
        end = withRoom(end, count, others.count);
        numbers = withRoom(numbers, from, more);
        System.arraycopy(others.numbers, 0, numbers, from, more);
        for (int list = 0; list < others.count; list++) {
            end[count + list] = from + others.end[list];
        }
        count += others.count;
        return count - others.count;
    }

    int size(int list) {
        return end[list] - start(list);
    }

    int get(int list, int index) {
        return numbers[start(list) + index];
    }

    int[] copy(int list) {
        return Arrays.copyOfRange(numbers, start(list), end[list]);
    }

    boolean isEqual(int list, int[] other) {
        return Arrays.equals(numbers, start(list), end[list], other, 0, other.length);
    }

    /** The array, or a copy of at least twice its length if it has no room for {@code more} after {@code used}. */
    private static int[] withRoom(int[] array, int used, int more) {
        int needed = Math.addExact(used, more);
        return needed <= array.length
                ? array
                : Arrays.copyOf(array, Math.max(needed, Math.multiplyExact(array.length, 2)));
    }

    private int start(int list) {
        return list == 0 ? 0 : end[list - 1];
    }
}
