package io.sluice.harness.scenario;

import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.FetchState.Problem;
import io.sluice.harness.report.RunReport.EndState;
import io.sluice.harness.report.RunReport.Result;
import io.sluice.harness.scenario.ScenarioException.Kind;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.PlanResult.LiveWrites;
import io.sluice.streaming.progress.PlanResult.TableResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a change ended at all nodes that fetched for it. Immutable.
 *
 * @param results of each table at each node
 * @param first the first failure, if there was one
 * @param hasStarted whether anybody has got as far as streaming
 */
record Outcome(List<Result> results, Optional<Problem> first, boolean hasStarted) {
    /**
     * Puts it together.
     *
     * @param ended by node, in the order in which they ended
     */
    static Outcome of(Map<Node, FetchState> ended) {
        List<Result> results = new ArrayList<>();
        Optional<Problem> first = Optional.empty();
        boolean hasStarted = false;
        for (Map.Entry<Node, FetchState> one : ended.entrySet()) {
            FetchState state = one.getValue();
            hasStarted |= state.streamingNanos() > 0;
            String node = one.getKey().name();
            Optional<Problem> found = state.failure()
                    .map(problem -> new Problem(
                            problem.code(),
                            "streaming to " + node + " failed: " + problem.code() + ": " + problem.reason()));
            for (TableResult table : state.result().map(PlanResult::tables).orElse(List.of())) {
                results.add(new Result(
                        node,
                        table.table().toString(),
                        table.installed() ? EndState.INSTALLED : EndState.FAILED,
                        table.reason(),
                        table.sstables(),
                        table.bytes(),
                        writes(state.result().orElseThrow(), table.table())));
                if (!table.installed() && found.isEmpty()) {
                    found = Optional.of(new Problem(
                            table.failure().orElseThrow().code(),
                            "streaming " + table.table() + " to " + node + " failed: " + table.reason()));
                }
            }
            if (first.isEmpty()) {
                first = found;
            }
        }
        return new Outcome(results, first, hasStarted);
    }

    /** Of all ranges of a table; those that its database says nothing of are left out. */
    private static String writes(PlanResult result, TableRef table) {
        return result.ranges().stream()
                .filter(range -> range.table().equals(table) && range.writes().kind() != LiveWrites.Kind.NOT_SAID)
                .map(range -> range.writes().toString())
                .distinct()
                .collect(Collectors.joining("; "));
    }

    /** What the run reports of it, if it failed. */
    Optional<ScenarioException> failure() {
        return first.map(why -> {
            boolean isPartly = results.stream().anyMatch(result -> result.state() == EndState.INSTALLED);
            Kind kind = isPartly ? Kind.PARTLY : hasStarted ? Kind.FAILED : Kind.REFUSED;
            return ScenarioException.ofStreaming(kind, why.code(), why.reason());
        });
    }
}
