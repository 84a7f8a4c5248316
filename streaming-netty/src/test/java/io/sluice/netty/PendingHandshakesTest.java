package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.netty.PendingHandshakes.Kind;
import io.sluice.netty.PendingHandshakes.Limits;
import org.junit.jupiter.api.Test;

/** Who gives way to whom before anybody has said who it is. */
class PendingHandshakesTest {
    private final PendingHandshakes<String> room = new PendingHandshakes<>(new Limits(2, 16, 8, 8, 8, 4));

    private void fill(Kind kind, String prefix, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(room.enter(prefix + i, prefix + i, kind)).isEmpty();
        }
    }

    @Test
    void the_oldest_gives_way_to_the_newest() {
        fill(Kind.UNKNOWN, "c", 16);

        assertThat(room.enter("new", "x", Kind.UNKNOWN)).contains("c0");
        assertThat(room.enter("newer", "y", Kind.UNKNOWN)).contains("c1");
        assertThat(room.count()).isEqualTo(16);
    }

    @Test
    void an_address_that_has_as_many_as_it_may_gives_way_itself() {
        for (int i = 0; i < 4; i++) {
            room.enter("a" + i, "a", Kind.UNKNOWN);
        }

        assertThat(room.enter("a4", "a", Kind.UNKNOWN)).contains("a0");
        assertThat(room.count()).isEqualTo(4);
    }

    @Test
    void an_address_with_more_than_its_share_gives_way_first() {
        fill(Kind.UNKNOWN, "c", 13);
        for (int i = 0; i < 3; i++) {
            room.enter("busy" + i, "busy", Kind.UNKNOWN);
        }

        assertThat(room.enter("new", "x", Kind.UNKNOWN)).contains("busy0");
        assertThat(room.enter("newer", "y", Kind.UNKNOWN)).contains("c0");
    }

    @Test
    void peers_and_those_with_a_certificate_give_way_to_nobody_else() {
        fill(Kind.PEER_ADDRESS, "peer", 8);
        fill(Kind.UNKNOWN, "c", 16);
        room.become("c3", Kind.CERTIFIED);
        for (int i = 0; i < 1_000; i++) {
            room.enter("hostile" + i, "h" + i, Kind.UNKNOWN);
        }

        for (int i = 0; i < 8; i++) {
            assertThat(room.leave("peer" + i)).isTrue();
        }
        assertThat(room.leave("c3")).isTrue();
        assertThat(room.count()).isEqualTo(16);
    }

    @Test
    void who_has_sent_a_whole_client_hello_does_not_give_way_to_silence() {
        room.enter("honest", "a", Kind.UNKNOWN);
        room.become("honest", Kind.GREETED);
        for (int i = 0; i < 1_000; i++) {
            room.enter("silent" + i, "s" + i, Kind.UNKNOWN);
        }

        assertThat(room.leave("honest")).isTrue();
    }

    @Test
    void those_on_hold_push_nobody_out_and_come_in_by_a_certificate() {
        fill(Kind.UNKNOWN, "c", 16);
        room.enter("shared", "held", Kind.HELD);
        room.become("shared", Kind.GREETED);
        for (int i = 0; i < 1_000; i++) {
            room.enter("held" + i, "held", Kind.HELD);
        }

        assertThat(room.count()).isEqualTo(16 + 1 + 2);
        assertThat(room.leave("shared")).isTrue();
        for (int i = 0; i < 16; i++) {
            assertThat(room.leave("c" + i)).isTrue();
        }
    }

    @Test
    void those_with_a_certificate_give_way_among_themselves() {
        for (int i = 0; i < 9; i++) {
            room.enter("c" + i, "a" + i, Kind.UNKNOWN);
        }
        for (int i = 0; i < 8; i++) {
            assertThat(room.become("c" + i, Kind.CERTIFIED)).isEmpty();
        }

        assertThat(room.become("c8", Kind.CERTIFIED)).contains("c0");
        assertThat(room.become("c8", Kind.CERTIFIED)).isEmpty();
    }

    @Test
    void who_has_left_is_not_there() {
        room.enter("a", "a", Kind.UNKNOWN);

        assertThat(room.leave("a")).isTrue();
        assertThat(room.leave("a")).isFalse();
        assertThat(room.become("a", Kind.CERTIFIED)).isEmpty();
        assertThat(room.count()).isZero();
    }
}
