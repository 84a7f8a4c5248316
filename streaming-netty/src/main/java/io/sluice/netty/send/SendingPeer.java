package io.sluice.netty.send;

import io.netty.channel.EventLoop;
import io.sluice.netty.memory.MemoryBudget;
import io.sluice.netty.memory.SendingMemory;
import io.sluice.netty.metrics.SessionEvent;
import io.sluice.netty.metrics.Traffic;
import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.Inbox;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.PeerLog;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.mode.TransferMode;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.session.Deadlines;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.Pulse;
import io.sluice.streaming.session.SchemaCheck;
import io.sluice.streaming.session.SendingSession;
import io.sluice.streaming.session.SendingSession.Action;
import io.sluice.streaming.session.SendingSession.Event;
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

    private final Message.Hello hello;
    private final String name;
    private final Resources resources;
    private final SendingSession session;
    private final Connection control;
    private final Map<Integer, RegionQueue> data = new HashMap<>();
    private final Map<UUID, Pins.Pin> pinned = new HashMap<>();
    private final List<OfferedSSTable> offered = new ArrayList<>();
    private final Set<Integer> landed = new HashSet<>();
    private final Map<UUID, Integer> notLanded = new HashMap<>();
    private final SourceFiles sources = new SourceFiles();
    private final VirtualMachineErrors fatal = new VirtualMachineErrors();
    private final Inbox inbox;
    private final Throttles.Outbound limits;
    private final Consumer<SendingPeer> onFinish;
    private final SessionEvent record;
    private final PeerLog log;
    private @Nullable Future<?> ticking;
    private long inventoryBytes;

    /**
     * What sessions work with; owned by the node.
     *
     * @param isRemote whether a peer is in another data centre
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
            ModeSettings modes,
            Deadlines deadlines) {}

    /**
     * The session that {@code hello} has just opened on {@code control}.
     *
     * @param onFinish runs on the mailbox when the session is over
     */
    public SendingPeer(
            Message.Hello hello, Connection control, Resources resources, PeerLog log, Consumer<SendingPeer> onFinish) {
        this.hello = hello;
        this.log = log;
        this.name = "plan " + hello.planId() + " session " + hello.session().index() + " of " + hello.sender();
        this.control = control;
        this.inbox = new Inbox(resources.mailbox());
        this.resources = resources;
        this.limits = resources.throttles().outbound(resources.isRemote().test(hello.sender()), System.nanoTime());
        this.record = new SessionEvent(hello.planId().toString(), hello.sender().toString(), "out");
        this.onFinish = onFinish;
        this.session = new SendingSession("node " + hello.sender(), resources.deadlines(), System.nanoTime());
    }

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

    /** Begins to watch the time. */
    public void start() {
        long period = resources.deadlines().heartbeat().toNanos() / 2;
        ticking = resources.mailbox().scheduleAtFixedRate(this::tick, period, period, TimeUnit.NANOSECONDS);
    }

    private void tick() {
        on(new Event.Tick());
        data.values().forEach(lane -> lane.look(System.nanoTime()));
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
                            resources.memory().connections(),
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
        SendingMemory memory = resources.memory();
        if (!memory.connections().tryTake(memory.connectionBytes())) {
            throw new StreamException(ErrorCode.LIMIT, memory.connections().shortage(memory.connectionBytes()));
        }
        Inbox inbox = new Inbox(resources.mailbox());
        return new Connection.Listener() {
            @Override
            public void onMessage(Connection connection, Message message) {
                inbox.post(connection, () -> {
                    heard(number, connection);
                    if (message instanceof Message.Fetch fetch) {
                        on(new Event.Fetched(number, fetch.extents()));
                    } else if (!(message instanceof Message.KeepAlive)) { // which is about this connection alone
                        on(new Event.Received(message));
                    }
                });
            }

            @Override
            public void onEnd(Connection connection, String reason) {
                log(Level.INFO, "{}: data connection {} is gone: {}", name, number, reason);
                memory.connections().give(memory.connectionBytes());
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

    private void heard(int number, Connection connection) {
        RegionQueue lane = data.get(number);
        if (lane != null && lane.connection() == connection) {
            lane.heard(System.nanoTime());
        }
    }

    @Override
    public void onMessage(Connection connection, Message message) {
        inbox.post(connection, () -> {
            on(new Event.Received(message));
            if (message instanceof Message.Released released) {
                LOG.warn(
                        "{}: table {} is not wanted any more: {}: {}",
                        name,
                        released.tableId(),
                        released.code(),
                        released.reason());
            }
            if (message instanceof Message.Received received && !session.state().isFinal()) {
                OfferedSSTable sstable = offered.get(received.offer());
                resources.disk().execute(() -> look(sstable));
            }
        });
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
        resources.mailbox().execute(() -> looked(sstable, change));
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
        post(new Event.PeerLost("control connection: " + reason));
    }

    private void log(Level level, String format, Object... arguments) {
        log.write(LOG, level, control.address(), format, arguments);
    }

    private void post(Event event) {
        resources.mailbox().execute(() -> on(event));
    }

    private void on(Event event) {
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
        try {
            actions.forEach(this::perform);
        } catch (RuntimeException | OutOfMemoryError e) {
            log(Level.ERROR, "{}: a step failed", name, e);
            post(new Event.Failed(Failure.of(e)));
        }
    }

    private void perform(Action action) {
        if (action instanceof Action.Pin a) {
            resources.pins().inTurn(hello.planId(), () -> pin(a.requests()));
        } else if (action instanceof Action.Send a) {
            control.send(a.message());
        } else if (action instanceof Action.Transmit a) {
            a.extents().forEach(extent -> transmit(a.connection(), extent));
        } else if (action instanceof Action.Sum a) {
            OfferedSSTable sstable = offered.get(a.offer());
            resources.disk().execute(() -> sum(sstable, a));
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

    private void pin(List<Message.TableRequest> requests) {
        Map<UUID, Pins.Pin> tables = new HashMap<>();
        Map<UUID, Failure> refused = new HashMap<>();
        try {
            SSTableOffers offers = new SSTableOffers(sliceFolder(), resources.modes(), resources.disk());
            for (Message.TableRequest request : requests) {
                try {
                    pin(request, tables, offers);
                } catch (Throwable e) { // whatever it is: the session waits for an answer
                    fatal.note(e);
                    log(
                            Level.WARN,
                            "{}: pinning table {}: {}",
                            name,
                            request.tableId(),
                            String.valueOf(e.getMessage()),
                            e);
                    refused.put(request.tableId(), Failure.of(e));
                }
            }
            for (OfferedSSTable sstable : offers.offers()) {
                sources.add(sstable);
            }
            long bytes = (long) offers.offers().size() * MemoryBudget.OFFER_BYTES;
            if (!resources.memory().inventory().tryTake(bytes)) {
                throw new StreamException(
                        ErrorCode.LIMIT, resources.memory().inventory().shortage(bytes));
            }
            resources.mailbox().execute(() -> pinned(tables, offers.offers(), refused));
        } catch (Throwable e) {
            fatal.note(e);
            log(Level.ERROR, "{}: pinning", name, e);
            release(tables.values());
            post(new Event.Failed(Failure.of(e)));
        }
    }

    private void pin(Message.TableRequest request, Map<UUID, Pins.Pin> tables, SSTableOffers offers)
            throws IOException {
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
        Pins.Pin pin = resources.pins().pin(hello.planId(), table, request.ranges());
        tables.put(table.id(), pin);
        offers.add(pin, request.ranges());
    }

    private void pinned(Map<UUID, Pins.Pin> tables, List<OfferedSSTable> offers, Map<UUID, Failure> refused) {
        long bytes = (long) offers.size() * MemoryBudget.OFFER_BYTES;
        if (session.state().isFinal()) {
            resources.memory().inventory().give(bytes);
            resources.disk().execute(() -> release(tables.values()));
            return;
        }
        inventoryBytes = bytes;
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

    private void sum(OfferedSSTable sstable, Action.Sum action) {
        try {
            ExtentSums.of(sstable, action.component(), action.extentLengthBytes(), resources.files())
                    .forEach(page -> post(new Event.Summed(page)));
        } catch (Throwable e) {
            log(
                    Level.WARN,
                    "{}: checksums of {}: {}",
                    name,
                    sstable.offer().source(),
                    String.valueOf(e.getMessage()),
                    e);
            post(new Event.Failed(Failure.of(e)));
        }
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
            SSTableOffers.removeSlices(sliceFolder());
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

    private void finish(Action.Finish action) {
        action.failure()
                .ifPresentOrElse(
                        failure -> log(Level.WARN, "{}: failed: {}", name, failure),
                        () -> log(Level.INFO, "{}: complete", name));
        if (action.failure().isPresent()) {
            resources.traffic().sessionFailed();
        }
        record.complete(
                session.sentBytes(), action.failure().map(Failure::toString).orElse(""));
        if (ticking != null) {
            ticking.cancel(false);
        }
        List<Pins.Pin> left = List.copyOf(pinned.values());
        pinned.clear();
        resources.memory().inventory().give(inventoryBytes);
        inventoryBytes = 0;
        resources.disk().execute(() -> release(left));
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
        onFinish.accept(this);
    }
}
