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

    @ParameterizedTest
    @EnumSource(
            value = Message.Role.class,
            names = {"CONTROL", "QUERY"})
    void leaves_nothing_behind(Message.Role role) {
        World world = new World(1, Set.of(), false);
        world.faults = FaultRates.NONE;
        SimulatedNode node = new SimulatedNode(world, "source", SourceDatabase::new);
        node.open();
        Engine engine = node.engine().orElseThrow();
        Message.Hello hello = new Message.Hello(
                Message.Cluster.named("sim"),
                new UUID(1, 1),
                node.node.id(),
                role,
                new UUID(2, 2),
                Message.SessionNumber.FIRST,
                0);

        assertThatThrownBy(() -> engine.accept(new Broken(), hello, "")).hasMessage("injected");
        long end = world.scheduler.nowNanos() + MINUTE_NANOS;
        while (world.scheduler.step(end)) {
            world.requireNoViolation();
        }

        assertThat(engine.queues()).extracting(QueueSample::used).containsOnly(0L);
    }
}
