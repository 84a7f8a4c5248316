package io.sluice.cassandra.receive;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.sluice.cassandra.net.Acceptor;
import io.sluice.cassandra.net.Link;
import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.session.PullSession;
import io.sluice.cassandra.session.PullSession.Action;
import io.sluice.cassandra.session.PullSession.Event;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session that asks a node for ranges of a table, and lands what it sends. The thread that calls {@link #run}
 * decides; one thread more listens, and one for each connection of the node receives. {@link #cancel},
 * {@link #promisedBytes} and {@link #receivedBytes} are for anybody.
 */
public final class Pull {
    private static final Logger LOG = LoggerFactory.getLogger(Pull.class);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(60);

    private final Order order;
    private final Links links;
    private final UUID planId = Uuids.timeBased();
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final AtomicLong lastProgressNanos = new AtomicLong(System.nanoTime());
    private final AtomicLong promised = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final List<Link> opened = new ArrayList<>();
    private @Nullable Failure outcome;
    private boolean isFinished;
    private boolean isClosing;

    /**
     * What is wanted.
     *
     * @param node where it takes streams
     * @param tableId of the table there
     * @param ranges at least one; a node of 4.x refuses any that it does not own
     * @param target folder of the table, {@code <keyspace>/<table>-<id>}, which must not exist
     * @param patience how long nothing may happen before the session is given up
     */
    public record Order(
            InetSocketAddress node,
            String keyspace,
            String table,
            UUID tableId,
            TokenRanges ranges,
            Path target,
            Duration patience) {}

    /** @param links with keys of ours if they are encrypted: the node connects to us */
    public Pull(Order order, Links links) {
        this.order = order;
        this.links = links;
    }

    /** How the node names the session in its log. */
    public UUID planId() {
        return planId;
    }

    /** Bytes that the node will send, as far as it has said. */
    public long promisedBytes() {
        return promised.get();
    }

    /** Bytes of files that have come. */
    public long receivedBytes() {
        return received.get();
    }

    /** Ends the session as failed. */
    public void cancel() {
        events.add(new Event.Failed(new Failure(ErrorCode.CANCELLED, "cancelled")));
    }

    /**
     * Asks, receives, verifies and installs.
     *
     * @return the SSTables in the target folder; none, and no folder, if the node has nothing of the ranges
     * @throws StreamException if anything is missing or damaged; then nothing is left behind
     */
    public List<SSTable> run() throws IOException, InterruptedException {
        try (Landing landing = Landing.at(order.target(), order.ranges())) {
            InetSocketAddress local;
            try (Link probe = links.connect(order.node(), Optional.empty())) {
                local = probe.local(); // the address of ours that the node reaches
            }
            try (Acceptor acceptor = links.listen(local.getAddress(), link -> accept(link, landing))) {
                try {
                    exchange(acceptor.address(), landing);
                } finally {
                    closeAll(); // so that the threads end for which the acceptor waits
                }
            }
            if (outcome != null) {
                throw new StreamException(outcome.code(), outcome.reason());
            }
            return landing.install();
        }
    }

    private void exchange(InetSocketAddress identity, Landing landing) throws IOException, InterruptedException {
        var init = new StreamMessage.StreamInit(
                identity, 0, planId, StreamMessage.StreamInit.REBUILD, Optional.empty(), 0);
        var request =
                new StreamMessage.RangeRequest(order.keyspace(), identity, order.ranges(), List.of(order.table()));
        var session = new PullSession(init, List.of(request));
        Link control = links.connect(order.node(), Optional.of(identity));
        keep(control);
        Thread listener = new Thread(() -> listen(control), "pull-control");
        listener.setDaemon(true); // ends with the connection
        listener.start();
        events.add(new Event.Connected());
        while (!isFinished) {
            step(session, control, landing);
        }
    }

    private void step(PullSession session, Link control, Landing landing) throws IOException, InterruptedException {
        Event event = events.poll(KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS);
        long silentNanos = System.nanoTime() - lastProgressNanos.get();
        if (event == null && silentNanos > order.patience().toNanos()) {
            event = new Event.Failed(new Failure(
                    ErrorCode.TIMEOUT,
                    "nothing happened for " + order.patience().toSeconds() + " s in state " + session.state() + ", "
                            + session.outstanding() + " files to go"));
        }
        if (event == null) {
            control.send(new StreamMessage.KeepAlive());
            return;
        }
        PullSession.State before = session.state();
        List<Action> actions = session.on(event);
        if (session.state() != before) {
            LOG.info("plan {} node {}: {} -> {}", planId, order.node(), before, session.state());
        }
        if (before == PullSession.State.PREPARING && session.state() == PullSession.State.RECEIVING) {
            makeRoom(session.promised(), landing);
        }
        for (Action action : actions) {
            if (action instanceof Action.Send a) {
                control.send(a.message());
            } else if (action instanceof Action.Finish a) {
                outcome = a.failure().orElse(null);
                isFinished = true;
            } else {
                throw new AssertionError("no rule for " + action);
            }
        }
    }

    private void makeRoom(List<Summary> summaries, Landing landing) throws IOException {
        long bytes = summaries.stream().mapToLong(Summary::lengthBytes).sum();
        promised.set(bytes);
        long usable = landing.usableBytes();
        if (bytes > usable) {
            events.add(new Event.Failed(new Failure(
                    ErrorCode.DISK_FULL,
                    order.target() + ": " + bytes + " bytes are to come, and " + usable
                            + " are free (make room, or choose another --to)")));
        }
    }

    private void listen(Link control) {
        try {
            control.setReadTimeout(Duration.ofDays(365)); // silence is judged by progress, in step
            while (true) {
                if (!(control.read() instanceof StreamMessage.Control message)) {
                    throw new StreamException(ErrorCode.PROTOCOL, "a file came on the control connection");
                }
                lastProgressNanos.set(System.nanoTime());
                events.add(new Event.Received(message));
            }
        } catch (IOException e) {
            events.add(new Event.PeerLost("control connection: " + e.getMessage()));
        } catch (RuntimeException e) {
            events.add(new Event.Failed(Failure.of(e)));
        }
    }

    /** A connection of the node's: files, one behind the other, until the session ends. */
    private void accept(Link link, Landing landing) {
        keep(link);
        LongConsumer onReceived = bytes -> {
            received.addAndGet(bytes);
            lastProgressNanos.set(System.nanoTime());
        };
        try {
            link.setReadTimeout(Duration.ofDays(365));
            while (true) {
                StreamMessage message = link.read();
                if (message instanceof StreamMessage.KeepAlive) {
                    continue;
                }
                if (!(message instanceof FileHeader header)) {
                    throw new StreamException(
                            ErrorCode.PROTOCOL,
                            message.getClass().getSimpleName() + " came on a file connection (expected: a file)");
                }
                requireOurs(header.route());
                link.setReadTimeout(links.timeout());
                landing.receive(header, link, onReceived);
                link.setReadTimeout(Duration.ofDays(365));
                events.add(new Event.Arrived(
                        header.route().tableId(), header.route().sequence(), header.countedFiles()));
            }
        } catch (FileSystemException | SSTableException | RuntimeException e) {
            LOG.warn("plan {} connection of {}: {}", planId, link.remote(), e.getMessage(), e);
            events.add(new Event.Failed(Failure.of(e)));
        } catch (IOException e) {
            events.add(new Event.PeerLost("file connection: " + e.getMessage()));
        }
    }

    private void requireOurs(FileHeader.Route route) {
        if (!route.planId().equals(planId) || !route.tableId().equals(order.tableId()) || !route.sentByFollower()) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    "a file of plan " + route.planId() + ", table " + route.tableId() + " (expected: " + planId + ", "
                            + order.tableId() + ")");
        }
    }

    private void keep(Link link) {
        synchronized (opened) {
            opened.add(link);
            if (isClosing) {
                link.close();
            }
        }
    }

    private void closeAll() {
        synchronized (opened) {
            isClosing = true;
            opened.forEach(Link::close);
        }
    }
}
