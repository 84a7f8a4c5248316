package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessRecheck;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.metrics.Activity;
import io.sluice.streaming.metrics.SessionFlightEvent;
import io.sluice.streaming.metrics.TableBytes;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.runtime.InboundQueue;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.ConnectionLiveness;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.SendingSession;
import io.sluice.streaming.session.SendingSession.Action;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.throttle.CombinedThrottle;
import io.sluice.streaming.throttle.Throttles;
import io.sluice.streaming.transfer.OfferedSSTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Performs the actions of one {@link SendingSession}: pins, offers, and hands file regions to the data channels. Long
 * because each action of the session is performed here.
 *
 * <p>Confined to the loop; disk work runs on {@code disk} and comes back as an event.
 */
final class SendingPeer implements PeerChannel.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SendingPeer.class);

    private static final long DATA_GRACE_SECONDS = 2;

    private final Message.Hello hello;
    private final String name;
    private final LogKeys keys;
    private final Peer peer;
    private final AccessRecheck standing;
    private final SendingContext sending;
    private final NodeContext node;
    private final SendingSession session;
    private final PeerChannel control;
    private final Map<Integer, RegionQueue> data = new HashMap<>();
    private final Map<UUID, Pins.Pin> pinned = new HashMap<>();
    private final List<OfferedSSTable> offered = new ArrayList<>();
    /** The byte counters of the offers, in the same order. */
    private final List<TableBytes.Count> counts = new ArrayList<>();

    private final Set<Integer> landed = new HashSet<>();
    private final BitSet received = new BitSet();
    private final Map<UUID, Integer> notLanded = new HashMap<>();
    /** Received offers whose temporary files are removed when no connection sends of them any more. */
    private final Set<Integer> sent = new LinkedHashSet<>();
    /** Received offers that are not sent again. */
    private final BitSet removed = new BitSet();

    private final SourceFiles sources;
    private final Preparation preparation;
    private final VirtualMachineErrors fatal = new VirtualMachineErrors();
    private final InboundQueue inbound;
    /** Charged for data that the receiver makes this node keep. */
    private final PeerMemory memory;

    private final Throttles.Outbound limits;
    private final Ends ends;
    private final SessionFlightEvent record;
    private @Nullable Timer ticking;
    private Activity.@Nullable Run running;
    private Preparation.@Nullable OfferMemory inventory;
    private final Instant started;
    private Optional<Instant> ended = Optional.empty();
    private Optional<PlanResult.Failure> failed = Optional.empty();
    private long heldBytes;
    private long preparedSteps;
    private boolean isPreparing;
    /** Tables that the receiver abandoned while they were being prepared. */
    private final Set<UUID> releasedEarly = new HashSet<>();

    /** Whether the receiver ended the session: a violation that it names is one by this node. */
    private boolean isFailedByPeer;

    /**
     * Creates the session that {@code hello} opened on {@code control}.
     *
     * @param ends notified of its end
     * @param serial a number that is unique in this process
     */
    SendingPeer(Message.Hello hello, PeerChannel control, SendingContext sending, Ends ends, long serial) {
        this.hello = hello;
        this.keys = LogKeys.of(hello.planId(), hello.sender());
        this.sending = sending;
        this.node = sending.node();
        this.started = node.now();
        this.name = "plan " + hello.planId() + " session " + hello.session().index() + " of " + hello.sender();
        this.control = control;
        this.peer = control.peer(hello.sender());
        this.standing = new AccessRecheck(peer, node.access(), this::revoked, node.nanoTime());
        this.memory = node.inventory().of(hello.sender());
        this.sources = new SourceFiles(sending.files());
        this.preparation = new Preparation(name, hello, peer, sending, memory, fatal, serial);
        this.inbound = new InboundQueue(node.environment().loop(), memory);
        this.limits = node.throttles().outbound(sending.isRemote().test(hello.sender()), node.nanoTime());
        this.record =
                new SessionFlightEvent(hello.planId().toString(), hello.sender().toString(), "out");
        this.ends = ends;
        this.session = new SendingSession("node " + hello.sender(), node.deadlines(), node.nanoTime());
    }

    /**
     * Callbacks for the end of a session.
     *
     * @param onFinish runs on the loop when the session is over
     * @param onGone runs when the session is over, and when its control connection is closed: possibly twice
     */
    public record Ends(Consumer<SendingPeer> onFinish, Runnable onGone) {}

    /** The session and attempt. */
    public Message.SessionNumber number() {
        return hello.session();
    }

    /**
     * Returns the newer of two attempts of one session, and cancels the older one; returns {@code running} if the
     * attempts are the same.
     */
    public static SendingPeer newer(SendingPeer running, SendingPeer next) {
        if (next.number().attempt() <= running.number().attempt()) {
            return running;
        }
        running.cancel("the receiver began a newer attempt");
        return next;
    }

    private void revoked(String why) {
        post(new Event.Failed(new Failure(ErrorCode.DENIED, peer + " may not be connected any more: " + why)));
    }

    /** Starts the timeouts. */
    public void start() {
        sending.activity().sessionOpened(session());
        long period = node.deadlines().heartbeat().toNanos() / 2;
        control.charge(memory);
        running = node.traffic().outgoing().begin(node.nanoTime());
        node.access()
                .audit()
                .record(
                        peer,
                        new AuditEvent.SessionOpened(
                                AuditEvent.Identity.of(peer),
                                hello.planId(),
                                hello.session().index()));
        ticking = node.environment().loop().every(period, () -> guarded(this::tick));
    }

    private void tick() {
        long steps = preparation.steps();
        if (steps > preparedSteps && isPreparing) {
            preparedSteps = steps;
            on(new Event.Preparing(steps));
        }
        on(new Event.Tick());
        data.values().forEach(executor -> executor.look(node.nanoTime()));
        removeSent();
    }

    /** Runs {@code work}; its exception ends this session only. On the loop. */
    private void guarded(Runnable work) {
        LogKeys.Scope scope = keys.enter();
        try {
            work.run();
        } catch (Throwable e) {
            defective(e);
        } finally {
            scope.leave();
        }
    }

    /** The session and attempt, for listeners. */
    public StreamActivity.Session session() {
        return new StreamActivity.Session(
                hello.planId(),
                hello.sender(),
                StreamActivity.Direction.SENDING,
                hello.session().index(),
                hello.session().attempt(),
                started);
    }

    /** A sample of its progress. On the loop. */
    public SendingProgress progress() {
        return new SendingProgress(
                hello.planId(),
                hello.sender(),
                session.state().progress(),
                started,
                ended,
                session.offeredBytes(),
                session.sentBytes(),
                session.waitingFor(node.nanoTime(), node.now()),
                failed);
    }

    /** Fails the session, from any thread. */
    public void cancel(String reason) {
        post(new Event.Failed(new Failure(ErrorCode.CANCELLED, reason)));
    }

    /**
     * Adds a data connection that the peer opened for this session. On the loop.
     *
     * @param details of the connection, for the log
     */
    public void add(int number, PeerChannel channel, String details) {
        guarded(() -> join(number, channel, details));
    }

    private void join(int number, PeerChannel channel, String details) {
        if (session.state().isFinal() || data.containsKey(number)) {
            channel.fail(new StreamException(ErrorCode.PROTOCOL, "data connection " + number + " is not allowed"));
        } else {
            log(Level.INFO, "{}: data connection {}{}", name, number, details);
            data.put(
                    number,
                    new RegionQueue(
                            channel,
                            node.environment().loop(),
                            sending.memory().connections().of(hello.sender()),
                            failure -> post(new Event.Failed(failure)),
                            bytes -> {
                                node.traffic().sent(bytes);
                                on(new Event.Sent(bytes));
                            },
                            new ConnectionLiveness(node.deadlines(), "node " + hello.sender(), node.nanoTime())));
        }
    }

    /**
     * Creates the listener of data connection {@code number}; charges memory for the connection until it ends.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if there is no memory
     */
    PeerChannel.Listener dataListener(int number) {
        PeerMemory connections = sending.memory().connections().of(hello.sender());
        long bytes = sending.memory().connectionBytes();
        if (!connections.tryTake(bytes)) {
            throw new StreamException(ErrorCode.LIMIT, connections.shortage(bytes));
        }
        InboundQueue inbound = new InboundQueue(node.environment().loop(), memory);
        return new PeerChannel.Listener() {
            @Override
            public void onMessage(PeerChannel channel, Message message) {
                inbound.post(channel, message, paid -> {
                    messageReceived(number, channel);
                    standing.messageReceived(node.nanoTime());
                    if (message instanceof Message.Fetch fetch) {
                        on(new Event.Fetched(number, fetch.extents()));
                    } else if (!(message instanceof Message.KeepAlive)) { // a heartbeat concerns this connection only
                        on(new Event.Received(message));
                    }
                    return 0;
                });
            }

            @Override
            public void onError(PeerChannel channel, Throwable cause) {
                Failure failure = Failure.of(cause);
                if (failure.code() == ErrorCode.CORRUPT_IN_FLIGHT) {
                    channel.fail(cause); // the receiver opens another one
                } else {
                    ended(channel, failure);
                }
            }

            @Override
            public void onEnd(PeerChannel channel, String reason) {
                keys.run(() -> log(Level.INFO, "{}: lost data connection {}: {}", name, number, reason));
                connections.release(bytes);
                node.onLoop(() -> {
                    RegionQueue executor = data.get(number);
                    if (executor != null && executor.channel() == channel) {
                        data.remove(number);
                        executor.end();
                    }
                });
            }
        };
    }

    /** Charges the peer for messages in flight on a data connection, too. On the thread of the channel. */
    void charge(PeerChannel channel) {
        channel.charge(memory);
    }

    private void messageReceived(int number, PeerChannel channel) {
        RegionQueue executor = data.get(number);
        if (executor != null && executor.channel() == channel) {
            executor.received(node.nanoTime());
        }
    }

    @Override
    public void onMessage(PeerChannel channel, Message message) {
        inbound.post(channel, message, paid -> {
            keys.run(() -> handle(message));
            return settle(paid);
        });
    }

    private void handle(Message message) {
        standing.messageReceived(node.nanoTime());
        if (message instanceof Message.Released released) {
            aboutTable(released.tableId())
                    .run(() -> log(
                            Level.WARN,
                            "{}: the receiver abandoned table {}: {}: {}",
                            name,
                            released.tableId(),
                            released.code(),
                            released.reason()));
        }
        isFailedByPeer |= message instanceof Message.SessionFailed;
        on(new Event.Received(message));
        // Once for each file: a peer that repeats the request causes no further disk reads.
        if (message instanceof Message.Received received && !session.state().isFinal() && received(received.offer())) {
            OfferedSSTable sstable = offered.get(received.offer());
            onDisk(() -> look(sstable));
        }
    }

    private LogKeys aboutTable(UUID tableId) {
        Pins.Pin pin = pinned.get(tableId);
        return keys.withTable(pin == null ? tableId : pin.table());
    }

    /** Adjusts the peer's charge to the memory that its session holds. */
    private long settle(long paid) {
        long change = session.heldBytes() - heldBytes;
        long kept = Math.max(0, Math.min(paid, change));
        long released = Math.max(0, -change);
        memory.release(released);
        heldBytes += kept - released;
        return kept;
    }

    @Override
    public void onError(PeerChannel channel, Throwable cause) {
        ended(channel, Failure.of(cause));
    }

    /** Ends the session because of a message on one of its connections. */
    private void ended(PeerChannel channel, Failure failure) {
        keys.run(() -> LOG.debug("{}: {}: {}", name, channel.address(), failure));
        channel.read(false);
        post(new Event.Failed(failure));
    }

    /** Work for a disk thread. */
    private interface DiskWork {
        void run() throws IOException;
    }

    /** Runs {@code work} on a disk thread; its exception ends this session. */
    private void onDisk(DiskWork work) {
        node.environment().disk().execute(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                fatal.note(e);
                log(Level.WARN, "{}: {}", name, String.valueOf(e.getMessage()), e);
                post(new Event.Failed(Failure.of(e)));
            }
        });
    }

    /** Records that the receiver has an offered SSTable; returns whether that is new. */
    private boolean received(int offer) {
        boolean isNews = !received.get(offer);
        received.set(offer);
        return isNews;
    }

    /** Checks the files of a received SSTable; on a disk thread. */
    private void look(OfferedSSTable sstable) {
        Optional<Failure> change = sources.changed(sstable);
        for (Path file : sstable.paths()) {
            try {
                sending.files().leaveCache(file);
            } catch (IOException e) {
                LOG.debug("{}: cannot drop {} from the page cache: {}", name, file, e.toString());
            }
        }
        node.onLoop(() -> guarded(() -> looked(sstable, change)));
    }

    /** The files of an SSTable were checked: if they are unchanged, one less is outstanding. */
    private void looked(OfferedSSTable sstable, Optional<Failure> change) {
        Pins.Pin pin = pinned.get(sstable.offer().tableId());
        if (pin == null || session.state().isFinal()) {
            return; // released meanwhile because the table is live; the database may have removed the files
        }
        if (change.isPresent()) {
            on(new Event.Failed(change.get()));
        } else if (landed.add(sstable.offer().number())) {
            if (notLanded.merge(sstable.offer().tableId(), -1, Integer::sum) == 0 && !isPreparing) {
                pin.landed();
            }
            if (!preparation.temporaryFiles(sstable).isEmpty()) {
                sent.add(sstable.offer().number());
                removeSent();
            }
        }
    }

    /** Removes temporary files of received offers, unless a lost connection may still send of them. */
    private void removeSent() {
        for (int number : List.copyOf(sent)) {
            if (data.values().stream().noneMatch(queue -> queue.sends(number))) {
                sent.remove(number);
                removed.set(number);
                OfferedSSTable sstable = offered.get(number);
                onDisk(() -> {
                    if (preparation.received(sstable)) {
                        prepare(preparation::proceed);
                    }
                });
            }
        }
    }

    @Override
    public void onEnd(PeerChannel channel, String reason) {
        ends.onGone().run();
        post(new Event.PeerLost("control connection: " + reason));
    }

    private void log(Level level, String format, Object... arguments) {
        node.log().write(LOG, level, control.address(), format, arguments);
    }

    private void post(Event event) {
        node.onLoop(() -> on(event));
    }

    private void on(Event event) {
        try {
            step(event);
        } catch (Throwable e) {
            keys.run(() -> defective(e));
        }
    }

    private void defective(Throwable cause) {
        fatal.note(cause);
        log(Level.ERROR, "{}: a step failed", name, cause);
        Failure failure = Failure.of(cause);
        try {
            step(new Event.Failed(failure));
        } catch (Throwable again) {
            log(Level.ERROR, "{}: ended immediately, because ending it failed", name, again);
            finish(new Action.Finish(Optional.of(failure)));
        }
    }

    /** Events of sent bytes cause no log lines, so they set no keys. */
    private void step(Event event) {
        SendingSession.State before = session.state();
        List<Action> actions = session.on(event, node.nanoTime());
        if (session.state() == before && movesOnly(actions)) {
            actions.forEach(this::perform);
        } else {
            LogKeys.Scope scope = keys.enter();
            try {
                logChange(before, event);
                actions.forEach(this::perform);
            } finally {
                scope.leave();
            }
        }
        settle(0);
    }

    private static boolean movesOnly(List<Action> actions) {
        for (Action action : actions) {
            if (!(action instanceof Action.Transmit)) {
                return false;
            }
        }
        return true;
    }

    private void logChange(SendingSession.State before, Event event) {
        if (session.state() != before) {
            log(
                    Level.INFO,
                    "{}: {} -> {} by {}: {}",
                    name,
                    before,
                    session.state(),
                    event.getClass().getSimpleName(),
                    session.state() == SendingSession.State.FAILED ? "it fails" : session.because());
        }
    }

    private void perform(Action action) {
        if (action instanceof Action.Pin a) {
            isPreparing = true;
            sending.pins().inTurn(hello.planId(), () -> pin(a));
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
                    sending.files(),
                    page -> post(new Event.Summed(page))));
        } else if (action instanceof Action.LookUp a) {
            onDisk(() -> lookUp(a.requests()));
        } else if (action instanceof Action.Unpin a) {
            unpin(a.tableId());
        } else if (action instanceof Action.Finish a) {
            finish(a);
        } else {
            throw new AssertionError("no rule for " + action);
        }
    }

    /** While its offers are prepared, a table stays pinned. */
    private void unpin(UUID tableId) {
        if (isPreparing) {
            releasedEarly.add(tableId);
            if (preparation.skip(tableId)) {
                proceed();
            }
            return;
        }
        Pins.Pin table = pinned.remove(tableId);
        if (table != null) {
            table.close();
        }
    }

    private void pin(Action.Pin action) {
        prepare(() -> preparation.begin(action, new Preparation.Listener() {
            @Override
            public void pinned(Pins.Pin pin) {
                pin.onRevoke(reason -> node.onLoop(() -> takenBack(pin, reason)));
            }

            @Override
            public void pinned(Map<UUID, Pins.Pin> tables) {
                node.onLoop(() -> pinned.putAll(tables));
            }

            @Override
            public void prepared(OfferedSSTable sstable) throws IOException {
                sources.add(sstable);
            }

            @Override
            public void offered(List<OfferedSSTable> offers) {
                node.onLoop(() -> guarded(() -> offer(offers)));
            }
        }));
    }

    /** Goes on with a preparation that waits. */
    private void proceed() {
        node.environment().disk().execute(() -> prepare(preparation::proceed));
    }

    /** One turn of the preparation. */
    private void prepare(Supplier<Optional<Preparation.Prepared>> turn) {
        try {
            turn.get().ifPresent(prepared -> node.onLoop(() -> guarded(() -> pinned(prepared))));
        } catch (Throwable e) {
            fatal.note(e);
            if (preparation.isAbandoned()) {
                LOG.debug("{}: its offers are no longer needed", name, e);
                return;
            }
            log(Level.ERROR, "{}: preparation failed", name, e);
            post(new Event.Failed(
                    e instanceof StreamException ? Failure.of(e) : Preparation.ofThisNode(Failure.of(e))));
        }
    }

    /** Keeps what is offered: from now on it may be fetched. */
    private void offer(List<OfferedSSTable> more) {
        keep(more);
        on(new Event.Offered(more.stream().map(OfferedSSTable::offer).toList()));
    }

    private void keep(List<OfferedSSTable> more) {
        for (OfferedSSTable sstable : more) {
            offered.add(sstable);
            counts.add(countOf(sstable.offer()));
            notLanded.merge(sstable.offer().tableId(), 1, Integer::sum);
        }
    }

    /** Refuses tables that this node does not have without keeping their requests. */
    private void lookUp(List<Message.TableRequest> requests) {
        Map<UUID, Failure> refused = preparation.unavailable(requests);
        if (!refused.isEmpty()) {
            post(new Event.Unavailable(refused));
        }
    }

    private void pinned(Preparation.Prepared prepared) {
        if (session.state().isFinal()) {
            prepared.memory().close();
            onDisk(() -> preparation.release(prepared.tables().values()));
            return;
        }
        isPreparing = false;
        inventory = prepared.memory();
        releasedEarly.forEach(this::unpin);
        keep(prepared.offers().subList(offered.size(), prepared.offers().size()));
        pinned.forEach((table, pin) -> {
            if (notLanded.getOrDefault(table, 1) == 0) {
                pin.landed();
            }
        });
        on(new Event.Pinned(offered.stream().map(OfferedSSTable::offer).toList(), prepared.refused()));
    }

    private TableBytes.Count countOf(SSTableOffer offer) {
        Pins.Pin pin = pinned.get(offer.tableId());
        String table = String.valueOf(pin == null ? offer.tableId() : pin.table());
        return node.traffic().sentByTable().of(offer.choice().mode().name().toLowerCase(Locale.ROOT), table);
    }

    /**
     * Ends the session: the next attempt pins again and continues with the received data of all tables; the database
     * may refuse this table.
     */
    private void takenBack(Pins.Pin pin, String reason) {
        if (releasedEarly.contains(pin.table().id())) {
            return; // released when the preparation ends
        }
        on(new Event.Failed(new Failure(
                ErrorCode.SOURCE_CHANGED,
                "the database of the source revoked the pin of " + pin.table() + ": " + reason)));
    }

    private void transmit(int number, Extent extent) {
        RegionQueue executor = data.get(number);
        // Otherwise it is closed, and the receiver is notified; or a fetch that was lost arrives after all.
        if (executor != null && !removed.get(extent.offer())) {
            OfferedSSTable sstable = offered.get(extent.offer());
            boolean isRows = sstable.offer().choice().mode() == TransferMode.ROWS;
            CombinedThrottle limit = isRows ? limits.rows() : limits.files();
            executor.add(sstable.regions(extent), extent, limit, counts.get(extent.offer()));
        }
    }

    private void notifyEnd(Optional<Failure> failure) {
        AuditEvent.Identity who = AuditEvent.Identity.of(peer);
        node.access()
                .audit()
                .record(
                        peer,
                        new AuditEvent.SessionEnded(
                                who,
                                hello.planId(),
                                hello.session().index(),
                                session.sentBytes(),
                                failure.map(Failure::toString).orElse("complete")));
        failure.filter(why -> why.code() == ErrorCode.PROTOCOL && !isFailedByPeer)
                .ifPresent(why -> node.access().violated(who, why.reason()));
    }

    private void finish(Action.Finish action) {
        Instant now = node.now();
        ended = Optional.of(now);
        failed = action.failure().map(why -> why.asResult(Optional.of(hello.sender()), now));
        sending.activity().sessionEnded(session(), session.sentBytes(), failed);
        action.failure()
                .ifPresentOrElse(
                        failure -> log(Level.WARN, "{}: failed: {}", name, failure),
                        () -> log(Level.INFO, "{}: complete", name));
        if (action.failure().isPresent()) {
            node.traffic().sessionFailed();
        }
        if (running != null) {
            running.end(action.failure().map(Failure::code), node.nanoTime());
        }
        notifyEnd(action.failure());
        record.complete(
                session.sentBytes(), action.failure().map(Failure::toString).orElse(""));
        if (preparation.abandon()) {
            proceed(); // to its end
        }
        if (ticking != null) {
            ticking.cancel();
        }
        data.values().forEach(RegionQueue::end); // their files are no longer pinned
        List<Pins.Pin> left = List.copyOf(pinned.values());
        pinned.clear();
        if (inventory != null) {
            inventory.close();
        }
        memory.release(heldBytes);
        heldBytes = 0;
        ends.onGone().run();
        if (!isPreparing) { // otherwise the preparation releases its resources
            onDisk(() -> preparation.release(left));
        }
        control.close();
        // The receiver closes these when it has the reason; if they closed first, it would not get a reason.
        node.environment().loop().after(TimeUnit.SECONDS.toNanos(DATA_GRACE_SECONDS), () -> {
            data.values().forEach(executor -> executor.channel().close());
            node.environment().disk().execute(fatal::handOn);
        });
        ends.onFinish().accept(this);
    }
}
