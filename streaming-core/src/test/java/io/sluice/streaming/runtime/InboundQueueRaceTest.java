package io.sluice.streaming.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.transfer.SourceRegion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The channel posts and the loop handles at the same time: each may be late with what it decided before the other. */
class InboundQueueRaceTest {
    private final MemoryPool pool = new MemoryPool("inventory", 1 << 20);
    private final Queue<Runnable> loop = new ArrayDeque<>();
    private final InboundQueue inbound = new InboundQueue(loop::add, new PeerShares(pool).of(new UUID(1, 2)));
    private final LateChannel channel = new LateChannel();

    private void post(int count) {
        for (int i = 0; i < count; i++) {
            inbound.post(channel, new Message.PrepareAck(), paid -> 0);
        }
    }

    private void handle(int count) {
        for (int i = 0; i < count; i++) {
            loop.remove().run();
        }
    }

    @Test
    void a_channel_that_stops_reading_after_the_loop_has_caught_up_reads_on() {
        channel.beforeItStops = () -> handle(loop.size());

        post(InboundQueue.MOST_MESSAGES);
        handle(loop.size());

        assertThat(channel.reads).containsExactly(true, false, true);
        assertThat(inbound.waiting()).isZero();
        assertThat(pool.sample().used()).isZero();
    }

    @Test
    void a_channel_that_reads_on_after_the_queue_is_full_again_stops_until_the_loop_has_caught_up() {
        post(InboundQueue.MOST_MESSAGES);
        channel.beforeItReadsOn = () -> post(InboundQueue.MOST_MESSAGES);

        handle(InboundQueue.MOST_MESSAGES / 2);

        assertThat(channel.reads).containsExactly(false, false, true, false);
        handle(loop.size());
        assertThat(channel.reads).last().isEqualTo(true);
        assertThat(pool.sample().used()).isZero();
    }

    /** Remembers what it was asked for, but lets others go first. */
    private static final class LateChannel implements PeerChannel {
        final List<Boolean> reads = new ArrayList<>();
        Runnable beforeItStops = () -> {};
        Runnable beforeItReadsOn = () -> {};

        @Override
        public void read(boolean isWanted) {
            Runnable first = isWanted ? beforeItReadsOn : beforeItStops;
            beforeItStops = () -> {};
            beforeItReadsOn = () -> {};
            first.run();
            reads.add(isWanted);
        }

        @Override
        public void send(Message message, Consumer<Boolean> end) {}

        @Override
        public void send(SourceRegion region, Consumer<Optional<Throwable>> end) {}

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void charge(PeerMemory peer) {}

        @Override
        public Timer after(long nanos, Runnable task) {
            return () -> {};
        }

        @Override
        public void fail(Throwable cause) {}

        @Override
        public void close() {}

        @Override
        public ErrorCode endCode() {
            return ErrorCode.PEER_LOST;
        }

        @Override
        public String address() {
            return "127.0.0.1";
        }

        @Override
        public Authorizer.Peer peer(UUID id) {
            throw new IllegalStateException("nobody asks");
        }
    }
}
