package io.sluice.harness.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Ring;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LayoutTest {
    @Test
    void all_tokens_differ_and_each_node_has_as_many() {
        Ring ring = new Layout(30, 16, 3, 3).ring();

        Set<Object> tokens = new HashSet<>();
        ring.nodes().forEach(node -> tokens.addAll(node.tokens()));
        assertThat(tokens).hasSize(30 * 16);
        assertThat(ring.nodes()).allSatisfy(node -> assertThat(node.tokens()).hasSize(16));
        assertThat(ring.replicationFactor()).isEqualTo(3);
    }

    @Test
    void a_node_that_joins_has_tokens_of_its_own() {
        Ring ring = new Layout(10, 4, 2, 2).ring();

        for (int i = 0; i < 5; i++) {
            TopologyChange.Bootstrap join = (TopologyChange.Bootstrap) new Layout(10, 4, 2, 2).join(ring);
            assertThat(join.joining().tokens()).hasSize(4).doesNotHaveDuplicates();
            ring = ring.with(join.joining()); // refuses a token that is there already
        }
        assertThat(ring.nodes()).hasSize(15);
    }

    @Test
    void what_cannot_be_is_refused_by_the_name_of_its_option() {
        assertThatThrownBy(() -> new Layout(2, 1, 1, 3)).hasMessageContaining("--replication-factor: 3");
        assertThatThrownBy(() -> new Layout(1, 1, 1, 1)).hasMessageContaining("--nodes: 1");
    }
}
