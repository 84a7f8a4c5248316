package io.sluice.cassandra.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.session.FollowSession;
import io.sluice.cassandra.session.PushSession;
import io.sluice.cassandra.session.SessionAction;
import io.sluice.cassandra.session.SessionEvent;
import io.sluice.cassandra.session.StreamSession;
import io.sluice.cassandra.wire.MessageWriter;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A session over a real control connection ends with a reason, whatever happens to it. */
@Timeout(60)
class ConversationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final UUID TABLE = new UUID(0, 3);
    private static final StreamMessage.StreamInit INIT = new StreamMessage.StreamInit(
            new InetSocketAddress("127.0.0.2", 7000),
            0,
            new UUID(0x1000, 1),
            StreamMessage.StreamInit.BULK_LOAD,
            Optional.empty(),
            0);
    private static final StreamMessage PREPARE =
            new StreamMessage.PrepareSyn(List.of(), List.of(new StreamMessage.Summary(TABLE, 1, 10)));

    /** Of a follower whose peer keeps the protocol. */
    private static Optional<Failure> follow(Consumer<IncomingLink> peer, Conversation.Performer performer)
            throws Exception {
        return follow(peer, performer, Clockwork.REAL);
    }

    private static Optional<Failure> follow(
            Consumer<IncomingLink> peer, Conversation.Performer performer, Clockwork clockwork) throws Exception {
        return run(new FollowSession(), new SessionEvent.Received(INIT), peer, performer, clockwork);
    }

    private static Optional<Failure> run(
            StreamSession session,
            SessionEvent first,
            Consumer<IncomingLink> peer,
            Conversation.Performer performer,
            Clockwork clockwork)
            throws Exception {
        CountDownLatch isOver = new CountDownLatch(1);
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor acceptor = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        link -> {
                            peer.accept(link);
                            await(isOver);
                        },
                        (address, reason) -> {});
                Conversation conversation =
                        new Conversation("test", PATIENCE, clockwork, new PeerLog(System::nanoTime))) {
            conversation.post(first);
            try {
                return conversation.run(session, links.connect(acceptor.address(), Optional.empty()), performer);
            } finally {
                isOver.countDown();
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("nothing came");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until nobody reads what the peer sends: it blocks for ever where nothing bounds what waits. */
    private static void awaitNoReader() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("test-control")) {
                try {
                    thread.join(PATIENCE.toMillis());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                assertThat(thread.isAlive()).as("reads on").isFalse();
            }
        }
    }

    private static void send(IncomingLink link, StreamMessage message, int times) {
        try {
            byte[] one = MessageWriter.encode(message).toArray();
            byte[] all = new byte[one.length * times];
            for (int i = 0; i < times; i++) {
                System.arraycopy(one, 0, all, i * one.length, one.length);
            }
            link.send(Bytes.wrap(all));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void an_error_of_what_performs_its_actions_is_its_end() throws Exception {
        Optional<Failure> failure = follow(link -> send(link, PREPARE, 1), action -> {
            throw new AssertionError("injected");
        });

        assertThat(failure.map(Failure::reason).orElseThrow()).contains("injected");
    }

    @Test
    @SuppressWarnings("NullAway") // what a defect does
    void a_defect_of_its_own_is_its_end() throws Exception {
        Optional<Failure> failure = follow(link -> send(link, PREPARE, 1), action -> null);

        assertThat(failure).isPresent();
    }

    @Test
    void a_peer_that_sends_faster_than_it_decides_is_cut_off() throws Exception {
        Optional<Failure> failure = follow(
                link -> {
                    send(link, PREPARE, 1);
                    send(link, new StreamMessage.KeepAlive(), 20_000);
                },
                action -> {
                    if (action instanceof SessionAction.Prepare) {
                        awaitNoReader();
                    }
                    return Optional.empty();
                });

        assertThat(failure.map(Failure::code)).contains(ErrorCode.LIMIT);
    }

    @Test
    void nothing_is_done_after_an_action_that_failed() throws Exception {
        List<SessionAction> performed = new ArrayList<>();
        StreamMessage nothing =
                new StreamMessage.PrepareSyn(List.of(), List.of(new StreamMessage.Summary(TABLE, 0, 0)));

        Optional<Failure> failure = follow(link -> send(link, nothing, 1), action -> {
            performed.add(action);
            throw new IOException("injected");
        });

        assertThat(failure).isPresent();
        assertThat(performed).hasSize(1).first().isInstanceOf(SessionAction.Prepare.class);
    }

    /** The exception of a channel that is closed here has no message. */
    @Test
    void a_control_connection_that_this_end_closes_is_called_closed() throws Exception {
        BlockingQueue<Optional<Failure>> ended = new LinkedBlockingQueue<>();
        CountDownLatch isServed = new CountDownLatch(1);
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE)) {
            OutgoingLink peer;
            try (CassandraAcceptor acceptor = links.listen(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    link -> {
                        isServed.countDown();
                        ended.add(followOver(link));
                    },
                    (address, reason) -> {})) {
                peer = links.connect(acceptor.address(), Optional.empty());
                await(isServed);
            }
            peer.close();

            assertThat(Optional.ofNullable(ended.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .orElseThrow()
                            .map(Failure::reason))
                    .contains("control connection: closed");
        }
    }

    private static Optional<Failure> followOver(IncomingLink control) {
        try (Conversation conversation =
                new Conversation("test", PATIENCE, Clockwork.REAL, new PeerLog(System::nanoTime))) {
            conversation.post(new SessionEvent.Received(INIT));
            return conversation.run(new FollowSession(), control, action -> Optional.empty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** A clock that passes a quarter of the patience with each look. */
    private static final class Hasty implements Clockwork {
        private final AtomicLong nanos = new AtomicLong();

        @Override
        public long nanoTime() {
            return nanos.addAndGet(PATIENCE.toNanos() / 4);
        }

        @Override
        public <T> @Nullable T poll(BlockingQueue<T> queue, long millis) throws InterruptedException {
            return REAL.poll(queue, millis);
        }

        @Override
        public void sleep(long millis) throws InterruptedException {
            REAL.sleep(millis);
        }

        @Override
        public Thread start(String name, Runnable work) {
            return REAL.start(name, work);
        }

        @Override
        public void stop(List<Thread> threads, long millis) throws InterruptedException {
            REAL.stop(threads, millis);
        }
    }

    @Test
    void a_peer_that_only_says_that_it_lives_is_not_waited_for_for_ever() throws Exception {
        Optional<Failure> failure =
                follow(link -> send(link, new StreamMessage.KeepAlive(), 100), action -> Optional.empty(), new Hasty());

        assertThat(failure.map(Failure::code)).contains(ErrorCode.TIMEOUT);
    }

    /** Of a push of one file, whose follower sends {@code messages} after it is prepared. */
    private static Optional<Failure> push(Consumer<IncomingLink> messages) throws Exception {
        PushSession session = new PushSession(INIT, List.of(), Set.of(new PushSession.FileId(TABLE, 0)));
        return run(
                session,
                new SessionEvent.Connected(),
                link -> {
                    send(link, new StreamMessage.PrepareSynAck(List.of()), 1);
                    messages.accept(link);
                },
                action -> Optional.empty(),
                new Hasty());
    }

    @Test
    void a_follower_that_has_received_all_may_work_in_silence_for_longer() throws Exception {
        Optional<Failure> failure = push(link -> {
            send(link, new StreamMessage.Received(TABLE, 0), 1);
            send(link, new StreamMessage.KeepAlive(), 100);
            send(link, new StreamMessage.Complete(), 1);
        });

        assertThat(failure).isEmpty();
    }

    @Test
    void a_follower_that_lacks_a_file_may_not() throws Exception {
        Optional<Failure> failure = push(link -> send(link, new StreamMessage.KeepAlive(), 100));

        assertThat(failure.map(Failure::code)).contains(ErrorCode.TIMEOUT);
    }
}
