package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.Deadlines;
import io.sluice.streaming.plan.Operation;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SessionSettingsTest {
    private static final Deadlines DEADLINES = Deadlines.of(Duration.ofSeconds(5));

    private static SessionSettings beside(int connections, int processors) {
        return SessionSettings.of(connections, DEADLINES).besideClients(processors, 60);
    }

    @Test
    void beside_clients_connections_are_added_for_half_of_the_processors() {
        assertThat(beside(0, 1).mostConnections()).isEqualTo(1);
        assertThat(beside(0, 2).mostConnections()).isEqualTo(1);
        assertThat(beside(0, 6).mostConnections()).isEqualTo(3);
        assertThat(beside(0, 64).mostConnections()).isEqualTo(8);
        assertThat(beside(0, 2).dutyPercent()).isEqualTo(60);
    }

    @Test
    void as_many_as_an_operator_asks_for_are_opened_even_so() {
        assertThat(beside(4, 2).connections()).isEqualTo(4);
        assertThat(beside(4, 2).mostConnections()).isEqualTo(4);
    }

    @Test
    void a_node_that_joins_or_is_rebuilt_serves_nobody() {
        assertThat(SessionSettings.of(0, DEADLINES).dutyPercent()).isEqualTo(100);
        assertThat(Arrays.stream(Operation.values()).filter(operation -> !operation.isBesideClients()))
                .containsExactly(Operation.BOOTSTRAP, Operation.REPLACE, Operation.REBUILD);
    }

    @Test
    void a_duty_of_nothing_would_be_no_progress() {
        SessionSettings settings = SessionSettings.of(0, DEADLINES);

        assertThatThrownBy(() -> settings.besideClients(2, 0)).hasMessageContaining("duty of 0 %");
        assertThatThrownBy(() -> settings.besideClients(2, 101)).hasMessageContaining("duty of 101 %");
    }
}
