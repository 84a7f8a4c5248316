package io.sluice.streaming.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.Limit;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.metrics.TableBytes;
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.runtime.Loop;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.ConnectionLiveness;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.throttle.CombinedThrottle;
import io.sluice.streaming.throttle.Throttles;
import io.sluice.streaming.transfer.SourceRegion;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RegionQueueTest {
    private final Socket socket = new Socket();
    private final Now loop = new Now();
    private final RegionQueue queue = new RegionQueue(
            socket,
            loop,
            new PeerShares(new MemoryPool("sending", 1 << 20)).of(new UUID(0, 1)),
            new Ignored(),
            new ConnectionLiveness(Deadlines.of(Duration.ofSeconds(5)), "receiver", 0));

    @Test
    void needs_the_files_of_an_offer_until_the_socket_has_taken_the_last_byte() {
        add(7, 0);
        add(7, 100);
        add(8, 0);
        assertThat(queue.sends(7)).isTrue();
        assertThat(queue.sends(9)).isFalse();

        socket.take();
        assertThat(queue.sends(7)).isTrue();
        socket.take();
        assertThat(queue.sends(7)).isFalse();
        assertThat(queue.sends(8)).isTrue();
        queue.end();
        assertThat(queue.sends(8)).isFalse();
    }

    @Test
    void a_raised_limit_ends_a_pause_that_was_computed_with_the_one_before() {
        Throttles throttles = new Throttles(Map.of(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 2_000L), 0);
        CombinedThrottle slow =
                throttles.outbound(false, () -> Priority.REPLACE, 0).files();
        add(7, 0, slow);
        slow.turn().take(200_000, 0); // another connection
        add(7, 100, slow); // 100 s later
        loop.runNext();
        assertThat(socket.handed).hasSize(1);

        throttles.setRate(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 1 << 20);
        loop.runNext();
        loop.runNext(); // what is left, at the higher rate

        assertThat(socket.handed).hasSize(2);
        assertThat(loop.waits).allSatisfy(nanos -> assertThat(nanos).isLessThan(1_000_000_000L));
    }

    @Test
    void a_lowered_limit_shortens_a_region_that_waits() {
        Throttles throttles = new Throttles(Map.of(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 20_000L), 0);
        CombinedThrottle limits =
                throttles.outbound(false, () -> Priority.REPLACE, 0).files();
        add(7, 0, 1_500, limits); // a region of a twentieth of a second has left, the other half waits
        assertThat(socket.lengths).containsExactly(1_000L);

        throttles.setRate(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 2_000);
        for (int i = 0; i < 5; i++) {
            loop.runNext();
        }

        assertThat(socket.lengths).containsExactly(1_000L, 100L, 100L, 100L, 100L, 100L);
    }

    @Test
    void a_connection_that_ends_releases_what_it_waits_for() {
        CombinedThrottle slow = new Throttles(Map.of(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 2_000L), 0)
                .outbound(false, () -> Priority.REPLACE, 0)
                .files();
        add(7, 0, slow);
        add(8, 0, slow); // waits for the limit
        CombinedThrottle.Turn other = slow.turn();
        long before = other.take(100, 0);

        queue.end();
        queue.end();

        assertThat(other.pauseNanos(0)).isEqualTo(before / 2);
    }

    @Test
    void ends_a_connection_that_would_still_send_of_a_released_table() {
        CombinedThrottle slow = new Throttles(Map.of(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, 2_000L), 0)
                .outbound(false, () -> Priority.REPLACE, 0)
                .files();
        add(7, 0, slow);
        queue.release(offer -> offer == 7);
        assertThat(socket.failure).as("all of it is handed to the socket").isEmpty();

        add(8, 0, slow); // waits for the limit
        add(9, 0, slow);
        queue.release(offer -> offer == 7);
        assertThat(socket.failure).isEmpty();
        queue.release(offer -> offer == 8);
        loop.runNext();

        assertThat(socket.failure).hasValueSatisfying(why -> assertThat(why).hasMessageContaining("has lost this"));
        assertThat(socket.handed).hasSize(1);
        assertThat(queue.sends(9)).isFalse();
    }

    @Test
    void ends_a_connection_whose_next_extents_are_of_a_released_table() {
        for (int i = 0; i < 3; i++) {
            add(6 + i, 0, 16 << 20, unlimited());
        }
        queue.release(offer -> offer == 6);
        assertThat(socket.failure).isEmpty();

        queue.release(offer -> offer == 8);

        assertThat(socket.failure).isPresent();
        socket.take();
        assertThat(socket.handed).as("nothing more is handed to the socket").isEmpty();
    }

    private void add(int offer, long offset) {
        add(offer, offset, unlimited());
    }

    private static CombinedThrottle unlimited() {
        return new Throttles(Map.of(), 0)
                .outbound(false, () -> Priority.REPLACE, 0)
                .files();
    }

    private void add(int offer, long offset, CombinedThrottle limits) {
        add(offer, offset, 100, limits);
    }

    private void add(int offer, long offset, int lengthBytes, CombinedThrottle limits) {
        queue.add(
                List.of(new SourceRegion(Path.of("nb-1-big-Data.db"), offset, lengthBytes)),
                new Extent(offer, Component.DATA, offset, lengthBytes),
                limits,
                new TableBytes().of("slice", "ks.t"));
    }

    private static final class Ignored implements RegionQueue.Session {
        @Override
        public void failed(Failure why) {}

        @Override
        public void unreadable(int offer, Failure why) {}

        @Override
        public void sent(long bytes) {}
    }

    /** Takes regions when it is told to. */
    private static final class Socket implements PeerChannel {
        private final Queue<Consumer<Optional<Throwable>>> handed = new ArrayDeque<>();
        private final List<Long> lengths = new ArrayList<>();
        private Optional<Throwable> failure = Optional.empty();

        void take() {
            handed.remove().accept(Optional.empty());
        }

        @Override
        public void send(Message message, Consumer<Boolean> end) {}

        @Override
        public void send(SourceRegion region, Consumer<Optional<Throwable>> end) {
            handed.add(end);
            lengths.add(region.lengthBytes());
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void read(boolean isWanted) {}

        @Override
        public void charge(PeerMemory peer) {}

        @Override
        public Timer after(long nanos, Runnable task) {
            return () -> {};
        }

        @Override
        public void fail(Throwable cause) {
            failure = Optional.of(cause);
        }

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

    /** Runs everything at once, and timers when asked to. */
    private static final class Now implements Loop {
        final List<Long> waits = new ArrayList<>();
        final Queue<Runnable> due = new ArrayDeque<>();
        private int run;
        private long nowNanos;

        void runNext() {
            nowNanos += waits.get(run++);
            due.remove().run();
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public long nanoTime() {
            return nowNanos;
        }

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public Timer after(long nanos, Runnable task) {
            waits.add(nanos);
            due.add(task);
            return () -> {};
        }

        @Override
        public Timer every(long nanos, Runnable task) {
            return () -> {};
        }
    }
}
