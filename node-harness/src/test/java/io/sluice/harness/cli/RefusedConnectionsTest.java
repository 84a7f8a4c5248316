package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Whoever reaches the port of a follower does not fill the terminal beside it. */
class RefusedConnectionsTest {
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private long nowNanos;
    private final RefusedConnections refusals =
            new RefusedConnections(new PrintStream(told, true, StandardCharsets.UTF_8), () -> nowNanos);

    private void refuse(int count) {
        for (int i = 0; i < count; i++) {
            refusals.accept("connection of 10.0.0.7:" + i + ": \u001b[2J came first");
        }
    }

    private String told() {
        return told.toString(StandardCharsets.UTF_8);
    }

    @Test
    void ten_in_a_minute_are_told_and_the_others_counted() {
        refuse(10_000);
        nowNanos += Duration.ofMinutes(1).toNanos();
        refuse(1);
        refusals.summary();

        assertThat(told().lines()).hasSize(RefusedConnections.LINES + 3);
        assertThat(told())
                .contains("sluice: 9990 more connections were refused in a minute")
                .endsWith("sluice: 10001 connections were refused in all" + System.lineSeparator());
    }

    @Test
    void what_a_peer_says_moves_no_cursor() {
        refuse(1);
        refusals.summary();

        assertThat(told())
                .isEqualTo("sluice: connection of 10.0.0.7:0: \\u001b[2J came first" + System.lineSeparator());
    }
}
