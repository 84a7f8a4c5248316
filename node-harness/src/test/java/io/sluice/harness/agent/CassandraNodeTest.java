package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What a node says, in the words of the ring. */
class CassandraNodeTest {
    @Test
    void the_dead_node_is_named_as_the_ring_names_it() throws IOException {
        assertThat(CassandraNode.endpoint("10.0.0.3", 7000)).isEqualTo("10.0.0.3:7000");
        assertThat(CassandraNode.endpoint("10.0.0.3:7100", 7000)).isEqualTo("10.0.0.3:7100");
        assertThat(CassandraNode.endpoint("[::1]:7100", 7000)).isEqualTo("[0:0:0:0:0:0:0:1]:7100");
        assertThat(CassandraNode.endpoint("::1", 7000)).isEqualTo("[0:0:0:0:0:0:0:1]:7000");
    }

    @Test
    void what_is_no_address_is_named() {
        assertThatThrownBy(() -> CassandraNode.endpoint("10.0.0.3:x", 7000))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cassandra.replace_address_first_boot '10.0.0.3:x'");
    }
}
