package io.sluice.cassandra.receive;

import io.sluice.cassandra.net.CassandraAcceptor;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.Conversation;
import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes what nodes of Cassandra and its bulk loader send to an address, until it is closed. What a session brings
 * becomes one folder, {@code <target>/<plan id>-<session index>/<keyspace>/<table>-<id>}, once all of it is there,
 * verified and durable, or nothing. Thread-safe.
 */
public final class Follower implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

    private final Order order;
    private final CassandraLinks links;
    private final PeerLog log = new PeerLog(System::nanoTime);
    private final ConcurrentMap<Key, FollowedSession> sessions = new ConcurrentHashMap<>();
    private final CassandraAcceptor acceptor;

    /**
     * What is to be taken.
     *
     * @param at address and port of ours, as senders call it; port 0 for a free one
     * @param target folder for the sessions of this address, used by nobody else
     * @param tables those that are known, by id; asked on any thread
     * @param timeout after how long without progress a session fails
     * @param onEnd receives, on any thread, how each session ended
     * @param onRefused receives, on any thread, why a connection came to nothing, as a sentence
     */
    public record Order(
            InetSocketAddress at,
            Path target,
            Function<UUID, Optional<TableRef>> tables,
            Duration timeout,
            Consumer<Outcome> onEnd,
            Consumer<String> onRefused) {}

    /**
     * How a session ended.
     *
     * @param from identity of who began it
     * @param operation that it named: {@code Bulk Load}, {@code Rebuild}, ...
     * @param tables of which it brought something, or was to
     * @param folder where its tables lie; absent if nothing came, or it failed
     * @param sstables how many are there now
     * @param unverified how many of them came without checksums of their data: their components agree, no more is known
     * @param receivedBytes of files
     * @param failure why nothing was kept; empty if all is there
     */
    public record Outcome(
            UUID planId,
            InetSocketAddress from,
            String operation,
            List<TableRef> tables,
            Optional<Path> folder,
            int sstables,
            int unverified,
            long receivedBytes,
            double seconds,
            Optional<Failure> failure) {
        public Outcome {
            tables = List.copyOf(tables);
        }
    }

    /**
     * How far a session is.
     *
     * @param from identity of who began it
     * @param receivedBytes of files
     * @param promisedBytes of files, as far as it has said; 0 before
     */
    public record Progress(UUID planId, InetSocketAddress from, long receivedBytes, long promisedBytes) {}

    /** How files find their session. */
    record Key(UUID planId, InetSocketAddress from, int sessionIndex) {
        static Key of(FileHeader.Route route) {
            return new Key(route.planId(), route.sender(), route.sessionIndex());
        }

        static Key of(StreamMessage.StreamInit init) {
            return new Key(init.planId(), init.from(), init.sessionIndex());
        }
    }

    private Follower(Order order, CassandraLinks links) throws IOException {
        this.order = order;
        this.links = links;
        this.acceptor = links.listen(order.at(), this::accept, this::refuse);
    }

    /**
     * Listens from now on; first removes what sessions left in the target whose process was killed.
     *
     * @param links with keys of ours if they are encrypted
     */
    public static Follower start(Order order, CassandraLinks links) throws IOException {
        ReceiveDirectory.clean(order.target());
        return new Follower(order, links);
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return acceptor.address();
    }

    /** The first message says what a connection is for: a session begins, or files of one come. */
    private void accept(IncomingLink link) {
        StreamMessage first;
        try {
            first = link.read();
        } catch (IOException | StreamException e) {
            refuse(address(link), "connection of " + link.remote() + ": " + e.getMessage());
            return;
        }
        if (first instanceof StreamMessage.StreamInit init) {
            follow(init, link);
        } else if (first instanceof FileHeader header) {
            FollowedSession session = sessions.get(Key.of(header.route()));
            if (session == null) {
                refuse(
                        address(link),
                        "connection of " + link.remote() + ": a file of " + Key.of(header.route())
                                + ", which is no session");
                return;
            }
            FileConnection.receive(link, Optional.of(header), session, links.timeout());
        } else {
            refuse(
                    address(link),
                    "connection of " + link.remote() + ": " + first.getClass().getSimpleName()
                            + " came first (expected: STREAM_INIT, or a file)");
        }
    }

    private static String address(IncomingLink link) {
        return link.remote().getAddress().getHostAddress();
    }

    private void refuse(String peer, String reason) {
        log.write(LOG, Level.WARN, peer, "{}", reason);
        order.onRefused().accept(reason);
    }

    private void follow(StreamMessage.StreamInit init, IncomingLink control) {
        Key key = Key.of(init);
        try (Conversation conversation = new Conversation("follow " + init.planId(), order.timeout(), log)) {
            var session = new FollowedSession(init, order, conversation);
            if (sessions.putIfAbsent(key, session) != null) {
                refuse(address(control), "connection of " + control.remote() + ": " + key + " is a session already");
                return;
            }
            try {
                order.onEnd().accept(session.run(control));
            } finally {
                sessions.remove(key);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The sessions under way. */
    public List<Progress> underWay() {
        return sessions.values().stream().map(FollowedSession::progress).toList();
    }

    /** Takes no more connections, and ends the sessions under way as failed. */
    @Override
    public void close() {
        sessions.values()
                .forEach(session -> session.cancel(
                        new Failure(ErrorCode.CANCELLED, "the follower at " + address() + " was closed")));
        acceptor.close();
    }
}
