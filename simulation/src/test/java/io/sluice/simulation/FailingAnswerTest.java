package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** An answer to a planner that cannot be sent: it hears that, and its memory is released, once. */
class FailingAnswerTest {
    private static final long MINUTE_NANOS = 60_000_000_000L;

    /** Fails to send the first message. */
    private static final class Failing extends OpenChannel {
        private final List<Message> sent = new ArrayList<>();
        private boolean hasFailed;

        @Override
        public void send(Message message, Consumer<Boolean> end) {
            if (!hasFailed) {
                hasFailed = true;
                throw new IllegalStateException("injected");
            }
            sent.add(message);
            end.accept(true);
        }
    }

    @Test
    void gives_its_memory_back_once() {
        World world = new World(1, Set.of(), false);
        world.faults = FaultRates.NONE;
        TableRef table = new TableRef(new UUID(3, 3), "ks", "t");
        world.tables.add(table);
        SimulatedNode node = new SimulatedNode(world, "source", SourceDatabase::new);
        node.open();
        Engine engine = node.engine().orElseThrow();
        Message.Hello hello = new Message.Hello(
                Message.Cluster.named("sim"),
                new UUID(1, 1),
                node.node.id(),
                Message.Role.QUERY,
                new UUID(2, 2),
                Message.SessionNumber.FIRST,
                0);
        Failing channel = new Failing();
        PeerChannel.Listener listener = engine.accept(channel, hello, "");

        listener.onMessage(
                channel, new Message.SpansQuery(List.of(new Message.TableRanges(table.id(), TokenRanges.FULL))));
        long end = world.scheduler.nowNanos() + MINUTE_NANOS;
        while (world.scheduler.step(end)) {
            world.requireNoViolation();
        }
        listener.onEnd(channel, "over");

        assertThat(channel.sent).singleElement().isInstanceOf(Message.SessionFailed.class);
        assertThat(engine.queues()).extracting(QueueSample::used).containsOnly(0L);
    }
}
