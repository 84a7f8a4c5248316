package io.sluice.netty.send;

import io.netty.channel.EventLoop;
import io.sluice.netty.memory.PeerMemory;
import io.sluice.netty.memory.SendingMemory;
import io.sluice.netty.metrics.SessionEvent;
import io.sluice.netty.metrics.Traffic;
import io.sluice.netty.security.AccessControl;
import io.sluice.netty.security.Standing;
import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.Inbox;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.PeerLog;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageMemory;
import io.sluice.streaming.mode.TransferMode;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.session.Deadlines;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.Pulse;
import io.sluice.streaming.session.SchemaCheck;
import io.sluice.streaming.session.SendingSession;
import io.sluice.streaming.session.SendingSession.Action;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.store.Peer;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.store.VirtualMachineErrors;
import io.sluice.streaming.throttle.Throttles;
import io.sluice.streaming.transfer.ModeSettings;
import io.sluice.streaming.transfer.OfferedSSTable;
import io.sluice.streaming.transfer.SSTableOffers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Performs what one {@link SendingSession} decides: pins, offers, and hands file regions to the sockets. On epoll a
 * region leaves by {@code sendfile}; its bytes never enter the heap. Long because each action of the session is
 * performed here.
 *
 * <p>Confined to the mailbox; disk work runs on {@code disk} and comes back as an event.
 */
