package io.sluice.streaming.engine.send;

import io.sluice.sstable.component.SSTableException;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageMemory;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Pins requested tables and creates offers of them, within the receiver's free space and the peer's share of memory. If
 * temporary files occupy too much, it waits until the receiver has received some. Each call runs on a thread that may
 * block on the disk and the database; of {@link #begin} and {@link #proceed} one at a time. Long because whatever a
 * table can be refused for is found here.
 */
final class Preparation {
    private static final Logger LOG = LoggerFactory.getLogger(Preparation.class);

    /** An estimate may be a tenth too high. */
    private static final long ESTIMATE_PARTS = 10;
    /** A section in the choice of a mode, then two regions in its offer. */
    private static final long SECTION_BYTES = 128;

    private static final int MAX_CAUSES = 8;

    private final String name;
    private final Message.Hello hello;
    private final Peer peer;
    private final SendingContext sending;
    private final NodeContext node;
    private final PeerMemory memory;
    private final VirtualMachineErrors fatal;
    private final String sliceFolderName;
    private final AtomicLong stepsDone = new AtomicLong();
    private volatile boolean isAbandoned;
    /** The directory for slices; chosen when the preparation begins. */
    private volatile StagingArea.@Nullable Scratch scratch;

    private final PreparedAhead ahead = new PreparedAhead();
    /** Set when the tables are pinned. */
    private @Nullable OfferSteps steps;

    /**
     * Creates the preparation of one session.
     *
     * @param name of the session, for the log
     * @param memory for offers
     * @param serial a number that is unique in this process
     */
    Preparation(
            String name,
            Message.Hello hello,
            Peer peer,
            SendingContext sending,
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
        this.sliceFolderName = StagingArea.SLICES + hello.planId() + "-" + serial;
    }

    /**
     * The pinned and offered tables. The caller releases the pins and closes the memory.
     *
     * @param refused tables that are not offered, and why
     */
    record Prepared(
            Map<UUID, Pins.Pin> tables, List<OfferedSSTable> offers, OfferMemory memory, Map<UUID, Failure> refused) {}

    /** Memory charged for offers before they are created; adjusted when the offers of a table are known. */
    final class OfferMemory {
        private long bytes;
        private int offers;
        private long sections;

        void require(int offersSoFar) {
            offers = offersSoFar;
            charge();
        }

        /** Each section of an SSTable has regions of files; a peer may want every other partition of many SSTables. */
        void requireSections(int more) {
            sections += more;
            charge();
        }

        /** Forgets the offers and sections of a refused table: what remains is given. */
        void takeBack(int offersBefore, long sectionsBefore) {
            offers = offersBefore;
            sections = sectionsBefore;
            long surplus = Math.max(0, bytes - wanted());
            memory.release(surplus);
            bytes -= surplus;
        }

        long sections() {
            return sections;
        }

        private long wanted() {
            return offers * MessageMemory.OFFER_BYTES + sections * SECTION_BYTES;
        }

        private void charge() {
            long wanted = wanted();
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

    /** A progress counter of pinned tables and read parts of SSTables. From any thread. */
    long steps() {
        return stepsDone.get();
    }

    /**
     * Abandons the preparation: it ends at its next step, and releases its resources. From any thread.
     *
     * @return whether it waits: then {@link #proceed} ends it
     */
    boolean abandon() {
        isAbandoned = true;
        return ahead.end();
    }

    /**
     * Prepares no more of a table. From any thread.
     *
     * @return whether it waits: then it is to {@link #proceed}
     */
    boolean skip(UUID tableId) {
        return ahead.skip(tableId);
    }

    boolean isAbandoned() {
        return isAbandoned;
    }

    private void step() {
        stepsDone.incrementAndGet();
        if (isAbandoned) {
            throw new StreamException(ErrorCode.CANCELLED, "the session is over");
        }
    }

    /** Listens to the progress; called sequentially, on the preparing thread or a helper's. */
    interface Listener {
        /** A table is pinned: from now on the database may revoke the pin. */
        void pinned(Pins.Pin pin);

        /** All tables are pinned that can be; the preparation releases them if it fails. */
        void pinned(Map<UUID, Pins.Pin> tables);

        /** An SSTable is prepared, and will be offered; {@code IOException} if its files cannot be read. */
        void prepared(OfferedSSTable sstable) throws IOException;

        /** These SSTables are offered; more may follow. */
        void offered(List<OfferedSSTable> offers);

        /** A component was damaged, and the offer has a new one. On any thread. */
        void replaced(Offers.Replaced damaged);
    }

    /**
     * Pins the tables of {@code action}, and proceeds; an unavailable table is refused alone.
     *
     * @param listener notified of tables and offers while others are prepared
     * @return all, or empty while there is no room: then it is to {@link #proceed} when there is
     * @throws StreamException if no table is available; then nothing stays pinned
     */
    Optional<Prepared> begin(Action.Pin action, Listener listener) {
        OfferMemory room = new OfferMemory();
        Map<UUID, Pins.Pin> tables = new HashMap<>();
        Map<UUID, Failure> refused = new HashMap<>();
        try {
            scratch = node.staging().scratch();
            if (action.receiver().fetchesEarly()) {
                ahead.limit(sending.offering().aheadBytes());
            }
            OfferPages pages = new OfferPages(node, listener, this::step, room::requireSections, ahead);
            Offers offers = sending.offering().begin(sliceFolder(), action.receiver(), pages);
            pinAll(action, listener, tables, refused);
            listener.pinned(Map.copyOf(tables));
            steps = new OfferSteps(
                    new Prepared(tables, offers.offers(), room, refused),
                    offers,
                    action.requests(),
                    pages,
                    new OfferSteps.Hooks(fatal, this::step, this::refusal));
        } catch (Throwable e) {
            room.close();
            release(tables.values());
            throw e;
        }
        return proceed();
    }

    /**
     * Goes on with a preparation that has begun.
     *
     * @return as of {@link #begin}
     */
    Optional<Prepared> proceed() {
        OfferSteps begun = Objects.requireNonNull(steps, "before it has begun");
        try {
            return begun.proceed() ? Optional.of(begun.result()) : Optional.empty();
        } catch (Throwable e) {
            begun.result().memory().close();
            release(begun.result().tables().values());
            throw e;
        }
    }

    /** Logs why a table cannot be offered. */
    private Failure refusal(UUID tableId, Throwable e) {
        step(); // throws if the session is over
        logRefused("{}: cannot offer table {}: {}", tableId, e);
        return ofThisNode(e);
    }

    /** The temporary files of an offer, and folders with nothing else. */
    Set<Path> temporaryFiles(OfferedSSTable sstable) {
        Path folder = sliceFolder();
        if (!sstable.isIn(folder)) {
            return Set.of(); // true for each that is sent whole
        }
        Set<Path> own = new LinkedHashSet<>();
        for (Path file : sstable.paths()) {
            if (file.startsWith(folder)) {
                own.add(folder.resolve(folder.relativize(file).getName(0)));
            }
        }
        return own;
    }

    /**
     * Removes the temporary files of an offer that the receiver has received.
     *
     * @return whether the preparation waits and has room now: then it is to {@link #proceed}
     */
    boolean received(OfferedSSTable sstable) {
        try {
            for (Path file : temporaryFiles(sstable)) {
                scratch().disk().deleteTree(file);
            }
        } catch (IOException e) {
            LOG.warn("{}: cannot remove what was sent: {}", name, e.getMessage(), e); // the end of the session tries it
        }
        return ahead.remove(sstable.offer().number());
    }

    /** Why this node cannot send: its files are damaged, or its disk is full, and not that of the receiver. */
    static Failure ofThisNode(Throwable cause) {
        if (isDamage(cause)) {
            return new Failure(ErrorCode.CORRUPT_AT_SOURCE, String.valueOf(cause.getMessage()));
        }
        Failure failure = Failure.of(cause);
        return failure.code() == ErrorCode.DISK_FULL
                ? new Failure(ErrorCode.SOURCE_DISK_FULL, "the disk of the source is full: " + failure.reason())
                : failure;
    }

    /** Whether Sluice, or the database when it was called, found a damaged SSTable. */
    private static boolean isDamage(Throwable cause) {
        Throwable at = cause;
        for (int i = 0; at instanceof IOException && i < MAX_CAUSES; i++) {
            if (at instanceof SSTableException) {
                return true;
            }
            at = at.getCause();
        }
        return false;
    }

    /** Checks which of {@code requests} are unavailable, and why; pins nothing. */
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
        requireSchema(table, request);
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

    private void requireSchema(TableRef table, Message.TableRequest request) {
        Optional<Failure> refusal =
                SchemaCheck.refusal(table, request.schemaDigest(), node.store().schemaDigest(table));
        if (refusal.isPresent()) {
            throw new StreamException(refusal.get().code(), refusal.get().reason());
        }
    }

    /**
     * Pins a table, and checks the schema once more: if the table was altered between the first check and the pin, its
     * SSTables may have columns that the receiver does not know. A later change is harmless, because pinned SSTables do
     * not change.
     */
    private Pins.Pin pin(Pins.Series series, TableRef table, Message.TableRequest request) throws IOException {
        Pins.Pin pin = series.pin(table, request.ranges());
        try {
            requireSchema(table, request);
        } catch (Throwable e) { // any exception: the pin is nobody's yet
            pin.close();
            throw e;
        }
        return pin;
    }

    /** Pins all tables; stops if the receiver has granted less space than they hold. */
    private void pinAll(Action.Pin action, Listener listener, Map<UUID, Pins.Pin> tables, Map<UUID, Failure> refused) {
        long bytes = 0;
        Pins.Series series = sending.pins().series(hello.planId());
        for (Message.TableRequest request : action.requests()) {
            step();
            LogKeys.Scope scope = LogKeys.current().withTable(request.tableId()).enter();
            try {
                TableRef table = table(request);
                scope.leave();
                scope = LogKeys.current().withTable(table).enter();
                Pins.Pin pin = pin(series, table, request);
                tables.put(request.tableId(), pin);
                listener.pinned(pin);
                bytes += action.roomBytes() == Message.StreamInit.ANY_ROOM
                        ? 0
                        : sending.offering().estimateBytes(pin.opened(), request.ranges(), this::step);
            } catch (Throwable e) { // any exception: the session waits for an answer
                fatal.note(e);
                if (refused.isEmpty()) { // one line, however many tables a peer requests
                    logRefused("{}: cannot pin table {}: {}", request.tableId(), e);
                }
                refused.put(request.tableId(), ofThisNode(e));
            } finally {
                scope.leave();
            }
        }
        if (refused.size() > 1) {
            log(
                    Level.WARN,
                    "{}: refuses {} of {} tables, for example the one above",
                    name,
                    refused.size(),
                    action.requests().size());
        }
        if (bytes / ESTIMATE_PARTS * (ESTIMATE_PARTS - 1) > action.roomBytes()) {
            throw new StreamException(
                    ErrorCode.DISK_FULL,
                    "about " + bytes + " bytes would be sent, but the receiver has space for " + action.roomBytes()
                            + "; free space there, or fetch less");
        }
    }

    /** Logs a stack trace, too, except of a refusal. */
    private void logRefused(String format, UUID tableId, Throwable e) {
        String reason = String.valueOf(e.getMessage());
        if (isRefusal(e)) {
            log(Level.WARN, format, name, tableId, reason);
        } else {
            log(Level.WARN, format, name, tableId, reason, e);
        }
    }

    /** Whether it is a refusal by Sluice: what a peer may cause at any time needs no stack trace. */
    static boolean isRefusal(Throwable e) {
        return e instanceof StreamException && e.getCause() == null;
    }

    /** Unpins tables, and removes the slices of the session. */
    void release(Collection<Pins.Pin> tables) {
        tables.forEach(Pins.Pin::close);
        try {
            scratch().disk().deleteTree(sliceFolder());
        } catch (IOException e) {
            LOG.warn("{}: cannot remove slices: {}", name, e.getMessage(), e);
        }
    }

    /**
     * The directory for slices of this session; recovery removes it after a crash. Its name does not depend on the
     * receiver alone: a restarted receiver begins with the same plan, session and attempt while this node may still be
     * preparing for its previous session.
     */
    private Path sliceFolder() {
        return scratch().root().resolve(sliceFolderName);
    }

    private StagingArea.Scratch scratch() {
        StagingArea.Scratch chosen = scratch;
        return chosen != null ? chosen : node.staging().scratch(node.staging().root());
    }

    private void log(Level level, String format, Object... arguments) {
        node.log().write(LOG, level, peer.address(), format, arguments);
    }
}
