package io.sluice.streaming.planner.balance;

/** Assigns pieces largest first, each to the source that then finishes first; among equals to the nearest. */
final class LargestFirst {
    /** Sizes are ranked by their leading bits: finer ranks cost time without benefit. */
    private static final int MANTISSA_BITS = 3;

    private static final int RANKS = 64 << MANTISSA_BITS;

    private static final int PIECES_AT_ONCE = 64;

    private LargestFirst() {}

    static Assignment assign(BalanceProblem problem) {
        Assignment assignment = new Assignment(problem);
        int[] order = order(problem);
        for (int start = 0; start < order.length; start += PIECES_AT_ONCE) {
            int end = Math.min(order.length, start + PIECES_AT_ONCE);
            fetch(problem, order, start, end);
            for (int i = start; i < end; i++) {
                assignment.take(order[i], best(problem, assignment, order[i]));
            }
        }
        return assignment;
    }

    /**
     * Reads an option of each piece right before they are assigned. In this order neighbours are far apart in memory,
     * and the processor fetches many at the same time only as long as nothing is decided by them.
     */
    private static void fetch(BalanceProblem problem, int[] order, int start, int end) {
        long all = 0;
        for (int i = start; i < end; i++) {
            int option = problem.firstOption(order[i]);
            all |= problem.bytes(option) | problem.source(option);
        }
        if (all < 0) { // never; without any use of it the compiler would leave out the reads
            throw new IllegalStateException("an option has a negative length");
        }
    }

    static int best(BalanceProblem problem, Assignment assignment, int piece) {
        int best = problem.firstOption(piece);
        double soonest = Double.POSITIVE_INFINITY;
        for (int option = best; option < problem.firstOption(piece + 1); option++) {
            double finish = assignment.finishSeconds(problem.source(option), problem.bytes(option));
            boolean isNearer = finish == soonest && problem.distance(option) < problem.distance(best);
            if (finish < soonest || isNearer) {
                soonest = finish;
                best = option;
            }
        }
        return best;
    }

    /** All pieces by descending rank of their length, stable within a rank. A counting sort. */
    static int[] order(BalanceProblem problem) {
        int[] next = new int[RANKS + 1];
        for (int piece = 0; piece < problem.pieces(); piece++) {
            next[rank(problem.leastBytes(piece)) + 1]++;
        }
        for (int rank = 0; rank < RANKS; rank++) {
            next[rank + 1] += next[rank];
        }
        int[] order = new int[problem.pieces()];
        for (int piece = 0; piece < problem.pieces(); piece++) {
            order[next[rank(problem.leastBytes(piece))]++] = piece;
        }
        return order;
    }

    /** The rank; 0 for the longest. */
    private static int rank(long bytes) {
        int exponent = 63 - Long.numberOfLeadingZeros(bytes | 1);
        long mantissa =
                exponent <= MANTISSA_BITS ? bytes << (MANTISSA_BITS - exponent) : bytes >> (exponent - MANTISSA_BITS);
        int ascending = (exponent << MANTISSA_BITS) + (int) (mantissa & ((1 << MANTISSA_BITS) - 1));
        return RANKS - 1 - ascending;
    }
}
