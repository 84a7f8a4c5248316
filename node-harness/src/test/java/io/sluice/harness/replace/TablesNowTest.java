package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.cassandra.Cql;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a node notes of truncations is read from its row. */
class TablesNowTest {
    private static final UUID USERS = new UUID(3, 3);
    private static final UUID CARTS = new UUID(4, 4);

    private static Cql.Answer answer(String literal) {
        return new Cql.Answer(List.of("truncated_at"), List.of(List.of(literal)));
    }

    @Test
    void each_table_that_was_truncated_has_its_note() throws IOException {
        assertThat(TablesNow.truncations(answer("{" + USERS + ":0x01," + CARTS + ":0x0203}")))
                .isEqualTo(Map.of(USERS, "0x01", CARTS, "0x0203"));
    }

    @Test
    void a_node_where_nothing_was_truncated_has_none() throws IOException {
        assertThat(TablesNow.truncations(answer("NULL"))).isEmpty();
        assertThat(TablesNow.truncations(answer("{}"))).isEmpty();
    }

    @Test
    void a_node_says_what_its_ring_calls_it() throws IOException {
        assertThat(TablesNow.endpoint(local("'10.0.0.1'", "7000"))).isEqualTo("10.0.0.1:7000");
        assertThat(TablesNow.endpoint(local("'2001:db8:0:0:0:0:0:1'", "7012")))
                .isEqualTo("[2001:db8:0:0:0:0:0:1]:7012");
        assertThatThrownBy(() -> TablesNow.endpoint(local("'10.0.0.1'", "NULL")))
                .isInstanceOf(IOException.class)
                .hasMessage("system.local: [['10.0.0.1', NULL]] (expected: one row with the node's broadcast address"
                        + " and port)");
    }

    private static Cql.Answer local(String address, String port) {
        return new Cql.Answer(List.of("broadcast_address", "broadcast_port"), List.of(List.of(address, port)));
    }

    @Test
    void another_form_is_not_believed() {
        assertThatThrownBy(() -> TablesNow.truncations(answer("{" + USERS + "}")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("truncated_at in system.local: {" + USERS + "}");
    }
}
