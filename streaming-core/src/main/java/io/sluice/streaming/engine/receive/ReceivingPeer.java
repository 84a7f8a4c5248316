package io.sluice.streaming.engine.receive;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.access.AccessRecheck;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.install.SetOverException;
import io.sluice.streaming.install.StagedExtent;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.Message.SessionNumber;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.metrics.Activity;
import io.sluice.streaming.metrics.SessionFlightEvent;
import io.sluice.streaming.metrics.TableBytes;
import io.sluice.streaming.metrics.Waits;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.Wait;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Node.Location;
import io.sluice.streaming.runtime.DataChannel;
import io.sluice.streaming.runtime.InboundQueue;
import io.sluice.streaming.runtime.Network;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.session.ReceivingSession.Action;
import io.sluice.streaming.session.ReceivingSession.Event;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.throttle.CombinedThrottle;
import io.sluice.streaming.transfer.block.DataReceiver;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Performs the actions of one attempt of a {@link ReceivingSession}: sends its messages, opens its connections, stages
 * its files. Makes no decisions. Long because each action of the session is performed here.
 *
 * <p>Confined to the loop; disk work runs on {@code disk} and comes back as an event.
 */
final class ReceivingPeer {
    private static final Logger LOG = LoggerFactory.getLogger(ReceivingPeer.class);
    /** A disk that does not answer for this long is considered stuck. */
    private static final long STUCK_SECONDS = 60;

    private final UUID id;
    private final PlanExecution plan;
    private final SessionNumber number;
    private final LogKeys keys;
    private final Node peer;
    private final String name;
    private final Map<UUID, StreamRequest> requests = new HashMap<>();
    private final ReceivingSession session;
    private final NodeContext node;
    private final ReceivingResources resources;
    private final StagedFiles files;
    private final SessionFlightEvent record;
    private final CombinedThrottle limits;
    private final Map<Integer, DataChannel> data = new HashMap<>();
    private final SessionEnd end = new SessionEnd();
    private final CompletableFuture<Void> cleaned = new CompletableFuture<>();
    /** Charged for data that the source makes this node keep. */
    private final PeerMemory peerMemory;

    private SourceSlots.@Nullable Slot place;
    private Buffers.@Nullable BufferLease memory;
    private final boolean keepsLevel;
    private @Nullable PeerChannel control;
    private @Nullable AccessRecheck standing;
    private final Instant started;
    private Optional<Instant> ended = Optional.empty();
    /** Whether the source ended the session. */
    private boolean isSaidByPeer;

    private long reportedBytes;
    private long inventoryBytes;
    private long grantedBytes = Message.StreamInit.ANY_ROOM;
    private @Nullable Timer ticking;
    private Activity.@Nullable Run running;
    private Waits.@Nullable Wait waiting;
    private volatile @Nullable Timer hanging;

    ReceivingPeer(PlanExecution plan, Operation operation, PlanCoordinator.Action.Open open) {
        this.plan = plan;
        this.keepsLevel = operation.keepsLevel();
        this.node = plan.receiving().node();
        this.resources = plan.receiving().room();
        this.started = node.now();
        this.id = node.environment().ids().get();
        this.number = new SessionNumber(open.session(), open.attempt());
        this.peer = open.source();
        this.keys = LogKeys.of(plan.planId(), peer.id());
        this.name = "plan " + plan.planId() + " session " + open.session() + " with " + peer;
        this.peerMemory = node.inventory().of(peer.id());
        this.files = new StagedFiles(
                resources.writeBack(), resources.openFiles(), e -> post(new Event.Failed(Failure.of(e))));
        Location here = node.self().location();
        boolean isRemote = !here.dc().equals(peer.location().dc());
        this.limits = node.throttles().inbound(isRemote, node.nanoTime());
        this.record = new SessionFlightEvent(plan.planId().toString(), peer.id().toString(), "in");
        open.requests().forEach(request -> this.requests.put(request.table().id(), request));
        List<Message.TableRequest> wire = open.requests().stream()
                .map(request -> new Message.TableRequest(
                        request.table().id(), plan.tables().schemaDigest(request.table()), request.ranges()))
                .toList();
        this.session = new ReceivingSession(
                operation, peer.name(), wire, plan.receiving().sessions().get(), node.nanoTime());
    }

