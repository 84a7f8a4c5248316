package io.sluice.streaming.planner.balance;

/**
 * Solves a problem. Of more than 40 pieces the largest-first assignment is kept if it is near the bound of all sources
 * together. Otherwise it is compared with the bound of the flow and, if it is not near that either, improved by local
 * search and by rounding the flow to whole pieces. Up to 40 pieces are always searched exactly. Stateless.
 */
public final class Balancer {
    /** A solution within this factor of the bound is good enough. */
    private static final double NEAR = 1.001;

    private static final long LOOKS = 20_000_000;
    private static final int FEW_PIECES = 40;
    private static final long EXACT_STEPS = 2_000_000;

    private Balancer() {}

    /**
     * The best assignment found: the one that finishes first and, among equals, has the fewest bytes between data
     * centres.
     */
    public static Solution solve(BalanceProblem problem) {
        Assignment first = LargestFirst.assign(problem);
        MakespanBound ofAll = MakespanBound.ofAllSources(problem);
        if (problem.pieces() == 0) { // then there is possibly no source either
            return new Solution(first, ofAll, 0, true);
        }
        if (problem.pieces() > FEW_PIECES && first.makespanSeconds() <= ofAll.seconds() * NEAR) {
            new LocalSearch(problem, first, LOOKS).shorten();
            return solution(problem, first, ofAll); // a better bound would change little, and takes long
        }
        ParametricFlow flow = ParametricFlow.of(problem, ofAll, first);
        Assignment best = improve(problem, first, flow);
        if (problem.pieces() > FEW_PIECES) {
            return solution(problem, best, flow.bound());
        }
        double bound = atLeastLongestPiece(problem, flow.bound().seconds());
        ExactSearch exact = new ExactSearch(problem, bound, best, EXACT_STEPS);
        boolean isOptimal = exact.run();
        double seconds = exact.best().makespanSeconds();
        return new Solution(exact.best(), flow.bound(), isOptimal ? seconds : bound, isOptimal);
    }

    private static Solution solution(BalanceProblem problem, Assignment best, MakespanBound ofDivided) {
        double bound = atLeastLongestPiece(problem, ofDivided.seconds());
        return new Solution(best, ofDivided, bound, best.makespanSeconds() <= bound && best.farBytes() == 0);
    }

    private static Assignment improve(BalanceProblem problem, Assignment first, ParametricFlow flow) {
        double goal = flow.bound().seconds() * NEAR;
        search(problem, first, goal);
        if (first.makespanSeconds() <= goal) {
            return first;
        }
        Assignment rounded = round(problem, flow);
        search(problem, rounded, goal);
        return rounded.isBetterThan(first) ? rounded : first;
    }

    private static void search(BalanceProblem problem, Assignment assignment, double goal) {
        LocalSearch search = new LocalSearch(problem, assignment, LOOKS);
        search.speedUp(goal);
        search.shorten();
    }

    /**
     * A piece with a single flow takes that option; the others are assigned largest first, each to the source that then
     * finishes first.
     */
    private static Assignment round(BalanceProblem problem, ParametricFlow flow) {
        Assignment rounded = new Assignment(problem);
        int[] order = LargestFirst.order(problem);
        for (int piece : order) {
            int option = onlyWay(problem, flow, piece);
            if (option != Assignment.NONE) {
                rounded.take(piece, option);
            }
        }
        for (int piece : order) {
            if (rounded.optionOf(piece) == Assignment.NONE) {
                rounded.take(piece, LargestFirst.best(problem, rounded, piece));
            }
        }
        return rounded;
    }

    private static int onlyWay(BalanceProblem problem, ParametricFlow flow, int piece) {
        int only = Assignment.NONE;
        for (int option = problem.firstOption(piece); option < problem.firstOption(piece + 1); option++) {
            if (flow.flow(option) > 0) {
                if (only != Assignment.NONE) {
                    return Assignment.NONE;
                }
                only = option;
            }
        }
        return only;
    }

    /**
     * The end of the piece that ends last if each was sent alone by its best source; {@code least} if that is later.
     */
    private static double atLeastLongestPiece(BalanceProblem problem, double least) {
        if (problem.sources().lastFinishSeconds(problem.mostBytes()) <= least) {
            return least; // no source needs so long for any piece
        }
        double longest = least;
        for (int piece = 0; piece < problem.pieces(); piece++) {
            double soonest = Double.POSITIVE_INFINITY;
            for (int option = problem.firstOption(piece); option < problem.firstOption(piece + 1); option++) {
                soonest = Math.min(
                        soonest, problem.sources().finishSeconds(problem.source(option), problem.bytes(option)));
            }
            longest = Math.max(longest, soonest);
        }
        return longest;
    }
}
