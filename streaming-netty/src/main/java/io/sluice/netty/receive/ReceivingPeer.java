package io.sluice.netty.receive;

import io.sluice.netty.memory.PeerMemory;
import io.sluice.netty.metrics.SessionEvent;
import io.sluice.netty.security.AccessControl;
import io.sluice.netty.security.Standing;
import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.Dialer;
import io.sluice.netty.transport.Inbox;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.install.LandedExtent;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.Message.SessionNumber;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Location;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.session.ReceivingSession.Action;
import io.sluice.streaming.session.ReceivingSession.Event;
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.store.Peer;
import io.sluice.streaming.throttle.Chain;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Performs what one attempt at one {@link ReceivingSession} decides: sends its messages, opens its connections, stages
 * its files. Holds connections, not decisions. Long because each action of the session is performed here.
 *
 * <p>Confined to the mailbox; disk work runs on {@code disk} and comes back as an event.
 */
final class ReceivingPeer {
    private static final Logger LOG = LoggerFactory.getLogger(ReceivingPeer.class);
    /** No disk is that busy. */
    private static final long STUCK_SECONDS = 60;

    private final UUID id = UUID.randomUUID();
    private final PlanExecution plan;
    private final SessionNumber number;
    private final Node peer;
    private final String name;
    private final Map<UUID, StreamRequest> requests = new HashMap<>();
    private final ReceivingSession session;
    private final Dialer dialer;
    private final ScheduledExecutorService mailbox;
    private final Executor disk;
    private final StagedFiles files;
    private final SessionEvent record;
    private final Chain limits;
    private final Map<Integer, DataLink> data = new HashMap<>();
    /** Pieces of disk work that are under way, and one for the session itself until it is finished. */
    private final AtomicInteger working = new AtomicInteger(1);

    private volatile PlanCoordinator.Event.@Nullable SessionEnded end;
    private final AtomicBoolean isEndTold = new AtomicBoolean();
    private final CompletableFuture<Void> cleaned = new CompletableFuture<>();
    /** For what the source makes this node keep. */
    private final PeerMemory peerMemory;

    private SourcePlaces.@Nullable Place place;
    private Buffers.@Nullable Seat memory;
    private @Nullable Connection control;
    private @Nullable Standing standing;
    private long toldBytes;
    private long inventoryBytes;
    private @Nullable Future<?> ticking;
    private volatile @Nullable Future<?> hanging;

    ReceivingPeer(PlanExecution plan, Operation operation, PlanCoordinator.Action.Open open, int connections) {
        this.plan = plan;
        this.number = new SessionNumber(open.session(), open.attempt());
        this.peer = open.source();
        this.name = "plan " + plan.planId() + " session " + open.session() + " with " + peer;
        this.dialer = plan.resources().dialer();
        this.mailbox = plan.resources().mailbox();
        this.disk = plan.resources().disk();
        this.peerMemory = plan.resources().links().inventory().of(peer.id());
        this.files = new StagedFiles(
                plan.resources().links().writeBack(),
                plan.resources().links().openFiles(),
                e -> post(new Event.Failed(Failure.of(e))));
        Location here = plan.resources().self().location();
        boolean isRemote = !here.dc().equals(peer.location().dc());
        this.limits = plan.resources().throttles().inbound(isRemote, System.nanoTime());
        this.record = new SessionEvent(plan.planId().toString(), peer.id().toString(), "in");
        open.requests().forEach(request -> this.requests.put(request.table().id(), request));
        List<Message.TableRequest> wire = open.requests().stream()
                .map(request -> new Message.TableRequest(
                        request.table().id(), plan.tables().schemaDigest(request.table()), request.ranges()))
                .toList();
        this.session = new ReceivingSession(
                operation,
                peer.name(),
                wire,
                SessionSettings.of(connections, plan.resources().deadlines()),
                System.nanoTime());
    }

    /** To whom staged files belong: this attempt. */
    UUID id() {
        return id;
    }

    /** Where the source is. */
    String address() {
        return peer.address().host();
    }

    /** Also with what is here of extents that are just arriving; what was told once is not taken back. */
    SessionProgress progress() {
        SessionProgress sample = session.progress(peer, System.nanoTime());
        long landing = data.values().stream().mapToLong(DataLink::landingBytes).sum();
        toldBytes = Math.max(toldBytes, Math.min(sample.bytesTotal(), sample.bytesReceived() + landing));
        SessionProgress now = sample.receiving(Math.max(toldBytes, sample.bytesReceived()));
        if (session.state().isFinal()) {
            return now;
        }
        if (place != null && !place.isGranted()) {
            return now.pausing(plan.resources().links().places().why());
        }
        boolean isWaiting = memory != null && !memory.isGranted();
        return isWaiting ? now.pausing(plan.resources().links().buffers().why()) : now;
    }

