package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.runtime.Timer;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A channel that fails while it is accepted: what its peer had taken here is free again. */
class RefusedChannelTest {
    private static final long MINUTE_NANOS = 60_000_000_000L;

    /** Fails when a session or a query begins to use it. */
    private static final class Broken extends OpenChannel {
        @Override
        public void charge(PeerMemory peer) {
            throw new IllegalStateException("injected");
        }

        @Override
        public Timer after(long nanos, Runnable task) {
            throw new IllegalStateException("injected");
        }
    }

    private final World world = new World(1, Set.of(), false);
    private final SimulatedNode node = new SimulatedNode(world, "source", SourceDatabase::new);

    @BeforeEach
    void open() {
        world.faults = FaultRates.NONE;
        node.open();
    }

    private Message.Hello hello(Message.Role role) {
        return new Message.Hello(
                Message.Cluster.named("sim"),
                new UUID(1, 1),
                node.node.id(),
                role,
                new UUID(2, 2),
                Message.SessionNumber.FIRST,
                0);
    }

    private void passMinute() {
        long end = world.scheduler.nowNanos() + MINUTE_NANOS;
        while (world.scheduler.step(end)) {
            world.requireNoViolation();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Message.Role.class,
            names = {"CONTROL", "QUERY"})
    void leaves_nothing_behind(Message.Role role) {
        Engine engine = node.engine().orElseThrow();

        assertThatThrownBy(() -> engine.accept(new Broken(), hello(role), "")).hasMessage("injected");
        passMinute();

        assertThat(engine.queues()).extracting(QueueSample::used).containsOnly(0L);
    }

    /** The loop cancels it while the thread of its channel still starts it. */
    @Test
    void a_session_that_is_over_before_it_has_started_leaves_no_timer_behind() {
        Engine engine = node.engine().orElseThrow();
        int before = node.timers();

        engine.accept(
                new OpenChannel() {
                    @Override
                    public void charge(PeerMemory peer) {
                        CompletableFuture<Void> plans = engine.cancelAll("closing");
                        passMinute();
                        assertThat(plans).isCompleted();
                    }
                },
                hello(Message.Role.CONTROL),
                "");
        passMinute();

        assertThat(node.timers()).isEqualTo(before);
        assertThat(engine.node().traffic().outgoing().running().count()).isZero();
    }
}
