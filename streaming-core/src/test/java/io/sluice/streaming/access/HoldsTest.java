package io.sluice.streaming.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.access.Holds.Culprit;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who is not let in, for how long, and who is forgotten. */
class HoldsTest {
    private static final Culprit PEER = Culprit.address("10.0.0.7");

    private final AtomicLong now = new AtomicLong(-5);
    private final Holds holds = new Holds(Holds.Rules.DEFAULTS, now::get);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private void violate(int times) {
        for (int i = 0; i < times; i++) {
            holds.violated(PEER, "nonsense");
        }
    }

    @Test
    void the_third_violation_within_ten_minutes_is_one_too_many() {
        violate(2);
        assertThat(holds.of(PEER)).isEmpty();

        assertThat(holds.violated(PEER, "more nonsense")).hasValueSatisfying(hold -> {
            assertThat(hold.who()).isEqualTo("address 10.0.0.7");
            assertThat(hold.left()).isEqualTo(Duration.ofMinutes(1));
            assertThat(hold.reason()).isEqualTo("more nonsense");
        });
        assertThat(holds.of(PEER)).isPresent();
        assertThat(holds.of(Culprit.address("10.0.0.8"))).isEmpty();
        pass(Duration.ofMinutes(1));
        assertThat(holds.of(PEER)).isEmpty();
    }

    @Test
    void what_is_long_ago_does_not_count() {
        violate(2);
        pass(Duration.ofMinutes(10));
        violate(2);

        assertThat(holds.of(PEER)).isEmpty();
    }

    @Test
    void each_hold_is_twice_as_long_up_to_an_hour_and_good_conduct_begins_anew() {
        long[] minutes = {1, 2, 4, 8, 16, 32, 60, 60};
        for (long expected : minutes) {
            violate(3);
            assertThat(holds.of(PEER))
                    .hasValueSatisfying(hold -> assertThat(hold.left()).isEqualTo(Duration.ofMinutes(expected)));
            pass(Duration.ofMinutes(expected));
            assertThat(holds.of(PEER)).isEmpty();
        }
        pass(Duration.ofHours(1));
        violate(3);

        assertThat(holds.of(PEER))
                .hasValueSatisfying(hold -> assertThat(hold.left()).isEqualTo(Duration.ofMinutes(1)));
    }

    @Test
    void only_an_hour_without_a_violation_begins_anew() {
        violate(3);
        pass(Duration.ofMinutes(60));
        violate(1);
        pass(Duration.ofSeconds(90));
        violate(1);
        pass(Duration.ofSeconds(30));

        assertThat(holds.violated(PEER, "again"))
                .hasValueSatisfying(hold -> assertThat(hold.left()).isEqualTo(Duration.ofMinutes(2)));
    }

    @Test
    void after_a_short_hold_one_more_violation_is_enough() {
        violate(3);
        pass(Duration.ofMinutes(2));

        assertThat(holds.violated(PEER, "again")).isPresent();
    }

    @Test
    void what_comes_while_it_is_on_prolongs_nothing() {
        violate(3);
        pass(Duration.ofSeconds(59));
        violate(1_000);
        pass(Duration.ofSeconds(1));

        assertThat(holds.of(PEER)).isEmpty();
    }

    @Test
    void an_operator_sees_it_and_ends_it_and_what_led_to_it() {
        violate(3);

        assertThat(holds.all())
                .singleElement()
                .satisfies(hold -> assertThat(hold.times()).isEqualTo(1));
        assertThat(holds.sample().used()).isEqualTo(1);
        assertThat(holds.clear("address 10.0.0.9")).isFalse();
        assertThat(holds.clear("address 10.0.0.7")).isTrue();
        assertThat(holds.all()).isEmpty();
        violate(2);
        assertThat(holds.of(PEER)).isEmpty();
    }

    @Test
    void strangers_from_everywhere_take_no_more_memory_and_push_no_certificate_out() {
        Culprit certificate = new Culprit(true, "3fa9");
        for (int i = 0; i < 3; i++) {
            holds.violated(certificate, "nonsense");
        }
        for (int i = 0; i < 300_000; i++) {
            holds.violated(Culprit.address("10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255)), "nonsense");
        }
        for (int i = 0; i < 30_000; i++) {
            holds.violated(Culprit.address("11.0." + i / 3 / 100 + "." + i / 3 % 100), "nonsense");
        }

        assertThat(holds.all()).hasSize(Holds.MOST + 1);
        assertThat(holds.of(certificate)).isPresent();
    }

    @Test
    void a_network_of_ipv6_is_one_peer() {
        for (int i = 1; i <= 3; i++) {
            holds.violated(Culprit.address("2001:db8:1:2::" + i), "nonsense");
        }

        assertThat(holds.of(Culprit.address("2001:db8:1:2:ffff::9"))).isPresent();
        assertThat(holds.of(Culprit.address("2001:db8:1:3::1"))).isEmpty();
        assertThat(holds.all().get(0).who()).isEqualTo("address 2001:db8:1:2::/64");
    }

    @Test
    void who_has_switched_it_off_has_none() {
        Holds off = new Holds(Holds.Rules.DEFAULTS.after(0), now::get);
        for (int i = 0; i < 100; i++) {
            assertThat(off.violated(PEER, "nonsense")).isEmpty();
        }
    }
}
