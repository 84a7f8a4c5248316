package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageMemory;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.SchemaCheck;
import io.sluice.streaming.session.SendingSession.Action;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.OfferedSSTable;
import io.sluice.streaming.transfer.Offers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Pins the tables that a receiver asks for and makes offers of them, within what the receiver has room for and the
 * memory that its peer may take here. Each call runs where it may wait for the disk and the database.
 */
final class Preparation {
    private static final Logger LOG = LoggerFactory.getLogger(Preparation.class);

    /** An estimate of what will be sent may be a tenth too high. */
    private static final long ESTIMATE_PARTS = 10;

    private static final int PAGE = 500;

    private final String name;
    private final Message.Hello hello;
    private final Peer peer;
    private final Sending sending;
    private final NodeContext node;
    private final PeerMemory memory;
    private final VirtualMachineErrors fatal;
    private final long serial;
    private final AtomicLong steps = new AtomicLong();
    private volatile boolean isAbandoned;
    /** Where slices are prepared; chosen when the preparation begins. */
    private volatile StagingArea.@Nullable Scratch scratch;

    /**
     * For one session.
     *
     * @param name of the session, for the log
     * @param memory for offers
     * @param serial a number that no other session of this process has
     */
    Preparation(
            String name,
            Message.Hello hello,
            Peer peer,
            Sending sending,
            PeerMemory memory,
            VirtualMachineErrors fatal,
            long serial) {
        this.name = name;
        this.hello = hello;
        this.peer = peer;
        this.sending = sending;
        this.node = sending.node();
        this.memory = memory;
        this.fatal = fatal;
        this.serial = serial;
    }

    /**
     * What was pinned and is offered. Whoever gets it releases its pins and closes its memory.
     *
     * @param refused tables that are not offered, and why
     */
    record Prepared(
            Map<UUID, Pins.Pin> tables, List<OfferedSSTable> offers, OfferMemory memory, Map<UUID, Failure> refused) {}

    /** Memory for offers, taken before they are made; what is made of a table is known when it is. */
    final class OfferMemory {
        private long bytes;

        private void require(int offers) {
            long wanted = (long) offers * MessageMemory.OFFER_BYTES;
            if (wanted > bytes && !memory.tryTake(wanted - bytes)) {
                throw new StreamException(ErrorCode.LIMIT, memory.shortage(wanted - bytes));
            }
            bytes = Math.max(bytes, wanted);
        }

        void close() {
            memory.release(bytes);
            bytes = 0;
        }
    }

    /** How much was done so far: tables pinned, pieces of SSTables read. From any thread. */
    long steps() {
        return steps.get();
    }

    /** Nobody waits for it any more: it ends at its next step, and releases what it has. From any thread. */
    void abandon() {
        isAbandoned = true;
    }

    boolean isAbandoned() {
        return isAbandoned;
    }

    private void step() {
        steps.incrementAndGet();
        if (isAbandoned) {
            throw new StreamException(ErrorCode.CANCELLED, "the session is over");
        }
    }

    /** The listener to its progress: on the thread that prepares, or of a helper, one call after the other. */
    interface Listener {
        /** These are offered; the others follow. */
        void offered(List<SSTableOffer> offers);

        /** The database may want this table back from now on. */
        void pinned(Pins.Pin pin);
    }

    /** Offers are passed on while the others are prepared: as many as are ready when a heartbeat is due, or a page. */
    private final class Pages implements Offers.Progress {
        private final Listener listener;
        private final List<SSTableOffer> page = new ArrayList<>();
        private long sinceNanos = node.nanoTime();

        Pages(Listener listener) {
            this.listener = listener;
        }

        @Override
        public void step() {
            Preparation.this.step();
            flushIfDue();
        }

        @Override
        public synchronized void offered(OfferedSSTable sstable) {
            page.add(sstable.offer());
            flushIfDue();
        }

        private synchronized void flushIfDue() {
            long now = node.nanoTime();
            boolean isDue = now - sinceNanos >= node.deadlines().heartbeat().toNanos();
            if (page.size() == PAGE || (isDue && !page.isEmpty())) {
                listener.offered(List.copyOf(page));
                page.clear();
                sinceNanos = now;
            }
        }
    }

    /**
     * Pins and offers what {@code action} asks for; a table that cannot be had is refused alone.
     *
     * @param listener is notified of tables and offers while the others are prepared
     * @throws StreamException if nothing of it can be had; then nothing stays pinned
     */
    Prepared prepare(Action.Pin action, Listener listener) {
        Map<UUID, Pins.Pin> tables = new HashMap<>();
        Map<UUID, Failure> refused = new HashMap<>();
        OfferMemory room = new OfferMemory();
        try {
            scratch = node.staging().scratch();
            Offers offers = sending.offering().begin(sliceFolder(), new Pages(listener));
            pinAll(action, listener, tables, refused);
            for (Message.TableRequest request : action.requests()) {
                step();
                Pins.Pin pin = tables.get(request.tableId());
                if (pin == null) {
                    continue; // refused
                }
                room.require(offers.offers().size() + pin.sstables().size());
                LogKeys.Scope scope = LogKeys.current().withTable(pin.table()).enter();
                try {
                    offers.add(pin.opened(), request.ranges());
                } catch (Throwable e) { // whatever it is: the session waits for an answer
                    fatal.note(e);
                    step(); // unless it is over
                    log(
                            Level.WARN,
                            "{}: offering table {}: {}",
                            name,
                            request.tableId(),
                            String.valueOf(e.getMessage()),
                            e);
                    refused.put(request.tableId(), ofThisNode(Failure.of(e)));
                } finally {
                    scope.leave();
                }
                room.require(offers.offers().size());
            }
            return new Prepared(tables, offers.offers(), room, refused);
        } catch (Throwable e) {
            room.close();
            release(tables.values());
            throw e;
        }
    }

