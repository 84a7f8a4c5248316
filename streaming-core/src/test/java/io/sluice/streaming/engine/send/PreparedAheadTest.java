package io.sluice.streaming.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class PreparedAheadTest {
    private static final UUID TABLE = new UUID(0, 1);
    private static final UUID OTHER = new UUID(0, 2);

    private final PreparedAhead ahead = new PreparedAhead();

    @Test
    void there_is_room_up_to_a_limit_and_always_for_one_and_for_none() {
        ahead.limit(100);

        assertThat(ahead.hasRoom(TABLE, 1_000)).as("the first").isTrue();
        assertThat(ahead.frees()).isFalse();
        ahead.add(TABLE, 0, 60);
        assertThat(ahead.frees()).isTrue();
        assertThat(ahead.hasRoom(TABLE, 40)).isTrue();
        assertThat(ahead.hasRoom(TABLE, 41)).isFalse();
        ahead.add(TABLE, 1, 1_000);
        assertThat(ahead.hasRoom(TABLE, 0)).as("an entire SSTable").isTrue();
    }

    @Test
    void it_goes_on_when_half_of_the_room_is_free() {
        ahead.limit(100);
        ahead.add(TABLE, 0, 40);
        ahead.add(TABLE, 1, 10);
        ahead.add(TABLE, 2, 50);
        long seen = ahead.changes();
        assertThat(ahead.waits(seen)).isTrue();

        assertThat(ahead.remove(0)).isFalse();
        assertThat(ahead.remove(0)).as("once").isFalse();
        assertThat(ahead.remove(1)).isTrue();
        assertThat(ahead.remove(2)).as("it waits no more").isFalse();
    }

    @Test
    void it_does_not_wait_for_what_has_happened_meanwhile() {
        ahead.limit(100);
        ahead.add(TABLE, 0, 40);
        long seen = ahead.changes();
        ahead.remove(0);

        assertThat(ahead.waits(seen)).isFalse();
        assertThat(ahead.waits(ahead.changes())).isTrue();
        assertThat(ahead.end()).isTrue();
        assertThat(ahead.waits(ahead.changes())).as("after the end").isFalse();
    }

    @Test
    void an_abandoned_table_has_no_room_and_takes_none() {
        ahead.limit(100);
        ahead.add(TABLE, 0, 60);
        ahead.add(OTHER, 1, 40);
        assertThat(ahead.waits(ahead.changes())).isTrue();

        assertThat(ahead.skip(TABLE)).isTrue();
        ahead.add(TABLE, 2, 60); // was just being prepared
        assertThat(ahead.hasRoom(TABLE, 1)).isFalse();
        assertThat(ahead.hasRoom(OTHER, 60)).isTrue();
        assertThat(ahead.remove(0)).isFalse();
    }

    @Test
    void an_older_receiver_that_fetches_nothing_before_the_end_is_not_waited_for() {
        ahead.add(TABLE, 0, Long.MAX_VALUE / 2);

        assertThat(ahead.hasRoom(TABLE, 1L << 60)).isTrue();
        assertThat(ahead.frees()).isFalse();
    }
}
