package io.sluice.netty;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.Planner;
import io.sluice.streaming.planner.PlannerOptions;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.planner.SpansBySource;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The README's example of embedding; its test compares the two and runs it. */
final class EmbeddingExample {
    private EmbeddingExample() {}

    // spotless:off
    // readme:begin
    /** A new node takes the place of a dead one: asks the survivors what they hold, plans, streams, installs. */
    static PlanResult replace(Node self, Node dead, TableStore store, Map<TableRef, Ring> rings) throws Exception {
        StreamOptions options = StreamOptions.builder()
                .clusterName("prod")
                .connectionsPerHost(2)
                .build();
        try (StreamingNode streaming = StreamingNode.start(self, options, store)) {
            Map<Node, Map<TableRef, TokenRanges>> wanted = new HashMap<>();
            rings.forEach((table, ring) -> ring.nodes().stream()
                    .filter(source -> !source.equals(dead))
                    .forEach(source ->
                            wanted.computeIfAbsent(source, s -> new HashMap<>()).put(table, ring.rangesOf(dead))));
            Map<TableRef, Map<Node, List<SSTableSpan>>> spans = new HashMap<>();
            for (Node source : wanted.keySet()) { // one connection for all tables
                streaming
                        .spans(source, wanted.get(source))
                        .get()
                        .forEach((table, held) -> spans.computeIfAbsent(table, t -> new HashMap<>())
                                .put(source, held));
            }
            TopologyPlan plan = Planner.plan(
                    new TopologyChange.Replace(dead, self), rings, new SpansBySource(spans), PlannerOptions.DEFAULTS);
            return streaming
                    .execute(plan.streamPlan(UUID.randomUUID(), self))
                    .get(); // each table is live now, or has a reason why not
        }
    }
    // readme:end
    // spotless:on
}
