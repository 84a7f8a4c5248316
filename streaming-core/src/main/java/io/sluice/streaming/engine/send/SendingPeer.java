package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessRecheck;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.engine.SessionSteps;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.metrics.Activity;
import io.sluice.streaming.metrics.SessionRecord;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.runtime.InboundQueue;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.SendingSession;
import io.sluice.streaming.session.SendingSession.Action;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.throttle.CombinedThrottle;
import io.sluice.streaming.throttle.Throttles;
import io.sluice.streaming.transfer.OfferedSSTable;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Performs the actions of one {@link SendingSession}: pins, offers, and hands file regions to the data channels. Long
 * because each action of the session begins here.
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
    private final SessionSteps<SendingSession.State, Event, Action> steps;
    private final SendingConnections data;
    private final OfferedTables tables;
    private final VirtualMachineErrors fatal = new VirtualMachineErrors();
    private final InboundQueue inbound;
    /** Charged for data that the receiver makes this node keep. */
    private final PeerMemory memory;

    private final Throttles.Outbound limits;
    private volatile Priority priority = Priority.REBALANCE; // read by the threads of connections
    private final Ends ends;
    private final SessionRecord record;
    private @Nullable Timer ticking;
    private Activity.@Nullable Run running;
    private final Instant started;
    private Optional<Instant> ended = Optional.empty();
    private Optional<PlanResult.Failure> failed = Optional.empty();
    private long heldBytes;
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
        Preparation preparation = new Preparation(name, hello, peer, sending, memory, fatal, serial);
        this.inbound = new InboundQueue(node.environment().loop(), memory);
        this.session = new SendingSession("node " + hello.sender(), node.deadlines(), node.nanoTime());
        this.steps = new SessionSteps<>(LOG, name, keys, control::address, node, fatal, session, new Performer());
        this.data = new SendingConnections(name, hello.sender(), keys, sending, memory, new Own());
        this.tables = new OfferedTables(
                name,
                hello,
                keys,
                sending,
                fatal,
                preparation,
                steps,
                () -> session.state().isFinal(),
                data::isSending);
        this.limits =
                node.throttles().outbound(sending.isRemote().test(hello.sender()), () -> priority, node.nanoTime());
        this.record =
                SessionRecord.begin(hello.planId().toString(), hello.sender().toString(), "out");
        this.ends = ends;
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
        steps.post(new Event.Failed(new Failure(ErrorCode.DENIED, peer + " may not be connected any more: " + why)));
    }

    /** Starts the timeouts. On the thread of the channel. */
    public void start() {
        sending.activity().sessionOpened(session());
        control.charge(memory);
        AuditEvent.Identity who = AuditEvent.Identity.of(peer);
        node.access()
                .audit()
                .record(
                        who,
                        new AuditEvent.SessionOpened(
                                who, hello.planId(), hello.session().index()));
        steps.postGuarded(this::startTicking);
    }

    /** A session that was cancelled before this is over, and would never stop the timer. */
    private void startTicking() {
        if (!session.state().isFinal()) {
            running = node.traffic().outgoing().begin(node.nanoTime());
            long period = node.deadlines().heartbeat().toNanos() / 2;
            ticking = node.environment().loop().every(period, () -> steps.guarded(this::tick));
        }
    }

    private void tick() {
        tables.tick();
        steps.on(new Event.Tick());
        data.tick();
        tables.removeSent();
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

    /** Cancels the session, from any thread: the receiver does not try again. */
    public void cancel(String reason) {
        fail(new Failure(ErrorCode.CANCELLED, reason));
    }

    /** Fails the session, from any thread. */
    void fail(Failure why) {
        steps.post(new Event.Failed(why));
    }

    /**
     * Adds a data connection that the peer opened for this session. On the loop.
     *
     * @param details of the connection, for the log
     */
    public void add(int number, PeerChannel channel, String details) {
        steps.guarded(() -> data.join(number, channel, details));
    }

    /**
     * Creates the listener of data connection {@code number}; charges memory for the connection until it ends.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if there is no memory
     */
    PeerChannel.Listener dataListener(int number) {
        return data.listener(number);
    }

    /** What its data connections report. */
    private final class Own implements SendingConnections.Session {
        @Override
        public void on(Event event) {
            steps.on(event);
        }

        @Override
        public void messageReceived() {
            standing.messageReceived(node.nanoTime());
        }

        @Override
        public void ended(PeerChannel channel, Failure failure) {
            SendingPeer.this.ended(channel, failure);
        }

        @Override
        public boolean needs(int offer) {
            return tables.needs(offer);
        }

        @Override
        public boolean isOver() {
            return session.state().isFinal();
        }
    }

    /** Charges the peer for messages in flight on a data connection, too. On the thread of the channel. */
    void charge(PeerChannel channel) {
        channel.charge(memory);
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
            tables.aboutTable(released.tableId())
                    .run(() -> steps.log(
                            Level.WARN,
                            "{}: the receiver abandoned table {}: {}: {}",
                            name,
                            released.tableId(),
                            released.code(),
                            released.reason()));
        }
        isFailedByPeer |= message instanceof Message.SessionFailed;
        if (message instanceof Message.StreamInit init) {
            priority = Operation.priorityOf(init.operation());
        }
        steps.on(new Event.Received(message));
        if (message instanceof Message.Received received && !session.state().isFinal()) {
            tables.received(received.offer());
        }
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
        steps.post(new Event.Failed(failure));
    }

    @Override
    public void onEnd(PeerChannel channel, String reason) {
        ends.onGone().run();
        steps.post(new Event.PeerLost("control connection: " + reason));
    }

    /** What its steps lead to. */
    private final class Performer implements SessionSteps.Performer<Action> {
        @Override
        public void perform(Action action) {
            SendingPeer.this.perform(action);
        }

        @Override
        public void stepped() {
            settle(0);
        }

        @Override
        public void end(Failure failure) {
            finish(new Action.Finish(Optional.of(failure)));
        }
    }

    private void perform(Action action) {
        if (action instanceof Action.Pin a) {
            tables.pin(a);
        } else if (action instanceof Action.Send a) {
            control.send(a.message());
        } else if (action instanceof Action.Transmit a) {
            a.extents().forEach(extent -> transmit(a.connection(), extent));
        } else if (action instanceof Action.Disconnect a) {
            data.disconnect(a.connection());
        } else if (action instanceof Action.Sum a) {
            tables.sum(a);
        } else if (action instanceof Action.LookUp a) {
            tables.lookUp(a.requests());
        } else if (action instanceof Action.Unpin a) {
            data.release(offer -> tables.isOf(a.tableId(), offer));
            tables.unpin(a.tableId());
        } else if (action instanceof Action.Finish a) {
            finish(a);
        } else {
            throw new AssertionError("no rule for " + action);
        }
    }

    private void transmit(int number, Extent extent) {
        SentOffers offers = tables.offers();
        if (offers.isRemoved(extent.offer())) {
            return; // a fetch that was lost arrives after all
        }
        OfferedSSTable sstable = offers.get(extent.offer());
        boolean isRows = sstable.offer().choice().mode() == TransferMode.ROWS;
        CombinedThrottle limit = isRows ? limits.rows() : limits.files();
        data.send(number, sstable, extent, limit, offers.count(extent.offer()));
    }

    private void notifyEnd(Optional<Failure> failure) {
        AuditEvent.Identity who = AuditEvent.Identity.of(peer);
        node.access()
                .audit()
                .record(
                        who,
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
                        failure -> steps.log(Level.WARN, "{}: failed: {}", name, failure),
                        () -> steps.log(Level.INFO, "{}: complete", name));
        if (action.failure().isPresent()) {
            node.traffic().sessionFailed();
        }
        if (running != null) {
            running.end(action.failure().map(Failure::code), node.nanoTime());
        }
        notifyEnd(action.failure());
        record.complete(
                session.sentBytes(), action.failure().map(Failure::toString).orElse(""));
        if (ticking != null) {
            ticking.cancel();
        }
        data.end(); // their files are no longer pinned
        tables.end();
        memory.release(heldBytes);
        heldBytes = 0;
        ends.onGone().run();
        control.close();
        // The receiver closes these when it has the reason; if they closed first, it would not get a reason.
        node.environment().loop().after(TimeUnit.SECONDS.toNanos(DATA_GRACE_SECONDS), () -> {
            data.close();
            node.environment().disk().execute(fatal::handOn);
        });
        ends.onFinish().accept(this);
    }
}