    /** The owner id of staged files: this attempt. */
    UUID id() {
        return id;
    }

    /** The session and attempt. */
    StreamActivity.Session session() {
        return new StreamActivity.Session(
                plan.planId(),
                peer.id(),
                StreamActivity.Direction.RECEIVING,
                number.index(),
                number.attempt(),
                started);
    }

    /** The keys of its log lines. */
    LogKeys keys() {
        return keys;
    }

    /** The address of the source. */
    String address() {
        return peer.address().host();
    }

    /** Includes bytes of extents that are arriving; reported progress never decreases. */
    SessionProgress progress() {
        SessionProgress sample = sample();
        long landing =
                data.values().stream().mapToLong(DataChannel::arrivingBytes).sum();
        reportedBytes = Math.max(reportedBytes, Math.min(sample.bytesTotal(), sample.bytesReceived() + landing));
        SessionProgress now = sample.receiving(Math.max(reportedBytes, sample.bytesReceived()));
        if (session.state().isFinal()) {
            return now;
        }
        if (place != null && !place.isGranted()) {
            return now.pausing(new Wait(
                    Waiting.SLOT, started, Optional.empty(), resources.places().why()));
        }
        boolean isWaiting = memory != null && !memory.isGranted();
        return isWaiting
                ? now.pausing(new Wait(
                        Waiting.MEMORY,
                        started,
                        Optional.empty(),
                        resources.buffers().why()))
                : now;
    }

    /** How much is received of each table that was offered. */
    List<TableProgress> receivedTables() {
        return session.receivedTables();
    }

    private SessionProgress sample() {
        return session.progress(
                new ReceivingSession.Attempt(peer, number.attempt(), started, ended), node.nanoTime(), node.now());
    }

    /** Begins as soon as there is a slot at the source and memory; until then no deadline runs. */
    void start() {
        plan.receiving().activity().sessionOpened(session());
        guarded(() -> {
            running = node.traffic().incoming().begin(node.nanoTime());
            waiting = node.traffic().forSources().begin(node.nanoTime());
            place = resources.places().enter(peer.id(), () -> node.onLoop(() -> guarded(this::sit)));
        });
    }

    private void sit() {
        if (!session.state().isFinal()) {
            waitNoMore();
            waiting = node.traffic().forMemory().begin(node.nanoTime());
            memory = resources.buffers().lease(() -> node.onLoop(() -> guarded(this::connect)));
        }
    }

    private void waitNoMore() {
        if (waiting != null) {
            waiting.end();
        }
    }

    /** A source can cause any number of lines: a few of each kind are written per minute. */
    private void log(Level level, String format, Object... arguments) {
        node.log().write(LOG, level, address(), format, arguments);
    }

    private void connect() {
        if (session.state().isFinal()) {
            return;
        }
        waitNoMore();
        log(Level.INFO, "{}: connecting to {}, attempt {}", name, peer.address(), number.attempt() + 1);
        long period = node.deadlines().heartbeat().toNanos() / 2;
        ticking = node.environment().loop().every(period, () -> on(new Event.Tick()));
        if (plan.hasReceived()) {
            dial(Message.StreamInit.ANY_ROOM); // received data occupies space already, and is not fetched again
        } else {
            onDisk(() -> {
                long freeBytes = node.staging().roomBytes();
                node.onLoop(() -> guarded(() -> dial(freeBytes)));
            });
        }
    }

