package io.sluice.streaming.planner.balance;

/** Branch and bound over all assignments of a small problem. Not thread-safe: use one instance for each search. */
final class ExactSearch {
    private final BalanceProblem problem;
    private final int[] order;
    /** The minimum bytes between data centres of all pieces from each position in the order on. */
    private final long[] leastFarBytes;

    /** Slightly below the bound, which is rounded. */
    private final double boundSeconds;

    private final Assignment trial;
    private Assignment best;
    private double bestSeconds;
    private long steps;

    ExactSearch(BalanceProblem problem, double boundSeconds, Assignment best, long steps) {
        this.problem = problem;
        this.order = LargestFirst.order(problem);
        this.leastFarBytes = new long[order.length + 1];
        this.boundSeconds = boundSeconds * (1 - 1e-12);
        this.trial = new Assignment(problem);
        this.best = best;
        this.bestSeconds = best.makespanSeconds();
        this.steps = steps;
        for (int i = order.length - 1; i >= 0; i--) {
            leastFarBytes[i] = leastFarBytes[i + 1] + leastFar(order[i]);
        }
    }

    private long leastFar(int piece) {
        long least = Long.MAX_VALUE;
        for (int option = problem.firstOption(piece); option < problem.firstOption(piece + 1); option++) {
            least = Math.min(least, problem.farBytes(option));
        }
        return least;
    }

    /** Returns whether every assignment was tried or ruled out: then the result is optimal. */
    boolean run() {
        descend(0, 0);
        return steps >= 0;
    }

    Assignment best() {
        return best;
    }

    private void descend(int place, double makespan) {
        if (place == order.length) {
            best = trial.copy();
            bestSeconds = makespan;
            return;
        }
        int piece = order[place];
        for (int option = problem.firstOption(piece);
                option < problem.firstOption(piece + 1) && --steps >= 0;
                option++) {
            trial.take(piece, option);
            double later = Math.max(makespan, trial.finishSeconds(problem.source(option)));
            if (canBeBetter(place + 1, later)) {
                descend(place + 1, later);
            }
            trial.drop(piece);
        }
    }

    private boolean canBeBetter(int place, double makespan) {
        int byTime = Double.compare(Math.max(makespan, boundSeconds), bestSeconds);
        return byTime < 0 || (byTime == 0 && trial.farBytes() + leastFarBytes[place] < best.farBytes());
    }
}
