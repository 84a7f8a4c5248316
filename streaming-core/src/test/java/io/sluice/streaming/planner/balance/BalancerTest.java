package io.sluice.streaming.planner.balance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jgrapht.alg.flow.PushRelabelMFImpl;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.SimpleDirectedWeightedGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BalancerTest {
    static LongStream seeds() {
        return LongStream.rangeClosed(1, 500);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_small_problem_is_solved_as_by_trying_everything(long seed) {
        Random random = new Random(seed);
        BalanceProblem problem = problem(random, 2 + random.nextInt(4), 1 + random.nextInt(8), true);

        Solution solution = Balancer.solve(problem);

        Assignment best = bestOfAll(problem, new Assignment(problem), 0);
        assertThat(solution.makespanSeconds()).isEqualTo(best.makespanSeconds());
        assertThat(assignment(problem, solution).farBytes()).isEqualTo(best.farBytes());
        assertThat(solution.isOptimal()).isTrue();
        assertThat(solution.dividedBoundSeconds()).isLessThanOrEqualTo(solution.makespanSeconds() * (1 + 1e-9));
        assertThat(MakespanBound.ofAllSources(problem).seconds())
                .isLessThanOrEqualTo(best.makespanSeconds() * (1 + 1e-9));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void the_flow_is_as_large_as_that_of_another_implementation(long seed) {
        Random random = new Random(seed);
        BalanceProblem problem = problem(random, 2 + random.nextInt(8), 1 + random.nextInt(60), false);
        long[] capacities =
                random.longs(problem.sources().count(), 0, 2_000_000).toArray();

        TransportFlow flow = new TransportFlow(problem);
        IntStream.range(0, capacities.length).forEach(source -> flow.raise(source, capacities[source] / 2));
        flow.maximise();
        IntStream.range(0, capacities.length)
                .forEach(source -> flow.raise(source, capacities[source] - capacities[source] / 2));
        long unsent = flow.maximise();

        assertThat((double) (totalBytes(problem) - unsent))
                .isCloseTo(otherMaximumFlow(problem, capacities), within(1e-6));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void the_bound_is_where_another_implementation_first_saturates(long seed) {
        Random random = new Random(seed);
        BalanceProblem problem = problem(random, 2 + random.nextInt(8), 1 + random.nextInt(60), false);

        Assignment first = LargestFirst.assign(problem);
        double bound = ParametricFlow.of(problem, MakespanBound.ofAllSources(problem), first)
                .bound()
                .seconds();

        double total = totalBytes(problem);
        assertThat(otherMaximumFlow(problem, capacities(problem, bound))).isCloseTo(total, within(1e-6));
        double sooner = bound * 0.99 - 10;
        assertThat(otherMaximumFlow(problem, capacities(problem, sooner))).isLessThan(Math.max(total, 1));
    }

    @Test
    void many_pieces_that_keep_all_sources_busy_have_their_bound() {
        BalanceProblem problem = equalPieces(1_000, piece -> true);

        Solution solution = Balancer.solve(problem);

        assertThat(solution.makespanSeconds()).isEqualTo(500);
        assertThat(solution.dividedBoundSeconds()).isEqualTo(500);
        assertThat(IntStream.range(0, 2).filter(solution::isBottleneck)).containsExactly(0, 1);
    }

    @Test
    void many_pieces_for_a_busy_source_have_the_bound_of_all() {
        Sources sources = new Sources(new double[] {10, 10}, new long[] {1_000, 0});
        BalanceProblem.Builder builder = new BalanceProblem.Builder(sources, 100, 200);
        for (int i = 0; i < 100; i++) {
            builder.option(0, 50, 0).option(1, 50, 0).endPiece();
        }

        Solution solution = Balancer.solve(builder.build());

        assertThat(solution.makespanSeconds()).isEqualTo(300);
        assertThat(solution.dividedBoundSeconds()).isEqualTo(300);
        assertThat(IntStream.range(0, 100).filter(piece -> solution.option(piece) % 2 == 0))
                .hasSize(40);
    }

    @Test
    void many_pieces_that_only_one_source_has_have_its_bound() {
        BalanceProblem problem = equalPieces(1_000, piece -> piece < 300);

        Solution solution = Balancer.solve(problem);

        assertThat(solution.makespanSeconds()).isEqualTo(700);
        assertThat(solution.dividedBoundSeconds()).isEqualTo(700);
        assertThat(IntStream.range(0, 2).filter(solution::isBottleneck)).containsExactly(0);
    }

    /** Pieces of 10 bytes for two sources of 10 bytes per second; the second one has some of them. */
    private static BalanceProblem equalPieces(int count, IntPredicate isOfBoth) {
        BalanceProblem.Builder builder =
                new BalanceProblem.Builder(new Sources(new double[] {10, 10}, new long[2]), count, 2 * count);
        for (int piece = 0; piece < count; piece++) {
            builder.option(0, 10, 0);
            if (isOfBoth.test(piece)) {
                builder.option(1, 10, 0);
            }
            builder.endPiece();
        }
        return builder.build();
    }

    @Test
    void refuses_a_negative_length() {
        BalanceProblem.Builder builder = new BalanceProblem.Builder(new Sources(new double[] {10}, new long[1]), 1, 1);

        assertThatThrownBy(() -> builder.option(0, -1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("piece 0: a length of -1");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void many_pieces_end_within_five_percent_of_the_bound(long seed) {
        Random random = new Random(seed);
        int sources = 3 + random.nextInt(10);
        BalanceProblem problem = problem(random, sources, 40 * sources + random.nextInt(500), false);

        Solution solution = Balancer.solve(problem);

        assertThat(solution.makespanSeconds() / solution.boundSeconds()).isBetween(1 - 1e-9, 1.05);
    }

    @Test
    void the_same_problem_has_the_same_solution() {
        BalanceProblem problem = problem(new Random(7), 8, 300, true);

        Solution first = Balancer.solve(problem);
        Solution second = Balancer.solve(problem);

        assertThat(IntStream.range(0, 300).map(first::option).toArray())
                .isEqualTo(IntStream.range(0, 300).map(second::option).toArray());
    }

    @Test
    void names_the_sources_that_are_too_few() {
        Sources sources = new Sources(new double[] {10, 10, 10}, new long[3]);
        BalanceProblem problem = new BalanceProblem.Builder(sources, 0, 0)
                .option(0, 600, 0)
                .endPiece()
                .option(0, 100, 0)
                .option(1, 100, 0)
                .endPiece()
                .option(1, 200, 0)
                .option(2, 200, 0)
                .endPiece()
                .build();

        Solution solution = Balancer.solve(problem);

        assertThat(solution.boundSeconds()).isEqualTo(60);
        assertThat(IntStream.range(0, 3).filter(solution::isBottleneck)).containsExactly(0);
    }

    @Test
    void a_busy_source_gets_less() {
        Sources sources = new Sources(new double[] {10, 10}, new long[] {1_000, 0});
        BalanceProblem.Builder builder = new BalanceProblem.Builder(sources, 0, 0);
        for (int i = 0; i < 20; i++) {
            builder.option(0, 100, 0).option(1, 100, 0).endPiece();
        }

        Solution solution = Balancer.solve(builder.build());

        assertThat(solution.makespanSeconds()).isEqualTo(150);
        assertThat(IntStream.range(0, 20).filter(piece -> solution.option(piece) % 2 == 0))
                .hasSize(5);
    }

    private static BalanceProblem problem(Random random, int sourceCount, int pieces, boolean copiesDiffer) {
        double[] rates = IntStream.range(0, sourceCount)
                .mapToDouble(i -> 1 + random.nextInt(4))
                .toArray();
        long[] queued = IntStream.range(0, sourceCount)
                .mapToLong(i -> random.nextInt(3) == 0 ? random.nextInt(100_000) : 0)
                .toArray();
        BalanceProblem.Builder builder = new BalanceProblem.Builder(new Sources(rates, queued), 0, 0);
        List<Integer> all =
                new ArrayList<>(IntStream.range(0, sourceCount).boxed().toList());
        for (int piece = 0; piece < pieces; piece++) {
            Collections.shuffle(all, random);
            long length = 1L + random.nextInt(100_000);
            for (int source : all.subList(0, 1 + random.nextInt(Math.min(3, sourceCount)))) {
                builder.option(source, length + (copiesDiffer ? random.nextInt(10_000) : 0), random.nextInt(3));
            }
            builder.endPiece();
        }
        return builder.build();
    }

    private static Assignment bestOfAll(BalanceProblem problem, Assignment trial, int piece) {
        if (piece == problem.pieces()) {
            return trial.copy();
        }
        Assignment best = null;
        for (int option = problem.firstOption(piece); option < problem.firstOption(piece + 1); option++) {
            trial.take(piece, option);
            Assignment candidate = bestOfAll(problem, trial, piece + 1);
            if (best == null || candidate.isBetterThan(best)) {
                best = candidate;
            }
            trial.drop(piece);
        }
        return requireNonNull(best);
    }

    private static Assignment assignment(BalanceProblem problem, Solution solution) {
        Assignment assignment = new Assignment(problem);
        IntStream.range(0, problem.pieces()).forEach(piece -> assignment.take(piece, solution.option(piece)));
        return assignment;
    }

    private static long totalBytes(BalanceProblem problem) {
        return IntStream.range(0, problem.pieces())
                .mapToLong(problem::leastBytes)
                .sum();
    }

    private static long[] capacities(BalanceProblem problem, double seconds) {
        return IntStream.range(0, problem.sources().count())
                .mapToLong(source -> problem.sources().capacityBytes(source, seconds))
                .toArray();
    }

    private static double otherMaximumFlow(BalanceProblem problem, long[] capacities) {
        var graph = new SimpleDirectedWeightedGraph<String, DefaultWeightedEdge>(DefaultWeightedEdge.class);
        graph.addVertex("origin");
        graph.addVertex("sink");
        for (int source = 0; source < capacities.length; source++) {
            graph.addVertex("source" + source);
            graph.setEdgeWeight(graph.addEdge("source" + source, "sink"), (double) capacities[source]);
        }
        for (int piece = 0; piece < problem.pieces(); piece++) {
            graph.addVertex("piece" + piece);
            graph.setEdgeWeight(graph.addEdge("origin", "piece" + piece), (double) problem.leastBytes(piece));
            for (int option = problem.firstOption(piece); option < problem.firstOption(piece + 1); option++) {
                graph.setEdgeWeight(graph.addEdge("piece" + piece, "source" + problem.source(option)), 1e9);
            }
        }
        return new PushRelabelMFImpl<>(graph).getMaximumFlowValue("origin", "sink");
    }
}