    private void dial(long freeBytes) {
        grantedBytes = freeBytes;
        if (session.state().isFinal()) {
            return;
        }
        node.environment().network().dial(peer, purpose(Message.Role.CONTROL), new Control(), new Network.Answer() {
            @Override
            public void connected(PeerChannel channel) {
                channel.charge(peerMemory);
                node.onLoop(() -> guarded(() -> welcomed(channel, freeBytes)));
            }

            @Override
            public void failed(StreamException reason) {
                post(new Event.Failed(Failure.of(reason)));
            }
        });
    }

    private Network.Purpose purpose(Message.Role role) {
        return new Network.Purpose(role, plan.planId(), number);
    }

    private void welcomed(PeerChannel channel, long freeBytes) {
        if (session.state().isFinal()) {
            channel.close();
            return;
        }
        control = channel;
        standing = new AccessRecheck(channel.peer(peer.id()), access(), this::revoked, node.nanoTime());
        onDisk(() -> authorize(channel.peer(peer.id()), freeBytes));
    }

    private AccessControl access() {
        return node.access();
    }

    private void revoked(String why) {
        post(new Event.Failed(new Failure(ErrorCode.DENIED, peer + " may not be connected any more: " + why)));
    }

    /** Continues with the tables that this source may offer. On a disk thread. */
    private void authorize(Peer source, long freeBytes) {
        for (StreamRequest request : requests.values()) {
            LogKeys.Scope scope = keys.withTable(request.table()).enter();
            try {
                access().require(
                                source,
                                new AuditEvent.TableAccess(
                                        plan.planId(),
                                        "offer",
                                        request.table(),
                                        request.ranges().ranges().size()),
                                authorizer ->
                                        authorizer.mayOffer(source, plan.planId(), request.table(), request.ranges()));
            } catch (StreamException denied) {
                abandon(request.table().id(), Failure.of(denied));
            } finally {
                scope.leave();
            }
        }
        post(new Event.Connected(new ReceiverFeatures(true, node.staging().buildsIndexes(), true), freeBytes));
    }

    /** Handles one event; on the loop only. An exception ends this session only. */
    void on(Event event) {
        try {
            step(event);
        } catch (Throwable e) {
            keys.run(() -> defective(e));
        }
    }

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

    private void defective(Throwable cause) {
        plan.fatal().note(cause);
        log(Level.ERROR, "{}: a step failed", name, cause);
        Failure failure = Failure.of(cause);
        try {
            step(new Event.Failed(failure));
        } catch (Throwable again) {
            log(Level.ERROR, "{}: ended immediately, because ending it failed", name, again);
            finish(Optional.of(failure));
        }
    }

    /** Events of received bytes cause no log lines, so they set no keys. */
    private void step(Event event) {
        ReceivingSession.State before = session.state();
        List<Action> actions = session.on(event, node.nanoTime());
        if (session.state() == before && movesOnly(actions)) {
            actions.forEach(this::perform);
            return;
        }
        LogKeys.Scope scope = keys.enter();
        try {
            logChange(before, event);
            actions.forEach(this::perform);
        } finally {
            scope.leave();
        }
    }

    private LongConsumer counter(SSTableOffer offer, StagedSet set) {
        TableBytes.Count count = node.traffic()
                .receivedByTable()
                .of(
                        offer.choice().mode().name().toLowerCase(Locale.ROOT),
                        set.table().toString());
        return bytes -> {
            node.traffic().received(bytes);
            count.add(bytes);
        };
    }

    private static boolean movesOnly(List<Action> actions) {
        for (Action action : actions) {
            if (!(action instanceof Action.Fetch)) {
                return false;
            }
        }
        return true;
    }

    private void logChange(ReceivingSession.State before, Event event) {
        if (session.state() != before) {
            log(
                    Level.INFO,
                    "{}: {} -> {} by {}: {}",
                    name,
                    before,
                    session.state(),
                    event.getClass().getSimpleName(),
                    session.state() == ReceivingSession.State.FAILED ? "it fails" : session.because());
        }
    }

