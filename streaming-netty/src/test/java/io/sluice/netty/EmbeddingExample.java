package io.sluice.netty;

import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.util.Map;

/** The README's example of embedding; its test compares the two and runs it. */
final class EmbeddingExample {
    private EmbeddingExample() {}

    // spotless:off
    // readme:begin
    /** A new node takes the place of a dead one: asks the survivors what they hold, plans, streams, installs. */
    static PlanResult replace(Node self, Node dead, TableStore store, Map<TableRef, Ring> rings) throws Exception {
        StreamOptions options = StreamOptions.builder().clusterName("prod").build();
        try (StreamingNode streaming = StreamingNode.start(self, options, store)) {
            TopologyPlan plan = streaming
                    .plan(new TopologyChange.Replace(dead, self), rings)
                    .get();
            return streaming.execute(plan).get(); // each table is live now, or has a reason why not
        }
    }
    // readme:end
    // spotless:on
}
