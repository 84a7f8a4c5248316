package io.sluice.cassandra.send;

import io.sluice.cassandra.net.Conversation;
import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.net.SessionKeys;
import io.sluice.cassandra.session.PushSession;
import io.sluice.cassandra.session.SessionAction;
import io.sluice.cassandra.session.SessionEvent;
import io.sluice.cassandra.wire.ConnectionLostException;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.sstable.component.SSTableException;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session that sends SSTables of one table to one node. The thread that calls {@link #run} decides, one thread
 * listens, and one thread sends on each connection. Any thread may call {@link #cancel}.
 */
public final class Push {
    private static final Logger LOG = LoggerFactory.getLogger(Push.class);
    private static final String CANCELLED = "cancelled";

    private final Order order;
    private final Links links;
    private final SharedThrottle throttle;
    private final Listener listener;
    private final Conversation conversation;
    private final Queue<Announced> files = new ConcurrentLinkedQueue<>();
    private volatile boolean isCancelled;

    /**
     * What to send.
     *
     * @param planId a version-1 UUID, the same for all sessions of one load
     * @param sessionIndex unique among the sessions of a plan with one node
     * @param tableId of the node's table
     * @param transfers at least one
     * @param connections that send, at least 1
     * @param timeout a session without progress for this long fails, unless the node has all files and works on them
     */
    public record Order(
            InetSocketAddress node,
            UUID planId,
            int sessionIndex,
            UUID tableId,
            List<SSTableTransfer> transfers,
            int connections,
            Duration timeout) {
        public Order {
            transfers = List.copyOf(transfers);
        }
    }

    /** Listens to the progress of a push; called on any of its threads. */
    @FunctionalInterface
    public interface Listener {
        /** So many more bytes of files were sent. */
        void sent(long lengthBytes);

        /** One more slice was cut. */
        default void cut() {}

        /** All slices are cut, so the length of all files is known: the sum that {@link #sent} reaches. */
        default void prepared(long lengthBytes) {}
    }

    public Push(Order order, Links links, SharedThrottle throttle, Listener listener) {
        this.order = order;
        this.links = links;
        this.throttle = throttle;
        this.listener = listener;
        this.conversation = new Conversation(
                "push " + order.planId() + " " + order.node(),
                order.timeout(),
                links.clockwork(),
                new PeerLog(System::nanoTime));
    }

    /** Fails the session; slices that are being cut end at the next piece of data. */
    public void cancel() {
        isCancelled = true;
        conversation.post(new SessionEvent.Failed(new Failure(ErrorCode.CANCELLED, CANCELLED)));
    }

    /**
     * Sends everything and waits until the node confirms that it is durable and live; returns why it failed, if it did.
     */
    public Optional<Failure> run() throws InterruptedException {
        LogKeys.Scope scope = SessionKeys.of(order.planId(), order.node())
                .withTable(order.tableId())
                .enter();
        try {
            return send();
        } finally {
            scope.leave();
        }
    }

    private Optional<Failure> send() throws InterruptedException {
        try (SliceFiles slices = new SliceFiles(this::requireWanted)) {
            List<Unaddressed> cut =
                    cut(slices); // before connecting: cutting takes time, and a waiting node may time out
            if (cut.isEmpty()) {
                listener.prepared(0);
                return Optional.empty();
            }
            try (conversation) { // closes before the slices, which connections may still read
                return exchange(cut);
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("the push failed: {}", e.getMessage(), e);
            return Optional.of(Failure.of(e));
        }
    }

    private Optional<Failure> exchange(List<Unaddressed> cut) throws IOException, InterruptedException {
        OutgoingLink control = links.connect(order.node(), Optional.empty());
        conversation.keep(control);
        PushSession session = prepare(cut, control.local());
        conversation.post(new SessionEvent.Connected());
        return conversation.run(session, control, action -> perform(action, control.local()));
    }

    /** A file without the address of its sender. */
    private interface Unaddressed {
        OutgoingFile from(FileHeader.Route route) throws IOException;
    }

    /** A file that the node expects. Its positions are looked up again when it is sent: those of all may be many. */
    private record Announced(Unaddressed file, FileHeader.Route route) {
        OutgoingFile open() throws IOException {
            return file.from(route);
        }
    }

    private List<Unaddressed> cut(SliceFiles slices) throws IOException {
        List<Unaddressed> files = new ArrayList<>();
        for (SSTableTransfer transfer : order.transfers()) {
            requireWanted();
            if (transfer instanceof SSTableTransfer.Slice slice) {
                slices.cut(slice).ifPresent(outline -> files.add(route -> OutgoingFile.slice(outline, route)));
                listener.cut();
            } else {
                files.add(route -> OutgoingFile.of(transfer, route));
            }
        }
        return files;
    }

    private void requireWanted() {
        if (isCancelled) {
            throw new StreamException(ErrorCode.CANCELLED, CANCELLED);
        }
    }

    private PushSession prepare(List<Unaddressed> cut, InetSocketAddress identity) throws IOException {
        Set<PushSession.FileId> ids = new HashSet<>();
        int counted = 0;
        long bytes = 0;
        for (Unaddressed unaddressed : cut) {
            requireWanted();
            int sequence = ids.size();
            var route = new FileHeader.Route(
                    order.tableId(),
                    identity,
                    order.planId(),
                    false,
                    order.sessionIndex(),
                    sequence,
                    0,
                    Optional.empty());
            OutgoingFile file = unaddressed.from(route);
            files.add(new Announced(unaddressed, route));
            ids.add(new PushSession.FileId(order.tableId(), sequence));
            counted += file.header().countedFiles();
            bytes += file.lengthBytes();
        }
        listener.prepared(bytes);
        var init = new StreamMessage.StreamInit(
                identity,
                order.sessionIndex(),
                order.planId(),
                StreamMessage.StreamInit.BULK_LOAD,
                Optional.empty(),
                0);
        return new PushSession(init, List.of(new StreamMessage.Summary(order.tableId(), counted, bytes)), ids);
    }

    private Optional<SessionEvent> perform(SessionAction action, InetSocketAddress identity) {
        if (!(action instanceof SessionAction.Transmit)) {
            throw new AssertionError("no rule for " + action);
        }
        int connections = Math.min(order.connections(), files.size());
        for (int i = 0; i < connections; i++) {
            conversation.start("send-" + i, () -> transmit(identity));
        }
        return Optional.empty();
    }

    private void transmit(InetSocketAddress identity) {
        try {
            OutgoingLink link = conversation.keep(links.connect(order.node(), Optional.of(identity)));
            FileSender sender = new FileSender(link, throttle, bytes -> {
                conversation.progressed();
                listener.sent(bytes);
            });
            for (Announced next = files.poll(); next != null; next = files.poll()) {
                sender.send(next.open());
            }
            // The node sends nothing here, but an end of the connection before COMPLETE means that the session is lost.
            link.setReadTimeout(Duration.ofDays(365));
            link.read();
            conversation.post(new SessionEvent.Failed(
                    new Failure(ErrorCode.PROTOCOL, "received a message on a file connection")));
        } catch (SSTableException e) {
            conversation.post(
                    new SessionEvent.Failed(new Failure(ErrorCode.CORRUPT_AT_SOURCE, String.valueOf(e.getMessage()))));
        } catch (ConnectionLostException e) {
            lost(e);
        } catch (IOException | StreamException e) {
            conversation.post(new SessionEvent.Failed(Failure.of(e)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.warn("the push failed: {}", e.getMessage(), e);
            conversation.post(new SessionEvent.Failed(Failure.of(e)));
            VirtualMachineErrors.handOn(e);
        }
    }

    /** A node that stops reports it on the control connection at about the same time, with a better reason. */
    private void lost(ConnectionLostException e) {
        try {
            links.clockwork().sleep(500);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        conversation.post(SessionEvent.PeerLost.of("file connection", e));
    }
}