    /** Begins as soon as there is a place at the source and memory for it; until then no deadline runs. */
    void start() {
        place = plan.resources().links().places().enter(peer.id(), () -> mailbox.execute(() -> guarded(this::sit)));
    }

    private void sit() {
        if (!session.state().isFinal()) {
            memory = plan.resources().links().buffers().seat(() -> mailbox.execute(() -> guarded(this::connect)));
        }
    }

    /** A source can cause lines at will: of each kind a few a minute are written. */
    private void log(Level level, String format, Object... arguments) {
        plan.resources().log().write(LOG, level, address(), format, arguments);
    }

    private void connect() {
        if (session.state().isFinal()) {
            return;
        }
        log(Level.INFO, "{}: connecting to {}, attempt {}", name, peer.address(), number.attempt() + 1);
        long period = plan.resources().deadlines().heartbeat().toNanos() / 2;
        ticking = mailbox.scheduleAtFixedRate(() -> on(new Event.Tick()), period, period, TimeUnit.NANOSECONDS);
        if (plan.hasReceived()) {
            dial(Message.StreamInit.ANY_ROOM); // what has come takes room, and need not come again
        } else {
            onDisk(() -> {
                long roomBytes = plan.resources().staging().roomBytes();
                mailbox.execute(() -> guarded(() -> dial(roomBytes)));
            });
        }
    }

    private void dial(long roomBytes) {
        if (session.state().isFinal()) {
            return;
        }
        Message hello = dialer.hello(peer, Message.Role.CONTROL, plan.planId(), number, 0);
        dialer.dial(peer, hello, new Control(), answer(connection -> {
            control = connection;
            standing = new Standing(connection.peer(peer.id()), access(), this::revoked, System.nanoTime());
            onDisk(() -> authorize(connection.peer(peer.id()), roomBytes));
        }));
    }

    private AccessControl access() {
        return plan.resources().access();
    }

    private void revoked(String why) {
        post(new Event.Failed(new Failure(ErrorCode.DENIED, peer + " may not be connected any more: " + why)));
    }

    /** Goes on with the tables that may be had from this source. On a disk thread. */
    private void authorize(Peer source, long roomBytes) {
        for (StreamRequest request : requests.values()) {
            try {
                access().require(
                                source,
                                new AuditEvent.Wish(
                                        plan.planId(),
                                        "offer",
                                        request.table(),
                                        request.ranges().ranges().size()),
                                authorizer ->
                                        authorizer.mayOffer(source, plan.planId(), request.table(), request.ranges()));
            } catch (StreamException denied) {
                giveUp(request.table().id(), Failure.of(denied));
            }
        }
        post(new Event.Connected(roomBytes));
    }

    /** Goes on, on the mailbox, with a connection that is there; unless the session is over by then. */
    private Dialer.Answer answer(Consumer<Connection> onConnected) {
        return new Dialer.Answer() {
            @Override
            public void connected(Connection connection) {
                connection.charge(peerMemory);
                mailbox.execute(() -> {
                    if (session.state().isFinal()) {
                        connection.close();
                    } else {
                        onConnected.accept(connection);
                    }
                });
            }

            @Override
            public void failed(StreamException reason) {
                post(new Event.Failed(Failure.of(reason)));
            }
        };
    }

