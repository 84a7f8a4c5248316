package io.sluice.cassandra.receive;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.sluice.cassandra.net.Conversation;
import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.net.SessionKeys;
import io.sluice.cassandra.session.PullSession;
import io.sluice.cassandra.session.SessionAction;
import io.sluice.cassandra.session.SessionEvent;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One session that requests ranges of a table from a node and stores what the node sends. The thread that calls
 * {@link #run} decides, one thread listens, and one thread receives on each connection of the node. Any thread may call
 * {@link #cancel}, {@link #promisedBytes} and {@link #receivedBytes}.
 */
public final class Pull {
    private static final Logger LOG = LoggerFactory.getLogger(Pull.class);

    /** A pull has one session with its node, and the first one has this number. */
    private static final int SESSION_INDEX = 0;

    private final Order order;
    private final Links links;
    private final UUID planId = Uuids.timeBased();
    private final LogKeys keys;
    private final PeerLog log = new PeerLog(System::nanoTime);
    private final Conversation conversation;
    private final AtomicLong promised = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicInteger unverified = new AtomicInteger();
    private final Verified onVerified;

    /**
     * What to request.
     *
     * @param node its streaming address
     * @param tableId of the table at the node
     * @param ranges at least one; a node of 4.x refuses any that it does not own
     * @param target folder of the table, {@code <keyspace>/<table>-<id>}, which must not exist
     * @param timeout a session without progress for this long fails
     */
    public record Order(
            InetSocketAddress node,
            String keyspace,
            String table,
            UUID tableId,
            TokenRanges ranges,
            Path target,
            Duration timeout) {}

    /** Adds to what was received. */
    @FunctionalInterface
    interface Verified {
        /** All is verified, and its folder does not have its name yet; what is added to it becomes durable with it. */
        void verified(Path folder, List<ReceivedTable.ReceivedFile> received) throws IOException;
    }

    /** @param links with our keys, if they are encrypted: the node connects to us */
    public Pull(Order order, Links links) {
        this(order, links, (folder, received) -> {});
    }

    Pull(Order order, Links links, Verified onVerified) {
        this.order = order;
        this.onVerified = onVerified;
        this.links = links;
        this.keys = SessionKeys.of(planId, order.node()).withTable(order.keyspace() + "." + order.table());
        this.conversation =
                new Conversation("pull " + planId + " " + order.node(), order.timeout(), links.clockwork(), log);
    }

    /** Plan id under which the node logs the session. */
    public UUID planId() {
        return planId;
    }

    /** Bytes that the node has announced so far. */
    public long promisedBytes() {
        return promised.get();
    }

    /** Bytes of files received so far. */
    public long receivedBytes() {
        return received.get();
    }

    /**
     * How many of the SSTables came without checksums of their data: only the consistency of their components was
     * checked.
     */
    public int unverified() {
        return unverified.get();
    }

    /** Fails the session. */
    public void cancel() {
        conversation.post(new SessionEvent.Failed(new Failure(ErrorCode.CANCELLED, "cancelled")));
    }

    /**
     * Requests, receives, verifies and installs.
     *
     * @return the SSTables in the target folder; empty, and no folder, if the node has no data in the ranges
     * @throws StreamException if anything is missing or damaged; nothing is kept then
     */
    public List<SSTable> run() throws IOException, InterruptedException {
        LogKeys.Scope scope = keys.enter();
        try {
            return receive();
        } finally {
            scope.leave();
        }
    }

    private List<SSTable> receive() throws IOException, InterruptedException {
        try (ReceiveDirectory landing = ReceiveDirectory.at(order.target())) {
            ReceivedTable table = landing.table(order.ranges());
            InetSocketAddress local;
            try (OutgoingLink probe = links.connect(order.node(), Optional.empty())) {
                local = probe.local(); // our address, as reachable by the node
            }
            Files files = new Files(table);
            try (Links.OpenPort acceptor = links.listen(
                            new InetSocketAddress(local.getAddress(), 0),
                            link -> keys.run(() -> FileConnection.receive(link, files, links.timeout())),
                            (peer, reason) -> keys.run(() -> log.write(LOG, Level.WARN, peer, "{}", reason)));
                    conversation) {
                Optional<Failure> failure = exchange(acceptor.address(), landing);
                if (failure.isPresent()) {
                    throw new StreamException(
                            failure.get().code(), failure.get().reason());
                }
            }
            return install(table, landing);
        }
    }

    private Optional<Failure> exchange(InetSocketAddress identity, ReceiveDirectory landing)
            throws InterruptedException {
        var init = new StreamMessage.StreamInit(
                identity, SESSION_INDEX, planId, StreamMessage.StreamInit.REBUILD, Optional.empty(), 0);
        var request =
                new StreamMessage.RangeRequest(order.keyspace(), identity, order.ranges(), List.of(order.table()));
        OutgoingLink control = links.connect(order.node(), Optional.of(identity));
        conversation.post(new SessionEvent.Connected());
        return conversation.run(new PullSession(init, List.of(request)), control, action -> makeRoom(action, landing));
    }

    private Optional<SessionEvent> makeRoom(SessionAction action, ReceiveDirectory landing) throws IOException {
        if (!(action instanceof SessionAction.Prepare prepare)) {
            throw new AssertionError("no rule for " + action);
        }
        long bytes = prepare.promised().stream().mapToLong(Summary::lengthBytes).sum();
        promised.set(bytes);
        landing.requireRoom(bytes);
        return Optional.empty();
    }

    private List<SSTable> install(ReceivedTable table, ReceiveDirectory landing) throws IOException {
        List<ReceivedTable.ReceivedFile> arrived = table.verify();
        if (!arrived.isEmpty()) {
            onVerified.verified(landing.staging(), arrived);
            landing.install();
        }
        unverified.set((int) arrived.stream().filter(one -> !one.isSummed()).count());
        List<SSTable> sstables = new ArrayList<>();
        for (ReceivedTable.ReceivedFile one : arrived) {
            sstables.add(SSTable.open(order.target(), one.descriptor()));
        }
        return sstables;
    }

    /** The files that arrive on the node's connections. */
    private final class Files implements FileConnection.Session {
        private final ReceivedTable table;

        Files(ReceivedTable table) {
            this.table = table;
        }

        @Override
        public ReceivedTable tableOf(FileHeader.Route route) {
            if (!route.planId().equals(planId)
                    || route.sessionIndex() != SESSION_INDEX
                    || !route.tableId().equals(order.tableId())
                    || !route.sentByFollower()) {
                throw new StreamException(
                        ErrorCode.PROTOCOL,
                        "a file of plan " + route.planId() + ", session " + route.sessionIndex() + ", table "
                                + route.tableId() + " (expected: " + planId + ", " + SESSION_INDEX + ", "
                                + order.tableId() + ")");
            }
            return table;
        }

        @Override
        public void received(long bytes) {
            received.addAndGet(bytes);
            conversation.progressed();
        }

        @Override
        public void post(SessionEvent event) {
            conversation.post(event);
        }
    }
}
