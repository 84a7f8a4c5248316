package io.sluice.simulation.fluid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.DataSizes;
import io.sluice.streaming.plan.Planner;
import io.sluice.streaming.plan.PlannerOptions;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FluidClusterTest {
    private static final TableRef TABLE = new TableRef(new UUID(0, 1), "ks", "table");
    private static final DataSizes SIZES = DataSizes.even(4L << 30);
    private static final double MEGA = 1 << 20;
    private static final Hardware HARDWARE = Hardware.of(100 * MEGA, 1000 * MEGA, 8);

    private static Prediction replaced(int nodes, int factor, Hardware hardware, OptionalDouble killSourceAt) {
        List<Node> members = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            long token = Long.MIN_VALUE + 1 + i * (Long.MAX_VALUE / nodes * 2);
            members.add(new Node(new UUID(1, i), "n" + i, new Address("h", 1), List.of(new Token(token))));
        }
        Node dead = members.get(nodes - 1);
        TopologyPlan plan = Planner.plan(
                new TopologyChange.Replace(dead, new Node(new UUID(2, 0), "new", new Address("h", 1), List.of())),
                Map.of(TABLE, new Ring(members, factor)),
                SIZES,
                PlannerOptions.DEFAULTS.cuttingSSTables());
        return new FluidCluster(hardware, SIZES, 64L << 20, 1).run(plan, killSourceAt);
    }

    @Test
    void a_replacement_takes_as_long_as_its_network_needs_and_a_little() {
        Prediction prediction = replaced(3, 3, HARDWARE, OptionalDouble.empty());

        double networkSeconds = (4 << 10) / 100.0;
        assertThat(prediction.failure()).isEmpty();
        assertThat((double) prediction.bytes()).isCloseTo(0x1p32, within(MEGA));
        assertThat(prediction.sstables()).isBetween(64L, 66L);
        assertThat(prediction.sources()).isEqualTo(2);
        assertThat(prediction.seconds()).isBetween(networkSeconds, networkSeconds * 1.05);
        assertThat(prediction.busiest().get(0).resource()).isEqualTo("network of new, in");
    }

    @Test
    void a_throttle_makes_it_longer_by_as_much_as_it_takes() {
        Prediction prediction = replaced(3, 3, HARDWARE.throttledTo(10 * MEGA), OptionalDouble.empty());

        assertThat(prediction.seconds()).isCloseTo((4 << 10) / 20.0, within(5.0));
        assertThat(prediction.busiest().get(0).resource()).startsWith("throttle of");
    }

    @Test
    void one_connection_has_one_core_at_its_end() {
        Hardware slowCores = Hardware.of(1e12, 1e12, 8).withCpu(1e-9, 100e-9);

        Prediction prediction = replaced(3, 3, slowCores, OptionalDouble.empty());

        // Two sources, so two threads that receive, each of them 10 MB/s.
        assertThat(prediction.seconds()).isCloseTo(0x1p32 / 20e6, within(3.0));
    }

    @Test
    void the_window_of_a_session_limits_it_over_a_long_way() {
        Prediction near = replaced(3, 3, HARDWARE, OptionalDouble.empty());
        Prediction far = replaced(3, 3, HARDWARE.withRoundTrip(2), OptionalDouble.empty());

        assertThat(far.seconds()).isGreaterThan(near.seconds() * 1.5);
    }

    @Test
    void a_source_that_dies_is_replaced_by_the_others_after_its_retries() {
        Prediction whole = replaced(3, 3, HARDWARE, OptionalDouble.empty());

        Prediction prediction = replaced(3, 3, HARDWARE, OptionalDouble.of(0.5));

        assertThat(prediction.failure()).isEmpty();
        assertThat(prediction.lost()).isPresent();
        assertThat(prediction.sessions()).isGreaterThan(whole.sessions());
        assertThat(prediction.bytes()).isGreaterThan(whole.bytes());
        assertThat(prediction.seconds()).isGreaterThan(whole.seconds() * 1.1);
    }

    @Test
    void without_another_replica_it_fails_as_the_real_one_does() {
        Prediction prediction = replaced(3, 2, HARDWARE, OptionalDouble.of(0.2));

        assertThat(prediction.failure()).get().asString().contains("PEER_LOST");
    }

    @Test
    void the_same_question_has_the_same_answer() {
        assertThat(replaced(5, 3, HARDWARE, OptionalDouble.of(0.3)))
                .isEqualTo(replaced(5, 3, HARDWARE, OptionalDouble.of(0.3)));
    }
}
