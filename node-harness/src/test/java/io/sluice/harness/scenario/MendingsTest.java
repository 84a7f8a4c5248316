package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.harness.config.Fault;
import io.sluice.harness.config.Fault.Kind;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MendingsTest {
    private static final Node NODE = new Node(new UUID(1, 1), "node1", new Address("127.0.0.1", 7000), List.of());
    private static final Node OTHER = new Node(new UUID(1, 2), "node2", new Address("127.0.0.1", 7001), List.of());

    private final List<String> marks = new CopyOnWriteArrayList<>();

    private static Fault fault(Kind kind, Optional<Integer> lasts) {
        return new Fault(kind, 0, NODE.name(), Optional.empty(), lasts, Optional.empty());
    }

    @Test
    void the_mending_of_one_does_not_wait_for_that_of_another() {
        CountDownLatch continued = new CountDownLatch(1);
        try (Mendings mendings = new Mendings(2, marks::add)) {
            mendings.add(fault(Kind.SLOW, Optional.of(0)), NODE, "fast", continued::await);
            mendings.add(fault(Kind.FREEZE, Optional.of(0)), NODE, "goes on", continued::countDown);

            await().until(() -> marks.size() == 2);
        }
        assertThat(marks).containsExactlyInAnyOrder("goes on", "fast");
    }

    @Test
    void frozen_nodes_go_on_first_when_all_are_mended() {
        List<String> mended = new CopyOnWriteArrayList<>();
        try (Mendings mendings = new Mendings(2, marks::add)) {
            mendings.add(fault(Kind.SLOW, Optional.empty()), NODE, "", () -> mended.add("fast"));
            mendings.add(fault(Kind.FREEZE, Optional.empty()), NODE, "", () -> mended.add("goes on"));

            mendings.all();

            assertThat(mended).containsExactly("goes on", "fast");
        }
        assertThat(mended).as("once").hasSize(2);
    }

    @Test
    void faults_that_are_alike_are_mended_each() {
        List<String> mended = new CopyOnWriteArrayList<>();
        try (Mendings mendings = new Mendings(2, marks::add)) {
            mendings.add(fault(Kind.CUT, Optional.empty()), NODE, "", () -> mended.add("first"));
            mendings.add(fault(Kind.CUT, Optional.empty()), NODE, "", () -> mended.add("second"));
        }

        assertThat(mended).containsExactly("first", "second");
    }

    @Test
    void a_fault_lasts_at_its_node_until_it_is_mended() {
        try (Mendings mendings = new Mendings(1, marks::add)) {
            mendings.add(fault(Kind.FREEZE, Optional.empty()), NODE, "", () -> {});

            assertThat(mendings.has(Kind.FREEZE, NODE)).isTrue();
            assertThat(mendings.has(Kind.FREEZE, OTHER)).isFalse();
            assertThat(mendings.has(Kind.SLOW, NODE)).isFalse();

            mendings.all();
            assertThat(mendings.has(Kind.FREEZE, NODE)).isFalse();
        }
    }
}
