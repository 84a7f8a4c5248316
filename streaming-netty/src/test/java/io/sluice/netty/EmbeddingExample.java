package io.sluice.netty;

import io.sluice.streaming.plan.ReplacePlanner;
import io.sluice.streaming.plan.SSTableSpan;
import io.sluice.streaming.plan.StreamPlan;
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
    static PlanResult replace(Node self, Ring ring, Node dead, TableStore store, List<TableRef> tables)
            throws Exception {
        StreamOptions options = StreamOptions.builder()
                .clusterName("prod")
                .connectionsPerHost(2)
                .build();
        try (StreamingNode streaming = StreamingNode.start(self, options, store)) {
            Map<TableRef, Map<Node, List<SSTableSpan>>> spans = new HashMap<>();
            for (TableRef table : tables) {
                for (Node source : ring.nodes()) {
                    if (!source.equals(dead)) {
                        List<SSTableSpan> held = streaming
                                .spans(source, table, ring.rangesOf(dead))
                                .get();
                        spans.computeIfAbsent(table, t -> new HashMap<>()).put(source, held);
                    }
                }
            }
            StreamPlan plan = ReplacePlanner.plan(UUID.randomUUID(), ring, dead, spans);
            return streaming.execute(plan).get(); // each table is live now, or has a reason why not
        }
    }
    // readme:end
    // spotless:on
}
