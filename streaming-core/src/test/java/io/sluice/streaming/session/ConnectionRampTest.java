package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

class ConnectionRampTest {
    private static final long TENTH = 100_000_000L;

    /** How many connections a transfer ends with, if so many bring so many bytes in a tenth of a second. */
    private static int connections(int most, long total, IntToLongFunction bytesOf) {
        ConnectionRamp ramp = new ConnectionRamp(1, most, 0, 0);
        int connections = 1;
        long here = 0;
        for (long now = TENTH; here < total; now += TENTH) {
            here = Math.min(total, here + bytesOf.applyAsLong(connections));
            connections += ramp.isOneMoreWorthIt(here, total - here, now) ? 1 : 0;
        }
        return connections;
    }

    @Test
    void a_link_that_one_connection_fills_gets_one_to_try() {
        assertThat(connections(8, 10_000_000, n -> 100_000)).isEqualTo(2);
    }

    @Test
    void a_long_link_gets_as_many_as_it_takes() {
        assertThat(connections(8, 100_000_000, n -> Math.min(n, 5) * 100_000L)).isEqualTo(6);
        assertThat(connections(8, 100_000_000, n -> n * 100_000L)).isEqualTo(8);
    }

    @Test
    void much_to_fetch_gets_a_second_one_at_once() {
        ConnectionRamp ramp = new ConnectionRamp(1, 8, 0, 0);

        assertThat(ramp.isOneMoreWorthIt(0, ConnectionRamp.SECOND_AT_BYTES - 1, 0))
                .isFalse();
        assertThat(ramp.isOneMoreWorthIt(0, ConnectionRamp.SECOND_AT_BYTES, 0)).isTrue();
        assertThat(ramp.isOneMoreWorthIt(0, ConnectionRamp.SECOND_AT_BYTES, 0)).isFalse();
    }

    @Test
    void a_link_that_two_connections_fill_gets_a_third_to_try() {
        assertThat(connections(8, 10_000_000_000L, n -> Math.min(n, 2) * 50_000_000L))
                .isEqualTo(3);
    }

    @Test
    void a_transfer_that_ends_soon_keeps_one() {
        assertThat(connections(8, 1_000_000, n -> n * 100_000L)).isEqualTo(1);
    }

    @Test
    void a_number_that_was_told_is_kept() {
        assertThat(connections(1, 100_000_000, n -> n * 100_000L)).isEqualTo(1);
    }
}
