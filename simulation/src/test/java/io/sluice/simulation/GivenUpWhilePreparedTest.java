package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Of two tables that a source prepares one falls away meanwhile: the other one is no worse for it. */
class GivenUpWhilePreparedTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final RetryPolicy ONCE = new RetryPolicy(1, 1, SOON, SOON);

    /** The receiver's end of a session, on which everything comes through. */
    private static final class Receiver extends OpenChannel {
        final List<Message> received = new ArrayList<>();

        @Override
        public void send(Message message, Consumer<Boolean> end) {
            received.add(message);
            end.accept(true);
        }
    }

    private static Message.TableRequest all(TableRef table) {
        return new Message.TableRequest(table.id(), TokenRanges.FULL);
    }

    @Test
    void by_its_receiver_is_unpinned_when_the_other_is_ready_and_may_be_taken_back() throws IOException {
        try (TwoEngines cluster = new TwoEngines(2, 2)) {
            TableRef first = cluster.tables.get(0);
            TableRef second = cluster.tables.get(1);
            BooleanSupplier isPinning = cluster.hangAtCall(cluster.source, "pin t1");
            Engine engine = cluster.engine(cluster.source);
            Receiver channel = new Receiver();
            PeerChannel.Listener source = engine.accept(channel, cluster.hello(), "");
            source.onMessage(channel, new Message.StreamInit(1));
            source.onMessage(channel, new Message.PrepareSyn(List.of(all(first), all(second)), true));
            cluster.until(isPinning);

            source.onMessage(channel, new Message.Released(first.id(), ErrorCode.CANCELLED, "not wanted"));
            cluster.pass(SOON);
            var back = engine.pins().revoke(first.id(), "dropped");
            cluster.pass(SOON);
            cluster.hangs.release();
            cluster.pass(SOON);

            assertThat(channel.received).doesNotHaveAnyElementsOfTypes(Message.SessionFailed.class);
            assertThat(back).isCompleted();
            assertThat(cluster.sourceTables.pins())
                    .as("the SSTables of the other")
                    .isEqualTo(2);
            source.onEnd(channel, "over");
            cluster.pass(SOON);
            assertThat(cluster.sourceTables.pins()).isZero();
        }
    }

    /** By its disk: one of its SSTables was offered already, and has arrived. */
    @Test
    void by_its_source_is_refused_alone() throws IOException {
        try (TwoEngines cluster = new TwoEngines(2, 2, ONCE)) {
            BooleanSupplier isPinning = cluster.hangAtCall(cluster.source, "pin t1");
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            cluster.until(isPinning);
            AtomicInteger asked = new AtomicInteger();
            cluster.store(cluster.source).onCall = call -> {
                if (call.equals("sstables t0") && asked.incrementAndGet() == 4) { // for the second SSTable
                    cluster.hangs.hang(); // meanwhile the first one arrives
                    throw new IOException("Input/output error");
                }
            };
            cluster.hangs.release();
            cluster.pass(SOON);
            cluster.hangs.release();

            PlanResult result = cluster.await(running);

            assertThat(asked).hasValueGreaterThanOrEqualTo(4);
            assertThat(result.tables())
                    .extracting(PlanResult.TableResult::installed)
                    .containsExactly(false, true);
        }
    }
}