    /** Takes one event; on the mailbox only. Whatever handling it throws ends this session, and nothing else. */
    void on(Event event) {
        guarded(() -> step(event));
    }

    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            plan.fatal().note(e);
            broken(e);
        }
    }

    private void broken(Throwable cause) {
        log(Level.ERROR, "{}: a step failed", name, cause);
        Failure failure = Failure.of(cause);
        try {
            step(new Event.Failed(failure));
        } catch (Throwable again) {
            log(Level.ERROR, "{}: ended at once, since ending it failed", name, again);
            finish(Optional.of(failure));
        }
    }

    private void step(Event event) {
        ReceivingSession.State before = session.state();
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
    }

    private void post(Event event) {
        mailbox.execute(() -> on(event));
    }

    private void perform(Action action) {
        if (action instanceof Action.Send a) {
            if (control != null) {
                control.send(a.message());
            }
        } else if (action instanceof Action.Prepare a) {
            onDisk(() -> post(new Event.Prepared(prepare(a.offers()))));
        } else if (action instanceof Action.OpenDataConnection a) {
            openData(a.connection());
        } else if (action instanceof Action.Fetch a) {
            DataLink link = data.get(a.connection());
            if (link != null) { // else it is lost, and the session will hear so
                link.fetch(a.extents());
            }
        } else if (action instanceof Action.Forget a) {
            StagedSet.Landing landing = files.landing(a.offer());
            landing.set().forget(landing.descriptor(), a.component());
        } else if (action instanceof Action.Stage a) {
            onDisk(() -> stage(a.offer()));
        } else if (action instanceof Action.TableLanded a) {
            tell(new PlanCoordinator.Event.TableLanded(number.index(), a.tableId()));
        } else if (action instanceof Action.TableFailed a) {
            log(Level.WARN, "{}: goes on without table {}: {}", name, a.tableId(), a.why());
            tell(new PlanCoordinator.Event.TableFailed(number.index(), a.tableId(), a.why()));
        } else if (action instanceof Action.Warn a) {
            log(Level.WARN, "{}: {}", name, a.what());
        } else if (action instanceof Action.Finish a) {
            finish(a.failure());
        } else {
            throw new AssertionError("no rule for " + action);
        }
    }

    /** A source that is refused room knows no path of this node; whoever is to make room needs it. */
    private Failure withVolume(Failure failure) {
        String staging = plan.resources().staging().root().toString();
        return failure.code() != ErrorCode.DISK_FULL || failure.reason().contains(staging)
                ? failure
                : new Failure(failure.code(), failure.reason() + "; staging of this node is " + staging);
    }

    /** After all that this session has decided by now. */
    private void tell(PlanCoordinator.Event event) {
        mailbox.execute(() -> plan.on(event));
    }

    private List<LandedExtent> prepare(List<SSTableOffer> offers) throws IOException {
        List<LandedExtent> held = new ArrayList<>();
        Set<UUID> dropped = new HashSet<>();
        for (SSTableOffer offer : offers) {
            if (dropped.contains(offer.tableId())) {
                continue;
            }
            try {
                StagedSet set = plan.tables().set(offer.tableId());
                StagedSet.Landing landing =
                        set.land(id, offer, () -> plan.tables().newDescriptor(set.table(), offer));
                files.add(landing);
                held.addAll(landing.held());
            } catch (IOException | RuntimeException e) {
                if (!isGivenUp(offer.tableId(), e)) {
                    throw e;
                }
                dropped.add(offer.tableId());
            }
        }
        return held;
    }

    /**
     * Whether something failed since its table was dropped: that table is given up then, and takes no other with it.
     */
    private boolean isGivenUp(UUID tableId, Exception failure) {
        Optional<Failure> why = plan.tables().dropped(tableId);
        why.ifPresent(dropped -> {
            log(Level.INFO, "{}: {}", name, dropped, failure);
            giveUp(tableId, dropped);
        });
        return why.isPresent();
    }

    private void giveUp(UUID tableId, Failure why) {
        post(new Event.TableGivenUp(tableId, why));
        tell(new PlanCoordinator.Event.TableFailed(number.index(), tableId, why));
    }

    private void stage(SSTableOffer offer) throws IOException {
        StagedSet.Landing landing = files.landing(offer.number());
        files.close(offer);
        StreamRequest request = requests.get(offer.tableId());
        try {
            landing.set().stage(id, landing.descriptor(), offer, request == null ? TokenRanges.NONE : request.ranges());
        } catch (StreamException e) {
            giveUp(
                    offer.tableId(),
                    plan.tables()
                            .dropped(offer.tableId())
                            .orElseGet(() -> new Failure(e.code(), landing.set().table() + " " + e.getMessage())));
            return;
        } catch (IOException e) {
            if (!isGivenUp(offer.tableId(), e)) {
                throw e;
            }
            return;
        }
        plan.tables().staged(offer.tableId(), offer.lengthBytes());
        plan.resources().traffic().staged();
        post(new Event.Staged(offer.number()));
    }

    private void openData(int connection) {
        Message hello = dialer.hello(peer, Message.Role.DATA, plan.planId(), number, connection);
        DataLink link = new DataLink(
                connection,
                peer,
                hello,
                plan.resources().links(),
                Objects.requireNonNull(memory, "before it was started"),
                limits,
                files,
                new Arrivals());
        try {
            plan.resources().links().start(link);
            data.put(connection, link);
        } catch (OutOfMemoryError e) {
            // Those that are open carry on: one thread less is no reason to give up.
            Failure why = Failure.of(e);
            post(data.isEmpty() ? new Event.Failed(why) : new Event.DataLost(connection, why.toString()));
        }
    }

    private void finish(Optional<Failure> outcome) {
        Optional<Failure> failure = outcome.map(this::withVolume);
        failure.ifPresentOrElse(
                f -> log(Level.WARN, "{}: failed: {}", name, f), () -> log(Level.INFO, "{}: complete", name));
        data.values().forEach(DataLink::close);
        if (memory != null) {
            memory.close();
        }
        if (place != null) {
            place.close();
        }
        peerMemory.give(inventoryBytes);
        inventoryBytes = 0;
        if (control != null) {
            control.close();
        }
        if (ticking != null) {
            ticking.cancel(false);
        }
        SessionProgress last = session.progress(peer, System.nanoTime());
        record.complete(last.bytesReceived(), failure.map(Failure::toString).orElse(""));
        if (failure.isPresent()) {
            plan.resources().traffic().sessionFailed();
        }
        boolean didProgress = last.bytesReceived() > last.bytesResumed();
        PlanCoordinator.Event.SessionEnded ended =
                new PlanCoordinator.Event.SessionEnded(number.index(), failure, didProgress);
        end = ended;
        hanging = mailbox.schedule(() -> endWithoutDisk(ended), PlanExecution.HUNG_SECONDS, TimeUnit.SECONDS);
        workDone();
    }

    /** The disk does not answer: the plan goes on, and what this session holds goes back when the disk does. */
    private void endWithoutDisk(PlanCoordinator.Event ended) {
        if (isEndTold.compareAndSet(false, true)) {
            log(
                    Level.WARN,
                    "{}: the disk has not answered for {} s since the session ended (busy?); it goes on without",
                    name,
                    PlanExecution.HUNG_SECONDS);
            plan.cleanAfter(cleaned);
            tell(ended);
            hanging = mailbox.schedule(this::sayStuck, STUCK_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void sayStuck() {
        if (!cleaned.isDone()) {
            log(
                    Level.ERROR,
                    "{}: the disk has not answered for {} s: it hangs, and keeps what this session had until it answers"
                            + " or the node starts again",
                    name,
                    PlanExecution.HUNG_SECONDS + STUCK_SECONDS);
        }
    }

    /** Gives everything back when nobody of this session is at work on the disk any more, and says so. */
    private void cleanUp(PlanCoordinator.Event ended) {
        try {
            files.closeAll();
        } catch (IOException e) {
            log(Level.WARN, "{}: closing staged files: {}", name, String.valueOf(e.getMessage()));
        }
        plan.tables().release(id);
        cleaned.complete(null);
        Future<?> timer = hanging;
        if (timer != null) {
            timer.cancel(false);
        }
        if (isEndTold.compareAndSet(false, true)) {
            tell(ended);
        }
    }

    private void workDone() {
        if (working.decrementAndGet() == 0) {
            PlanCoordinator.Event ended = Objects.requireNonNull(end, "ended before it was finished");
            disk.execute(() -> cleanUp(ended));
        }
    }

    /** Disk work of this session, one piece after the other where the order matters to the session. */
    private void onDisk(DiskWork work) {
        working.incrementAndGet();
        disk.execute(() -> {
            try {
                work.run();
            } catch (Throwable e) { // whatever it is: the session waits for an answer
                plan.fatal().note(e);
                log(Level.WARN, "{}: {}", name, String.valueOf(e.getMessage()), e);
                post(new Event.Failed(Failure.of(e)));
            } finally {
                workDone();
            }
        });
    }

    /** Something that a disk may refuse. */
    private interface DiskWork {
        void run() throws IOException;
    }

    /** Brings what the data connections see to the mailbox. */
    private final class Arrivals implements DataLink.Sink {
        @Override
        public void opened(int connection) {
            post(new Event.DataConnected(connection));
        }

        @Override
        public void arrived(int connection, Extent extent, long crc32) {
            try {
                files.landed(extent, crc32);
                post(new Event.Arrived(connection, extent, crc32));
            } catch (IOException e) {
                failed(e);
            }
        }

        @Override
        public void lost(int connection, String reason) {
            mailbox.execute(() -> {
                data.remove(connection);
                on(new Event.DataLost(connection, reason));
            });
        }

        @Override
        public void failed(Throwable cause) {
            post(new Event.Failed(Failure.of(cause)));
        }
    }

    /** Brings what the control connection says to the mailbox. */
    private final class Control implements Connection.Listener {
        private final Inbox inbox = new Inbox(mailbox, peerMemory);

        @Override
        public void onMessage(Connection connection, Message message) {
            inbox.post(connection, message, paid -> {
                if (standing != null) {
                    standing.heard(System.nanoTime());
                }
                on(new Event.Received(message));
                boolean isKept = message instanceof Message.PrepareSynAck
                        && !session.state().isFinal();
                inventoryBytes += isKept ? paid : 0;
                return isKept ? paid : 0;
            });
        }

        @Override
        public void onError(Connection connection, Throwable cause) {
            connection.channel().config().setAutoRead(false);
            post(new Event.Failed(Failure.of(cause)));
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            post(new Event.PeerLost("control connection: " + reason));
        }
    }
}
