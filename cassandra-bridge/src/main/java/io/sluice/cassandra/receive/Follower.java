package io.sluice.cassandra.receive;

import io.sluice.cassandra.net.Conversation;
import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.net.SessionKeys;
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
import java.util.Objects;
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
 * Receives what Cassandra nodes and Cassandra's bulk loader send to an address, until it is closed. The files of a
 * session become one folder, {@code <target>/<plan id>-<session index>/<keyspace>/<table>-<id>}, once all of them are
 * received, verified and durable; otherwise nothing is kept. Thread-safe.
 */
public final class Follower implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

    private final Order order;
    private final Links links;
    private final PeerLog log = new PeerLog(System::nanoTime);
    private final ConcurrentMap<Key, FollowedSession> sessions = new ConcurrentHashMap<>();
    private final FolderLock lock;
    private final Links.OpenPort acceptor;
    private volatile boolean isClosing;

    /**
     * What to receive.
     *
     * @param at local address and port, as senders address it; port 0 for a free one
     * @param target folder for the sessions of this address, used by nobody else; created if it does not exist
     * @param tables looks up a table by id; called on any thread
     * @param timeout a session without progress for this long fails
     * @param onEnd receives, on any thread, the outcome of each session
     * @param onRefused receives, on any thread, why a connection was refused, as a sentence
     */
    public record Order(
            InetSocketAddress at,
            Path target,
            Function<UUID, Optional<TableRef>> tables,
            Duration timeout,
            Consumer<Outcome> onEnd,
            Consumer<String> onRefused) {}

    /**
     * Outcome of a session.
     *
     * @param from identity of the initiator
     * @param operation that the initiator named: {@code Bulk Load}, {@code Rebuild}, ...
     * @param tables that were announced or received
     * @param folder that holds its tables; absent if nothing was received, or the session failed
     * @param sstables number of SSTables in the folder
     * @param unverified how many of them came without checksums of their data: only the consistency of their components
     *     was checked
     * @param receivedBytes of files
     * @param failure why nothing was kept; empty if the session completed
     * @param isSenderNotified whether we sent that the session failed; not if the sender failed it, or its connection
     *     was lost
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
            Optional<Failure> failure,
            boolean isSenderNotified) {
        public Outcome {
            tables = List.copyOf(tables);
        }
    }

    /**
     * Progress of a session.
     *
     * @param from identity of the initiator
     * @param receivedBytes of files
     * @param promisedBytes of files, as announced so far; 0 before the announcement
     */
    public record Progress(UUID planId, InetSocketAddress from, long receivedBytes, long promisedBytes) {}

    /** Key by which files find their session. */
    record Key(UUID planId, InetSocketAddress from, int sessionIndex) {
        static Key of(FileHeader.Route route) {
            return new Key(route.planId(), route.sender(), route.sessionIndex());
        }

        static Key of(StreamMessage.StreamInit init) {
            return new Key(init.planId(), init.from(), init.sessionIndex());
        }
    }

    private Follower(Order order, FolderLock lock, Links links) throws IOException {
        this.order = order;
        this.lock = lock;
        this.links = links;
        this.acceptor = links.listen(order.at(), this::accept, this::refuse);
    }

    /**
     * Starts to listen; first removes what sessions of a killed process left in the target.
     *
     * @param links with our keys, if they are encrypted
     * @throws IOException if another follower uses the target, or the address is in use
     */
    public static Follower start(Order order, Links links) throws IOException {
        FolderLock lock = FolderLock.within(order.target());
        try {
            ReceiveDirectory.clean(order.target());
            return new Follower(order, lock, links);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** The address that it listens on. */
    public InetSocketAddress address() {
        return acceptor.address();
    }

    private void accept(IncomingLink link) {
        Runnable work;
        try {
            work = purpose(link);
        } catch (IOException | StreamException e) {
            refuse(
                    address(link),
                    "connection of " + link.remote() + ": "
                            + Objects.requireNonNullElse(e.getMessage(), "closed before its first message"));
            return;
        }
        work.run();
    }

    /**
     * The first message shows the purpose of a connection: it starts a session, or brings files of one. The header of a
     * file goes back to {@code link}: it may be large, and whoever called this lives as long as the connection.
     */
    private Runnable purpose(IncomingLink link) throws IOException {
        link.setReadDeadline(order.timeout());
        StreamMessage first = link.read();
        link.setReadTimeout(links.timeout());
        if (first instanceof StreamMessage.StreamInit init) {
            return () -> SessionKeys.of(init.planId(), init.from()).run(() -> follow(init, link));
        }
        if (first instanceof FileHeader header) {
            link.unread(header);
            FileHeader.Route route = header.route();
            return () -> SessionKeys.of(route.planId(), route.sender()).run(() -> receive(Key.of(route), link));
        }
        throw new StreamException(
                ErrorCode.PROTOCOL,
                first.getClass().getSimpleName() + " was the first message (expected: STREAM_INIT or a file)");
    }

    private void receive(Key key, IncomingLink link) {
        FollowedSession session = sessions.get(key);
        if (session == null) {
            refuse(
                    address(link),
                    "connection of " + link.remote() + ": a file of " + key + ", which is not an active session");
            return;
        }
        session.receive(link, links.timeout());
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
        try (Conversation conversation =
                new Conversation("follow " + init.planId(), order.timeout(), links.clockwork(), log)) {
            var session = new FollowedSession(init, order, conversation);
            if (sessions.putIfAbsent(key, session) != null) {
                refuse(
                        address(control),
                        "connection of " + control.remote() + ": " + key + " is already an active session");
                return;
            }
            if (isClosing) { // it was not there to be cancelled
                session.cancel(closed());
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

    /** The active sessions. */
    public List<Progress> underWay() {
        return sessions.values().stream().map(FollowedSession::progress).toList();
    }

    /** Stops accepting connections and fails the active sessions. */
    @Override
    public void close() {
        Failure closed = closed();
        isClosing = true;
        sessions.values().forEach(session -> session.cancel(closed));
        acceptor.close();
        lock.close();
    }

    private Failure closed() {
        return new Failure(ErrorCode.CANCELLED, "the follower was closed");
    }
}