    /** The receiver has a disk, too, and has to know which of the two is full. */
    static Failure ofThisNode(Failure failure) {
        return failure.code() == ErrorCode.DISK_FULL
                ? new Failure(ErrorCode.SOURCE_DISK_FULL, "the disk of the source is full: " + failure.reason())
                : failure;
    }

    /** Which of {@code requests} cannot be had, and why; keeps nothing of them. */
    Map<UUID, Failure> unavailable(List<Message.TableRequest> requests) {
        Map<UUID, Failure> refused = new HashMap<>();
        for (Message.TableRequest request : requests) {
            try {
                table(request);
            } catch (StreamException e) {
                refused.put(request.tableId(), Failure.of(e));
            }
        }
        return refused;
    }

    private TableRef table(Message.TableRequest request) {
        TableRef table = node.store()
                .table(request.tableId())
                .orElseThrow(() -> new StreamException(
                        ErrorCode.UNKNOWN_TABLE, "table " + request.tableId() + " is not known here"));
        Optional<Failure> refusal =
                SchemaCheck.refusal(table, request.schemaDigest(), node.store().schemaDigest(table));
        if (refusal.isPresent()) {
            throw new StreamException(refusal.get().code(), refusal.get().reason());
        }
        AuditEvent.TableAccess wish = new AuditEvent.TableAccess(
                hello.planId(), "fetch", table, request.ranges().ranges().size());
        LogKeys.current()
                .withTable(table)
                .run(() -> node.access()
                        .require(
                                peer,
                                wish,
                                authorizer -> authorizer.mayFetch(peer, hello.planId(), table, request.ranges())));
        return table;
    }

    /** Pins all tables, and does no more for them if the receiver has not granted as much as they hold. */
    private void pinAll(Action.Pin action, Listener listener, Map<UUID, Pins.Pin> tables, Map<UUID, Failure> refused) {
        long bytes = 0;
        for (Message.TableRequest request : action.requests()) {
            step();
            LogKeys.Scope scope = LogKeys.current().withTable(request.tableId()).enter();
            try {
                TableRef table = table(request);
                scope.leave();
                scope = LogKeys.current().withTable(table).enter();
                Pins.Pin pin = sending.pins().pin(hello.planId(), table, request.ranges());
                tables.put(request.tableId(), pin);
                listener.pinned(pin);
                bytes += action.roomBytes() == Message.StreamInit.ANY_ROOM
                        ? 0
                        : sending.offering().estimateBytes(pin.opened(), request.ranges(), this::step);
            } catch (Throwable e) { // whatever it is: the session waits for an answer
                fatal.note(e);
                if (refused.isEmpty()) { // one line, whatever a peer asks for
                    logPinning(request, e);
                }
                refused.put(request.tableId(), ofThisNode(Failure.of(e)));
            } finally {
                scope.leave();
            }
        }
        if (refused.size() > 1) {
            log(
                    Level.WARN,
                    "{}: refuses {} of {} tables, as the one above",
                    name,
                    refused.size(),
                    action.requests().size());
        }
        if (bytes / ESTIMATE_PARTS * (ESTIMATE_PARTS - 1) > action.roomBytes()) {
            throw new StreamException(
                    ErrorCode.DISK_FULL,
                    "about " + bytes + " bytes are to be sent, the receiver has room for " + action.roomBytes()
                            + "; make room there, or fetch less");
        }
    }

    /** With its trace, unless it is a refusal of our own. */
    private void logPinning(Message.TableRequest request, Throwable e) {
        String reason = String.valueOf(e.getMessage());
        if (e instanceof StreamException) {
            log(Level.WARN, "{}: pinning table {}: {}", name, request.tableId(), reason);
        } else {
            log(Level.WARN, "{}: pinning table {}: {}", name, request.tableId(), reason, e);
        }
    }

    /** Unpins tables, and removes the slices that were prepared for the session. */
    void release(Collection<Pins.Pin> tables) {
        tables.forEach(Pins.Pin::close);
        try {
            scratch().disk().deleteTree(sliceFolder());
        } catch (IOException e) {
            LOG.warn("{}: cannot remove slices: {}", name, e.getMessage(), e);
        }
    }

    /**
     * Where the slices of this session are prepared; recovery removes what a crash leaves of it. By no name that the
     * receiver gives: one that was restarted begins with the same plan, session and attempt while this node has not
     * noticed yet, and still prepares for the session of before.
     */
    private Path sliceFolder() {
        return scratch().root().resolve("slices-" + hello.planId() + "-" + serial);
    }

    private StagingArea.Scratch scratch() {
        StagingArea.Scratch chosen = scratch;
        return chosen != null ? chosen : node.staging().scratch(node.staging().root());
    }

    private void log(Level level, String format, Object... arguments) {
        node.log().write(LOG, level, peer.address(), format, arguments);
    }
}
