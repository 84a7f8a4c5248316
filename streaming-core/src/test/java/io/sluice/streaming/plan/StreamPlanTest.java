package io.sluice.streaming.plan;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StreamPlanTest {
    @Test
    void two_requests_for_one_table_of_one_source_are_refused() {
        Node source = new Node(UUID.randomUUID(), "source", new Address("127.0.0.1", 7000), List.of());
        StreamRequest request = new StreamRequest(source, new TableRef(UUID.randomUUID(), "ks", "t"), TokenRanges.FULL);

        assertThatThrownBy(() -> new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request, request)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two requests for ks.t from source");
    }
}