@SuppressWarnings("FutureReturnValueIgnored") // writes tell their end to a listener; scheduled sends do nothing else
public final class SendingPeer implements Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SendingPeer.class);

    private static final long DATA_GRACE_SECONDS = 2;

    /** An estimate of what will be sent may be a tenth too high. */
    private static final long ESTIMATE_PARTS = 10;

    private final Message.Hello hello;
    private final String name;
    private final Peer peer;
    private final Standing standing;
    private final Resources resources;
    private final SendingSession session;
    private final Connection control;
    private final Map<Integer, RegionQueue> data = new HashMap<>();
    private final Map<UUID, Pins.Pin> pinned = new HashMap<>();
    private final List<OfferedSSTable> offered = new ArrayList<>();
    private final Set<Integer> landed = new HashSet<>();
    private final BitSet received = new BitSet();
    private final Map<UUID, Integer> notLanded = new HashMap<>();
    private final SourceFiles sources = new SourceFiles();
    private final VirtualMachineErrors fatal = new VirtualMachineErrors();
    private final Inbox inbox;
    /** For what the receiver makes this node keep. */
    private final PeerMemory memory;

    private final Throttles.Outbound limits;
    private final Ends ends;
    private final SessionEvent record;
    private final PeerLog log;
    private @Nullable Future<?> ticking;
    private @Nullable Room inventory;
    private long heldBytes;
    /** Whether the receiver has ended it: the violation that it names is one of ours. */
    private boolean isFailedByPeer;

    /**
     * What sessions work with; owned by the node.
     *
     * @param isRemote whether a peer is in another data centre
     * @param sessionsPerPeer at once, at least 1
     */
    public record Resources(
            EventLoop mailbox,
            Executor disk,
            Disk files,
            TableStore store,
            Pins pins,
            Throttles throttles,
            Traffic traffic,
            Predicate<UUID> isRemote,
            SocketTuning tuning,
            SendingMemory memory,
            StagingArea staging,
            AccessControl access,
            ModeSettings modes,
            Deadlines deadlines,
            int sessionsPerPeer) {}

    /**
     * The session that {@code hello} has just opened on {@code control}.
     *
     * @param ends who hears of its end
     */
    public SendingPeer(Message.Hello hello, Connection control, Resources resources, PeerLog log, Ends ends) {
        this.hello = hello;
        this.log = log;
        this.name = "plan " + hello.planId() + " session " + hello.session().index() + " of " + hello.sender();
        this.control = control;
        this.peer = control.peer(hello.sender());
        this.standing = new Standing(peer, resources.access(), this::revoked, System.nanoTime());
        this.memory = resources.memory().inventory().of(hello.sender());
        this.inbox = new Inbox(resources.mailbox(), memory);
        this.resources = resources;
        this.limits = resources.throttles().outbound(resources.isRemote().test(hello.sender()), System.nanoTime());
        this.record = new SessionEvent(hello.planId().toString(), hello.sender().toString(), "out");
        this.ends = ends;
        this.session = new SendingSession("node " + hello.sender(), resources.deadlines(), System.nanoTime());
    }

    /**
     * Who hears of a session's end.
     *
     * @param onFinish runs on the mailbox when the session is over
     * @param onGone runs then, and when its control connection is gone: perhaps twice
     */
    public record Ends(Consumer<SendingPeer> onFinish, Runnable onGone) {}

    /** Which attempt of which session it is. */
    public Message.SessionNumber number() {
        return hello.session();
    }

    /**
     * Of two attempts at one session the newer one, which goes on alone; the first one if they are the same attempt.
     */
    public static SendingPeer newer(SendingPeer running, SendingPeer next) {
        if (next.number().attempt() <= running.number().attempt()) {
            return running;
        }
        running.cancel("the receiver has begun a newer attempt");
        return next;
    }

    private void revoked(String why) {
        post(new Event.Failed(new Failure(ErrorCode.DENIED, peer + " may not be connected any more: " + why)));
    }

    /** Begins to watch the time. */
    public void start() {
        long period = resources.deadlines().heartbeat().toNanos() / 2;
        control.charge(memory);
        resources
                .access()
                .audit()
                .tell(
                        peer,
                        new AuditEvent.SessionOpened(
                                AuditEvent.Identity.of(peer),
                                hello.planId(),
                                hello.session().index()));
        ticking = resources
                .mailbox()
                .scheduleAtFixedRate(() -> guarded(this::tick), period, period, TimeUnit.NANOSECONDS);
    }

    private void tick() {
        on(new Event.Tick());
        data.values().forEach(lane -> lane.look(System.nanoTime()));
    }

    /** Whatever {@code work} throws ends this session, and nothing else. On the mailbox. */
    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            fatal.note(e);
            broken(e);
        }
    }

    /** A sample of what it has done. On the mailbox. */
    public SendingProgress progress() {
        return new SendingProgress(
                hello.planId(),
                hello.sender(),
                session.state().name(),
                session.offeredBytes(),
                session.sentBytes(),
                session.waitingFor(System.nanoTime()));
    }

    /** Fails the session, from any thread. */
    public void cancel(String reason) {
        post(new Event.Failed(new Failure(ErrorCode.CANCELLED, reason)));
    }

    /** Takes a data connection that the peer opened for this session. On the mailbox. */
    public void add(int number, Connection connection) {
        guarded(() -> join(number, connection));
    }

    private void join(int number, Connection connection) {
        if (session.state().isFinal() || data.containsKey(number)) {
            connection.fail(new StreamException(ErrorCode.PROTOCOL, "data connection " + number + " is not wanted"));
        } else {
            String congestionControl = resources.tuning().applyTo(connection.channel());
            log(Level.INFO, "{}: data connection {}, congestion control {}", name, number, congestionControl);
            data.put(
                    number,
                    new RegionQueue(
                            connection,
                            resources.mailbox(),
                            resources.memory().connections().of(hello.sender()),
                            failure -> post(new Event.Failed(failure)),
                            bytes -> {
                                resources.traffic().sent(bytes);
                                on(new Event.Sent(bytes));
                            },
                            new Pulse(resources.deadlines(), "node " + hello.sender(), System.nanoTime())));
        }
    }

    /**
     * Hears what the data connection {@code number} brings; takes memory for it until it ends.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if there is none
     */
    public Connection.Listener dataListener(int number) {
        PeerMemory connections = resources.memory().connections().of(hello.sender());
        long bytes = resources.memory().connectionBytes();
        if (!connections.tryTake(bytes)) {
            throw new StreamException(ErrorCode.LIMIT, connections.shortage(bytes));
        }
        Inbox inbox = new Inbox(resources.mailbox(), memory);
        return new Connection.Listener() {
            @Override
            public void onMessage(Connection connection, Message message) {
                inbox.post(connection, message, paid -> {
                    heard(number, connection);
                    standing.heard(System.nanoTime());
                    if (message instanceof Message.Fetch fetch) {
                        on(new Event.Fetched(number, fetch.extents()));
                    } else if (!(message instanceof Message.KeepAlive)) { // which is about this connection alone
                        on(new Event.Received(message));
                    }
                    return 0;
                });
            }

            @Override
            public void onError(Connection connection, Throwable cause) {
                Failure failure = Failure.of(cause);
                if (failure.code() == ErrorCode.CORRUPT_IN_FLIGHT) {
                    connection.fail(cause); // the receiver opens another one
                } else {
                    ended(connection, failure);
                }
            }

            @Override
            public void onEnd(Connection connection, String reason) {
                log(Level.INFO, "{}: data connection {} is gone: {}", name, number, reason);
                connections.give(bytes);
                resources.mailbox().execute(() -> {
                    RegionQueue lane = data.get(number);
                    if (lane != null && lane.connection() == connection) {
                        data.remove(number);
                        lane.end();
                    }
                });
            }
        };
    }

    /** The peer pays for what is on its way on a data connection, too. On the connection's event loop. */
    public void charge(Connection connection) {
        connection.charge(memory);
    }

    private void heard(int number, Connection connection) {
        RegionQueue lane = data.get(number);
        if (lane != null && lane.connection() == connection) {
            lane.heard(System.nanoTime());
        }
    }

    @Override
    public void onMessage(Connection connection, Message message) {
        inbox.post(connection, message, paid -> {
            standing.heard(System.nanoTime());
            isFailedByPeer |= message instanceof Message.SessionFailed;
            on(new Event.Received(message));
            if (message instanceof Message.Released released) {
                log(
                        Level.WARN,
                        "{}: table {} is not wanted any more: {}: {}",
                        name,
                        released.tableId(),
                        released.code(),
                        released.reason());
            }
            // Once for each: a peer that repeats itself makes no disk busy.
            if (message instanceof Message.Received received
                    && !session.state().isFinal()
                    && received(received.offer())) {
                OfferedSSTable sstable = offered.get(received.offer());
                onDisk(() -> look(sstable));
            }
            return settle(paid);
        });
    }

    /** Keeps of what the peer has paid, and had paid before, as much as its session holds. */
    private long settle(long paid) {
        long change = session.heldBytes() - heldBytes;
        long kept = Math.max(0, Math.min(paid, change));
        long released = Math.max(0, -change);
        memory.give(released);
        heldBytes += kept - released;
        return kept;
    }

    @Override
    public void onError(Connection connection, Throwable cause) {
        ended(connection, Failure.of(cause));
    }

    /** What came on one of its connections ends the session. */
    private void ended(Connection connection, Failure failure) {
        LOG.debug("{}: {}: {}", name, connection.address(), failure);
        connection.channel().config().setAutoRead(false);
        post(new Event.Failed(failure));
    }

    /** Work of a thread for the disk. */
    private interface DiskWork {
        void run() throws IOException;
    }

    /** Whatever {@code work} throws ends this session. */
    private void onDisk(DiskWork work) {
        resources.disk().execute(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                fatal.note(e);
                log(Level.WARN, "{}: {}", name, String.valueOf(e.getMessage()), e);
                post(new Event.Failed(Failure.of(e)));
            }
        });
    }

    /** Notes that the receiver has an SSTable, which was offered; whether that is news. */
    private boolean received(int offer) {
        boolean isNews = !received.get(offer);
        received.set(offer);
        return isNews;
    }

    /** After an SSTable has landed; on a thread for the disk. */
    private void look(OfferedSSTable sstable) {
        Optional<Failure> change = sources.changed(sstable);
        for (Path file : sstable.paths()) {
            try {
                resources.files().leaveCache(file);
            } catch (IOException e) {
                LOG.debug("{}: {} stays in memory: {}", name, file, e.toString());
            }
        }
        resources.mailbox().execute(() -> guarded(() -> looked(sstable, change)));
    }

    /** Its files were looked at: if they are as they were, one less is needed. */
    private void looked(OfferedSSTable sstable, Optional<Failure> change) {
        Pins.Pin pin = pinned.get(sstable.offer().tableId());
        if (pin == null) {
            return; // given back meanwhile, since the table is live, and it may have taken the files with it
        }
        if (change.isPresent()) {
            on(new Event.Failed(change.get()));
        } else if (landed.add(sstable.offer().number())
                && notLanded.merge(sstable.offer().tableId(), -1, Integer::sum) == 0) {
            pin.landed();
        }
    }

    @Override
    public void onEnd(Connection connection, String reason) {
        ends.onGone().run();
        post(new Event.PeerLost("control connection: " + reason));
    }

    private void log(Level level, String format, Object... arguments) {
        log.write(LOG, level, control.address(), format, arguments);
    }

    private void post(Event event) {
        resources.mailbox().execute(() -> on(event));
    }

    private void on(Event event) {
        guarded(() -> step(event));
    }

    private void broken(Throwable cause) {
        log(Level.ERROR, "{}: a step failed", name, cause);
        Failure failure = Failure.of(cause);
        try {
            step(new Event.Failed(failure));
        } catch (Throwable again) {
            log(Level.ERROR, "{}: ended at once, since ending it failed", name, again);
            finish(new Action.Finish(Optional.of(failure)));
        }
    }

    private void step(Event event) {
        SendingSession.State before = session.state();
        List<Action> actions = session.on(event, System.nanoTime());
        if (session.state() != before) {
            log(
                    Level.INFO,
                    "{}: {} -> {} by {}",
                    name,
                    before,
                    session.state(),
                    event.getClass().getSimpleName());
        }
        actions.forEach(this::perform);
        settle(0);
    }

    private void perform(Action action) {
        if (action instanceof Action.Pin a) {
            resources.pins().inTurn(hello.planId(), () -> pin(a));
        } else if (action instanceof Action.Send a) {
            control.send(a.message());
        } else if (action instanceof Action.Transmit a) {
            a.extents().forEach(extent -> transmit(a.connection(), extent));
        } else if (action instanceof Action.Sum a) {
            OfferedSSTable sstable = offered.get(a.offer());
            onDisk(() -> ExtentSums.of(
                    sstable,
                    a.component(),
                    a.extentLengthBytes(),
                    resources.files(),
                    page -> post(new Event.Summed(page))));
        } else if (action instanceof Action.LookUp a) {
            onDisk(() -> lookUp(a.requests()));
        } else if (action instanceof Action.Unpin a) {
            Pins.Pin table = pinned.remove(a.tableId());
            if (table != null) {
                table.close();
            }
        } else if (action instanceof Action.Finish a) {
            finish(a);
        } else {
            throw new AssertionError("no rule for " + action);
        }
    }

    private void pin(Action.Pin action) {
        Map<UUID, Pins.Pin> tables = new HashMap<>();
        Map<UUID, Failure> refused = new HashMap<>();
        Room room = new Room();
        try {
            SSTableOffers offers = new SSTableOffers(
                    resources.staging().disk(),
                    sliceFolder(),
                    new SliceRoom(resources.staging()),
                    resources.modes(),
                    resources.disk());
            requireRoom(action, tables, refused);
            for (Message.TableRequest request : action.requests()) {
                Pins.Pin pin = tables.get(request.tableId());
                if (pin == null) {
                    continue; // refused
                }
                room.require(offers.offers().size() + pin.sstables().size());
                try {
                    offers.add(pin, request.ranges());
                } catch (Throwable e) { // whatever it is: the session waits for an answer
                    fatal.note(e);
                    log(
                            Level.WARN,
                            "{}: offering table {}: {}",
                            name,
                            request.tableId(),
                            String.valueOf(e.getMessage()),
                            e);
                    refused.put(request.tableId(), Failure.of(e));
                }
                room.require(offers.offers().size());
            }
            for (OfferedSSTable sstable : offers.offers()) {
                sources.add(sstable);
            }
            List<OfferedSSTable> all = offers.offers();
            resources.mailbox().execute(() -> guarded(() -> pinned(tables, all, room, refused)));
        } catch (Throwable e) {
            fatal.note(e);
            log(Level.ERROR, "{}: pinning", name, e);
            room.close();
            release(tables.values());
            post(new Event.Failed(Failure.of(e)));
        }
    }

    /** Slices lie beside what arrives, and share its room. */
    private record SliceRoom(StagingArea staging) implements SSTableOffers.Room {
        @Override
        public void reserve(long lengthBytes) throws IOException {
            staging.reserve(lengthBytes);
        }

        @Override
        public void release(long lengthBytes) {
            staging.release(lengthBytes);
        }
    }

    /** Memory for offers, taken before they are made; what is made of a table is known when it is. */
    private final class Room {
        private long bytes;

        void require(int offers) {
            long wanted = (long) offers * MessageMemory.OFFER_BYTES;
            if (wanted > bytes && !memory.tryTake(wanted - bytes)) {
                throw new StreamException(ErrorCode.LIMIT, memory.shortage(wanted - bytes));
            }
            bytes = Math.max(bytes, wanted);
        }

        void close() {
            memory.give(bytes);
            bytes = 0;
        }
    }

    /** Who asks for tables that this node does not have keeps nothing of them here. */
    private void lookUp(List<Message.TableRequest> requests) {
        Map<UUID, Failure> refused = new HashMap<>();
        for (Message.TableRequest request : requests) {
            try {
                table(request);
            } catch (StreamException e) {
                refused.put(request.tableId(), Failure.of(e));
            }
        }
        if (!refused.isEmpty()) {
            post(new Event.Unavailable(refused));
        }
    }

    private TableRef table(Message.TableRequest request) {
        TableRef table = resources
                .store()
                .table(request.tableId())
                .orElseThrow(() -> new StreamException(
                        ErrorCode.UNKNOWN_TABLE, "table " + request.tableId() + " is not known here"));
        Optional<Failure> refusal = SchemaCheck.refusal(
                table, request.schemaDigest(), resources.store().schemaDigest(table));
        if (refusal.isPresent()) {
            throw new StreamException(refusal.get().code(), refusal.get().reason());
        }
        resources
                .access()
                .require(
                        peer,
                        new AuditEvent.Wish(
                                hello.planId(),
                                "fetch",
                                table,
                                request.ranges().ranges().size()),
                        authorizer -> authorizer.mayFetch(peer, hello.planId(), table, request.ranges()));
        return table;
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

    /** Pins all tables, and does no more for them if the receiver has not granted as much as they hold. */
    private void requireRoom(Action.Pin action, Map<UUID, Pins.Pin> tables, Map<UUID, Failure> refused) {
        long bytes = 0;
        for (Message.TableRequest request : action.requests()) {
            try {
                Pins.Pin pin = resources.pins().pin(hello.planId(), table(request), request.ranges());
                tables.put(request.tableId(), pin);
                bytes += action.roomBytes() == Message.StreamInit.ANY_ROOM
                        ? 0
                        : SSTableOffers.estimateBytes(pin, request.ranges());
            } catch (Throwable e) { // whatever it is: the session waits for an answer
                fatal.note(e);
                if (refused.isEmpty()) { // one line, whatever a peer asks for
                    logPinning(request, e);
                }
                refused.put(request.tableId(), Failure.of(e));
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

    private void pinned(
            Map<UUID, Pins.Pin> tables, List<OfferedSSTable> offers, Room room, Map<UUID, Failure> refused) {
        if (session.state().isFinal()) {
            room.close();
            onDisk(() -> release(tables.values()));
            return;
        }
        inventory = room;
        pinned.putAll(tables);
        offered.addAll(offers);
        offers.forEach(sstable -> notLanded.merge(sstable.offer().tableId(), 1, Integer::sum));
        tables.values().forEach(pin -> pin.onRevoke(reason -> takenBack(pin, reason)));
        on(new Event.Pinned(offers.stream().map(OfferedSSTable::offer).toList(), refused));
    }

    /** The next attempt pins anew, and goes on with what has landed of all tables; this one may not be had again. */
    private void takenBack(Pins.Pin pin, String reason) {
        post(new Event.Failed(new Failure(
                ErrorCode.SOURCE_CHANGED, "the database at the source took " + pin.table() + " back: " + reason)));
    }

    /** Where the slices of this session are prepared; recovery removes what a crash leaves of it. */
    private Path sliceFolder() {
        return resources
                .store()
                .stagingDirectory()
                .resolve("slices-" + hello.planId() + "-" + hello.sender() + "-"
                        + hello.session().index() + "-" + hello.session().attempt());
    }

    private void release(Collection<Pins.Pin> tables) {
        tables.forEach(Pins.Pin::close);
        try {
            resources.staging().disk().deleteTree(sliceFolder());
        } catch (IOException e) {
            LOG.warn("{}: slices are left behind: {}", name, e.getMessage(), e);
        }
    }

    private void transmit(int number, Extent extent) {
        RegionQueue lane = data.get(number);
        if (lane != null) { // else it is gone, and the receiver will hear so
            OfferedSSTable sstable = offered.get(extent.offer());
            boolean isRows = sstable.offer().choice().mode() == TransferMode.ROWS;
            lane.add(sstable.pieces(extent), extent, isRows ? limits.rows() : limits.files());
        }
    }

    private void tellEnd(Optional<Failure> failure) {
        AuditEvent.Identity who = AuditEvent.Identity.of(peer);
        resources
                .access()
                .audit()
                .tell(
                        peer,
                        new AuditEvent.SessionEnded(
                                who,
                                hello.planId(),
                                hello.session().index(),
                                session.sentBytes(),
                                failure.map(Failure::toString).orElse("complete")));
        failure.filter(why -> why.code() == ErrorCode.PROTOCOL && !isFailedByPeer)
                .ifPresent(why -> resources.access().violated(who, why.reason()));
    }

    private void finish(Action.Finish action) {
        action.failure()
                .ifPresentOrElse(
                        failure -> log(Level.WARN, "{}: failed: {}", name, failure),
                        () -> log(Level.INFO, "{}: complete", name));
        if (action.failure().isPresent()) {
            resources.traffic().sessionFailed();
        }
        tellEnd(action.failure());
        record.complete(
                session.sentBytes(), action.failure().map(Failure::toString).orElse(""));
        if (ticking != null) {
            ticking.cancel(false);
        }
        List<Pins.Pin> left = List.copyOf(pinned.values());
        pinned.clear();
        if (inventory != null) {
            inventory.close();
        }
        memory.give(heldBytes);
        heldBytes = 0;
        ends.onGone().run();
        onDisk(() -> release(left));
        control.close();
        // The receiver closes these when it hears why; were they closed first, it would only see them go.
        resources
                .mailbox()
                .schedule(
                        () -> {
                            data.values().forEach(lane -> lane.connection().close());
                            resources.disk().execute(fatal::handOn);
                        },
                        DATA_GRACE_SECONDS,
                        TimeUnit.SECONDS);
        ends.onFinish().accept(this);
    }
}
