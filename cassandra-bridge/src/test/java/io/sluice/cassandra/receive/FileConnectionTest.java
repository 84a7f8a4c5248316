package io.sluice.cassandra.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.net.CassandraAcceptor;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.session.SessionEvent;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.log.LogKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A connection on which files come, over a real socket. */
class FileConnectionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    static final FileHeader FILE = new FileHeader(
            new FileHeader.Route(
                    new UUID(2, 2),
                    new InetSocketAddress("127.0.0.2", 7000),
                    new UUID(3, 3),
                    false,
                    0,
                    3,
                    0,
                    Optional.empty()),
            "nb",
            "big",
            0,
            List.of(),
            Optional.empty(),
            0,
            Bytes.hex("8101" + "c04000" + "00" + "0141" + "010142" + "00" + "00"),
            Optional.empty());

    @TempDir
    private Path folder = Path.of("");

    private final BlockingQueue<SessionEvent> posted = new LinkedBlockingQueue<>();

    /** With which a file was received. */
    private final BlockingQueue<LogKeys> keys = new LinkedBlockingQueue<>();

    private final class Defective implements FileConnection.Session {
        @Override
        public ReceivedTable tableOf(FileHeader.Route route) {
            keys.add(LogKeys.current());
            throw new AssertionError("injected");
        }

        @Override
        public void received(long bytes) {}

        @Override
        public void post(SessionEvent event) {
            posted.add(event);
        }
    }

    /** A session whose table cannot write what arrives. */
    private final class FullDisk implements FileConnection.Session {
        private final ReceivedTable table;

        FullDisk(ReceivedTable table) {
            this.table = table;
        }

        @Override
        public ReceivedTable tableOf(FileHeader.Route route) {
            return table;
        }

        @Override
        public void received(long bytes) {
            throwAny(new IOException("No space left on device")); // as a FileChannel does: no FileSystemException
        }

        @Override
        public void post(SessionEvent event) {
            posted.add(event);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void throwAny(Throwable any) throws E {
        throw (E) any;
    }

    /** The exception of a channel that is closed here has no message. */
    @Test
    void a_connection_that_this_end_closes_is_called_closed() throws Exception {
        CountDownLatch isServed = new CountDownLatch(1);
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE)) {
            OutgoingLink sender;
            try (CassandraAcceptor acceptor = links.listen(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    link -> {
                        isServed.countDown();
                        FileConnection.receive(link, new Defective(), PATIENCE);
                    },
                    (peer, reason) -> {})) {
                sender = links.connect(acceptor.address(), Optional.empty());
                assertThat(isServed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            }
            sender.close();

            assertThat(posted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(new SessionEvent.PeerLost("file connection: closed"));
        }
    }

    @Test
    void a_full_disk_is_not_a_lost_peer() throws Exception {
        var entire = new FileHeader.Whole(List.of(new FileHeader.Entry("Data.db", 1)), Bytes.hex("00"));
        var whole = new FileHeader(
                FILE.route(), "nb", "big", 0, List.of(), Optional.empty(), 0, Bytes.hex("00"), Optional.of(entire));
        try (ReceiveDirectory landing = ReceiveDirectory.at(folder.resolve("to"));
                CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE)) {
            FullDisk session = new FullDisk(landing.table(TokenRanges.FULL));
            try (CassandraAcceptor acceptor = links.listen(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                            link -> {
                                link.unread(whole);
                                FileConnection.receive(link, session, PATIENCE);
                            },
                            (peer, reason) -> {});
                    OutgoingLink sender = links.connect(acceptor.address(), Optional.empty())) {
                sender.send(Bytes.hex("00"));

                SessionEvent event = posted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);

                assertThat(event)
                        .isInstanceOfSatisfying(
                                SessionEvent.Failed.class,
                                failed -> assertThat(failed.failure().code()).isEqualTo(ErrorCode.DISK_FULL));
            }
        }
    }

    private void receive(IncomingLink link) {
        FileConnection.receive(link, new Defective(), PATIENCE);
    }

    @Test
    void an_error_ends_the_session_and_not_just_its_thread() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                CassandraAcceptor acceptor = links.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        link -> receive(link),
                        (peer, reason) -> {});
                OutgoingLink sender = links.connect(acceptor.address(), Optional.empty())) {
            sender.send(FILE);

            SessionEvent event = posted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            assertThat(event)
                    .isInstanceOfSatisfying(
                            SessionEvent.Failed.class,
                            failed -> assertThat(failed.failure().reason()).contains("injected"));
            assertThat(keys)
                    .extracting(LogKeys::table)
                    .containsExactly(FILE.route().tableId().toString());
        }
    }
}
