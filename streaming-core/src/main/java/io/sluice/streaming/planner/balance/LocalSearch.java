package io.sluice.streaming.planner.balance;

import java.util.Arrays;

/**
 * Improves an assignment in small steps: moves a piece of the slowest source to another one, which may pass a piece on
 * to a third, or back, so that all of them finish before the slowest did. Stops at a goal, when no step helps, or when
 * its budget is used up. Not thread-safe: use one instance for each search.
 */
final class LocalSearch {
    private static final int NONE = -1;

    /** More than the bytes of all data, and far enough from overflow to add them. */
    private static final long ANY_BYTES = 1L << 62;

    private final BalanceProblem problem;
    private final Assignment assignment;
    private final UnitsBySource pieces;
    private long looks;

    LocalSearch(BalanceProblem problem, Assignment assignment, long looks) {
        this.problem = problem;
        this.assignment = assignment;
        this.pieces = new UnitsBySource(problem, assignment);
        this.looks = looks;
    }

    /** Improves the assignment until it finishes by {@code goalSeconds}, if possible. */
    void speedUp(double goalSeconds) {
        while (looks > 0) {
            int slowest = assignment.slowest();
            double end = assignment.finishSeconds(slowest);
            if (end <= goalSeconds || !(moveOne(slowest, end) || moveTwo(slowest, end))) {
                return;
            }
        }
    }

    private boolean moveOne(int slowest, double end) {
        int bestPiece = NONE;
        int bestOption = NONE;
        double bestEnd = end;
        for (int piece = pieces.first(slowest); piece != NONE; piece = pieces.next(piece)) {
            long length = problem.bytes(assignment.optionOf(piece));
            for (int option = problem.firstOption(piece); option < problem.firstOption(piece + 1); option++, looks--) {
                if (problem.source(option) == slowest || length == 0) {
                    continue;
                }
                double ends = Math.max(
                        assignment.finishSeconds(problem.source(option), problem.bytes(option)),
                        assignment.finishSeconds(slowest, -length));
                if (ends < bestEnd) {
                    bestEnd = ends;
                    bestPiece = piece;
                    bestOption = option;
                }
            }
        }
        if (bestPiece == NONE) {
            return false;
        }
        move(bestPiece, bestOption);
        return true;
    }

    private boolean moveTwo(int slowest, double end) {
        for (int piece = pieces.first(slowest); piece != NONE && looks > 0; piece = pieces.next(piece)) {
            for (int option = problem.firstOption(piece); option < problem.firstOption(piece + 1); option++) {
                if (problem.source(option) != slowest && passOn(piece, option, end, ANY_BYTES)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Moves {@code piece} by {@code option} if its new source can pass on another piece, all finishing before
     * {@code end}, and adding at most {@code farBytesMore} to the bytes between data centres.
     */
    private boolean passOn(int piece, int option, double end, long farBytesMore) {
        int from = assignment.sourceOf(piece);
        int via = problem.source(option);
        long freed = problem.bytes(assignment.optionOf(piece));
        long farther = problem.farBytes(option) - problem.farBytes(assignment.optionOf(piece));
        for (int other = pieces.first(via); other != NONE; other = pieces.next(other)) {
            int now = assignment.optionOf(other);
            looks--;
            if (assignment.finishSeconds(via, problem.bytes(option) - problem.bytes(now)) >= end) {
                continue;
            }
            long mostFar = farBytesMore - farther + problem.farBytes(now);
            int last = problem.firstOption(other + 1);
            for (int to = problem.firstOption(other); to < last; to++) {
                int target = problem.source(to);
                if (target == via || problem.farBytes(to) > mostFar) {
                    continue;
                }
                long added = problem.bytes(to) - (target == from ? freed : 0);
                if (assignment.finishSeconds(target, added) < end) {
                    move(piece, option);
                    move(other, to);
                    return true;
                }
            }
        }
        return false;
    }

    /** Moves pieces to sources in nearer data centres where that does not delay the end. */
    void shorten() {
        if (!anyIsNearer()) {
            return;
        }
        double end = assignment.makespanSeconds();
        for (int piece : LargestFirst.order(problem)) {
            int now = assignment.optionOf(piece);
            if (problem.farBytes(now) == 0) {
                continue; // none is nearer
            }
            for (int option = problem.firstOption(piece); option < problem.firstOption(piece + 1); option++) {
                if (problem.farBytes(option) >= problem.farBytes(now)) {
                    continue;
                }
                if (assignment.finishSeconds(problem.source(option), problem.bytes(option)) <= end) {
                    move(piece, option);
                    break;
                }
                if (looks > 0 && passOn(piece, option, Math.nextUp(end), -1)) {
                    break;
                }
            }
        }
    }

    /**
     * Whether any piece has an option in a nearer data centre: mostly not, and this looks at them in order of memory.
     */
    private boolean anyIsNearer() {
        for (int piece = 0; piece < problem.pieces(); piece++) {
            long now = problem.farBytes(assignment.optionOf(piece));
            for (int option = problem.firstOption(piece);
                    now > 0 && option < problem.firstOption(piece + 1);
                    option++) {
                if (problem.farBytes(option) < now) {
                    return true;
                }
            }
        }
        return false;
    }

    private void move(int piece, int option) {
        pieces.remove(piece, assignment.sourceOf(piece));
        assignment.take(piece, option);
        pieces.add(piece, problem.source(option));
    }

    /** The pieces that each source sends, as linked lists. */
    private static final class UnitsBySource {
        private final int[] first;
        private final int[] next;
        private final int[] previous;

        UnitsBySource(BalanceProblem problem, Assignment assignment) {
            this.first = new int[problem.sources().count()];
            this.next = new int[problem.pieces()];
            this.previous = new int[problem.pieces()];
            Arrays.fill(first, NONE);
            for (int piece = problem.pieces() - 1; piece >= 0; piece--) {
                add(piece, assignment.sourceOf(piece));
            }
        }

        int first(int source) {
            return first[source];
        }

        int next(int piece) {
            return next[piece];
        }

        void add(int piece, int source) {
            next[piece] = first[source];
            previous[piece] = NONE;
            if (first[source] != NONE) {
                previous[first[source]] = piece;
            }
            first[source] = piece;
        }

        void remove(int piece, int source) {
            if (previous[piece] == NONE) {
                first[source] = next[piece];
            } else {
                next[previous[piece]] = next[piece];
            }
            if (next[piece] != NONE) {
                previous[next[piece]] = previous[piece];
            }
        }
    }
}