    private void post(Event event) {
        node.onLoop(() -> on(event));
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
            DataChannel link = data.get(a.connection());
            if (link != null) { // otherwise it is lost, and the session is notified
                link.fetch(a.extents());
            }
        } else if (action instanceof Action.Forget a) {
            StagedSet.Landing landing = files.landing(a.offer());
            landing.set().forget(landing.descriptor(), a.component());
        } else if (action instanceof Action.Stage a) {
            onDisk(() -> stage(a.offer()));
        } else if (action instanceof Action.TableLanded a) {
            post(new PlanCoordinator.Event.TableLanded(number.index(), a.tableId()));
        } else if (action instanceof Action.TableFailed a) {
            aboutTable(a.tableId())
                    .run(() -> log(Level.WARN, "{}: continues without table {}: {}", name, a.tableId(), a.why()));
            post(new PlanCoordinator.Event.TableFailed(number.index(), a.tableId(), a.why()));
        } else if (action instanceof Action.Warn a) {
            log(Level.WARN, "{}: {}", name, a.what());
        } else if (action instanceof Action.Finish a) {
            finish(a.failure());
        } else {
            throw new AssertionError("no rule for " + action);
        }
    }

    /** Adds the local staging path to a lack of space, which the source cannot know: an operator needs it. */
    private Failure withVolume(Failure failure) {
        String staging = node.staging().roots().stream().map(Path::toString).collect(Collectors.joining(", "));
        if (failure.code() != ErrorCode.DISK_FULL || !isSaidByPeer) {
            return failure;
        }
        String here = grantedBytes == Message.StreamInit.ANY_ROOM
                ? "staging of this node is " + staging
                : "the receiver had granted " + grantedBytes + " bytes in " + staging;
        return new Failure(failure.code(), failure.reason() + "; " + here);
    }

    /** The keys of lines about one requested table. */
    private LogKeys aboutTable(UUID tableId) {
        StreamRequest request = requests.get(tableId);
        return keys.withTable(request == null ? tableId : request.table());
    }

    /** Posts an event of the plan after all decisions of this session so far. */
    private void post(PlanCoordinator.Event event) {
        node.onLoop(() -> plan.on(event));
    }

    private List<StagedExtent> prepare(List<SSTableOffer> offers) throws IOException {
        List<StagedExtent> held = new ArrayList<>();
        Set<UUID> dropped = new HashSet<>();
        for (SSTableOffer offer : offers) {
            if (dropped.contains(offer.tableId())) {
                continue;
            }
            LogKeys.Scope scope = aboutTable(offer.tableId()).enter();
            try {
                StagedSet set = plan.tables().set(offer.tableId());
                StagedSet.Landing landing =
                        set.land(id, offer, () -> plan.tables().newDescriptor(set.table(), offer));
                files.add(landing, counter(offer, set));
                held.addAll(landing.held());
            } catch (IOException | RuntimeException e) {
                if (!isAbandoned(offer.tableId(), e)) {
                    throw e;
                }
                dropped.add(offer.tableId());
            } finally {
                scope.leave();
            }
        }
        return held;
    }

    /**
     * Whether a failure is due to a table that was dropped, or is live already because other sources sent it. Then only
     * that table is abandoned.
     */
    private boolean isAbandoned(UUID tableId, Exception failure) {
        if (failure instanceof SetOverException over && plan.tables().isOver(tableId)) {
            Failure tooLate = new Failure(ErrorCode.DISCARDED, String.valueOf(over.getMessage()));
            log(Level.INFO, "{}: {}", name, tooLate);
            abandon(tableId, tooLate);
            return true;
        }
        Optional<Failure> why = plan.tables().dropped(tableId);
        why.ifPresent(dropped -> {
            log(Level.INFO, "{}: {}", name, dropped, failure);
            abandon(tableId, dropped);
        });
        return why.isPresent();
    }

    private void abandon(UUID tableId, Failure why) {
        post(new Event.TableAbandoned(tableId, why));
        post(new PlanCoordinator.Event.TableFailed(number.index(), tableId, why));
    }

    private void stage(SSTableOffer offer) throws IOException {
        LogKeys.Scope scope = aboutTable(offer.tableId()).enter();
        try {
            stageLogged(offer);
        } finally {
            scope.leave();
        }
    }

    private void stageLogged(SSTableOffer offer) throws IOException {
        StagedSet.Landing landing = files.landing(offer.number());
        StreamRequest request = requests.get(offer.tableId());
        try {
            files.close(offer);
            TokenRanges ranges = request == null ? TokenRanges.NONE : request.ranges();
            landing.set().stage(id, landing.descriptor(), offer, new StagedSet.Wanted(ranges, keepsLevel));
        } catch (StreamException e) {
            abandon(
                    offer.tableId(),
                    plan.tables()
                            .dropped(offer.tableId())
                            .orElseGet(() -> new Failure(e.code(), landing.set().table() + " " + e.getMessage())));
            return;
        } catch (IOException e) {
            if (!isAbandoned(offer.tableId(), e)) {
                throw e;
            }
            return;
        }
        plan.tables().staged(offer.tableId(), id, offer.lengthBytes());
        node.traffic().staged();
        post(new Event.Staged(offer.number()));
    }

    private void openData(int connection) {
        try {
            DataChannel opening = node.environment()
                    .network()
                    .fetchFrom(peer, purpose(Message.Role.DATA), connection, new DataConnectionReceiver(connection));
            data.put(connection, opening);
        } catch (OutOfMemoryError | StreamException e) {
            // The open connections continue with one thread less.
            Failure why = Failure.of(e);
            post(data.isEmpty() ? new Event.Failed(why) : new Event.DataLost(connection, why.toString()));
        }
    }

    private void finish(Optional<Failure> outcome) {
        Optional<Failure> failure = outcome.map(this::withVolume);
        failure.ifPresentOrElse(
                f -> log(Level.WARN, "{}: failed: {}", name, f), () -> log(Level.INFO, "{}: complete", name));
        waitNoMore();
        if (running != null) {
            running.end(failure.map(Failure::code), node.nanoTime());
        }
        data.values().forEach(DataChannel::close);
        if (memory != null) {
            memory.close();
        }
        if (place != null) {
            place.close();
        }
        peerMemory.release(inventoryBytes);
        inventoryBytes = 0;
        if (control != null) {
            control.close();
        }
        if (ticking != null) {
            ticking.cancel();
        }
        ended = Optional.of(node.now());
        SessionProgress last = sample();
        record.complete(last.bytesReceived(), failure.map(Failure::toString).orElse(""));
        if (failure.isPresent()) {
            node.traffic().sessionFailed();
        }
        plan.receiving()
                .activity()
                .sessionEnded(
                        session(),
                        last.bytesReceived() - last.bytesResumed(),
                        failure.map(why -> why.asResult(Optional.of(peer.id()), node.now())));
        boolean didProgress = last.bytesReceived() > last.bytesResumed();
        PlanCoordinator.Event.SessionEnded ended =
                new PlanCoordinator.Event.SessionEnded(number.index(), failure, didProgress);
        hanging = node.environment()
                .loop()
                .after(TimeUnit.SECONDS.toNanos(PlanExecution.HUNG_SECONDS), keys.around(this::endWithoutDisk));
        if (end.over(ended)) {
            node.environment().disk().execute(this::cleanUp);
        }
    }

    /** The disk does not answer: the plan continues, and this session releases its resources when the disk answers. */
    private void endWithoutDisk() {
        end.overdue().ifPresent(ended -> {
            log(
                    Level.WARN,
                    "{}: the disk has not answered for {} s since the session ended (busy?); the plan continues without it",
                    name,
                    PlanExecution.HUNG_SECONDS);
            plan.cleanAfter(cleaned);
            post(ended);
            hanging = node.environment()
                    .loop()
                    .after(TimeUnit.SECONDS.toNanos(STUCK_SECONDS), keys.around(this::warnStuck));
        });
    }

    private void warnStuck() {
        if (!end.isClosed()) {
            log(
                    Level.ERROR,
                    "{}: the disk has not answered for {} s: it is stuck; the resources of this session stay in use until it answers"
                            + " or the node restarts",
                    name,
                    PlanExecution.HUNG_SECONDS + STUCK_SECONDS);
        }
    }

    /** Releases everything when no disk task of this session is running any more, and notifies the plan. */
    private void cleanUp() {
        try {
            files.closeAll();
        } catch (IOException e) {
            log(Level.WARN, "{}: cannot close staged files: {}", name, String.valueOf(e.getMessage()));
        }
        plan.tables().release(id);
        Optional<PlanCoordinator.Event.SessionEnded> unsaid = end.closed();
        cleaned.complete(null);
        Timer timer = hanging;
        if (timer != null) {
            timer.cancel();
        }
        unsaid.ifPresent(this::post);
    }

    /** Runs disk work of this session; sequentially where the session requires an order. */
    private void onDisk(DiskWork work) {
        end.taskBegins();
        node.environment().disk().execute(() -> {
            try {
                if (!end.isClosed()) { // otherwise its resources would never be released
                    work.run();
                }
            } catch (Throwable e) { // any exception: the session waits for an answer
                plan.fatal().note(e);
                log(Level.WARN, "{}: {}", name, String.valueOf(e.getMessage()), e);
                post(new Event.Failed(Failure.of(e)));
            } finally {
                if (end.taskEnds()) {
                    cleanUp();
                }
            }
        });
    }

    /** Work that may fail with an IOException. */
    private interface DiskWork {
        void run() throws IOException;
    }

    /** Receives the data of one data connection, and posts events to the loop. */
    private final class DataConnectionReceiver implements DataReceiver {
        private final int connection;

        DataConnectionReceiver(int connection) {
            this.connection = connection;
        }

        @Override
        public ByteBuffer takeBuffer() throws InterruptedIOException {
            return leaseBuffer().take();
        }

        @Override
        public void releaseBuffer(ByteBuffer buffer) {
            leaseBuffer().release(buffer);
        }

        @Override
        public CombinedThrottle limits() {
            return limits;
        }

        @Override
        public void opened() {
            post(new Event.DataConnected(connection));
        }

        @Override
        public Landing begin(Extent extent) throws IOException {
            return files.enter(extent);
        }

        @Override
        public void received(Extent extent, long crc32) {
            try {
                files.landed(extent, crc32);
                post(new Event.ExtentReceived(connection, extent, crc32));
            } catch (IOException e) {
                failed(e);
            }
        }

        @Override
        public void lost(String reason) {
            node.onLoop(() -> {
                data.remove(connection);
                on(new Event.DataLost(connection, reason));
            });
        }

        @Override
        public void failed(Throwable cause) {
            post(new Event.Failed(Failure.of(cause)));
        }
    }

    private Buffers.BufferLease leaseBuffer() {
        return Objects.requireNonNull(memory, "before it was started");
    }

    /** Posts messages of the control channel to the loop. */
    private final class Control implements PeerChannel.Listener {
        private final InboundQueue inbound = new InboundQueue(node.environment().loop(), peerMemory);

        @Override
        public void onMessage(PeerChannel channel, Message message) {
            inbound.post(channel, message, paid -> {
                if (standing != null) {
                    standing.messageReceived(node.nanoTime());
                }
                isSaidByPeer |= message instanceof Message.SessionFailed;
                on(new Event.Received(message));
                boolean isKept = message instanceof Message.PrepareSynAck
                        && !session.state().isFinal();
                inventoryBytes += isKept ? paid : 0;
                return isKept ? paid : 0;
            });
        }

        @Override
        public void onError(PeerChannel channel, Throwable cause) {
            channel.read(false);
            post(new Event.Failed(Failure.of(cause)));
        }

        @Override
        public void onEnd(PeerChannel channel, String reason) {
            post(new Event.PeerLost("control connection: " + reason));
        }
    }
}
