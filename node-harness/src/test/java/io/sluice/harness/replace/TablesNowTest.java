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
    void another_form_is_not_believed() {
        assertThatThrownBy(() -> TablesNow.truncations(answer("{" + USERS + "}")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("truncated_at in system.local: {" + USERS + "}");
    }
}
