package io.sluice.streaming.engine.receive;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessRecheck;
import io.sluice.streaming.engine.SessionSteps;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.Message.SessionNumber;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.metrics.Activity;
import io.sluice.streaming.metrics.SessionRecord;
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
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.throttle.CombinedThrottle;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Performs the actions of one attempt of a {@link ReceivingSession}: sends its messages, opens its connections, stages
 * its files. Makes no decisions. Long because each action of the session begins here.
 *
 * <p>Confined to the loop; disk work runs on {@code disk} and comes back as an event.
 */
final class ReceivingPeer {
    private static final Logger LOG = LoggerFactory.getLogger(ReceivingPeer.class);

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
    private final SessionRecord record;
    private final SessionSteps<ReceivingSession.State, Event, Action> steps;
    private final SessionDisk disk;
    private final OfferStaging staging;
    private final ReceivingConnections data;
    /** Charged for data that the source makes this node keep. */
    private final PeerMemory peerMemory;

    private SourceSlots.@Nullable Slot place;
    private Buffers.@Nullable BufferLease memory;
    private @Nullable PeerChannel control;
    private @Nullable AccessRecheck standing;
    private final Instant started;
    private Optional<Instant> ended = Optional.empty();
    /** Whether the source ended the session. */
    private boolean isSaidByPeer;

    private long reportedBytes;
    private long stagingSteps;
    private long inventoryBytes;
    private long grantedBytes = Message.StreamInit.ANY_ROOM;
    private @Nullable Timer ticking;
    private Activity.@Nullable Run running;
    private Waits.@Nullable Wait waiting;

    ReceivingPeer(PlanExecution plan, Operation operation, PlanCoordinator.Action.Open open) {
        this.plan = plan;
        this.node = plan.receiving().node();
        this.resources = plan.receiving().room();
        this.started = node.now();
        this.id = node.environment().ids().get();
        this.number = new SessionNumber(open.session(), open.attempt());
        this.peer = open.source();
        this.keys = LogKeys.of(plan.planId(), peer.id());
        this.name = "plan " + plan.planId() + " session " + open.session() + " with " + peer;
        this.peerMemory = node.inventory().of(peer.id());
        Location here = node.self().location();
        boolean isRemote = !here.dc().equals(peer.location().dc());
        CombinedThrottle limits = node.throttles().inbound(isRemote, plan::priority, node.nanoTime());
        this.record = SessionRecord.begin(plan.planId().toString(), peer.id().toString(), "in");
        open.requests().forEach(request -> this.requests.put(request.table().id(), request));
        List<Message.TableRequest> wire = open.requests().stream()
                .map(request -> new Message.TableRequest(
                        request.table().id(), plan.tables().schemaDigest(request.table()), request.ranges()))
                .toList();
        SessionSettings settings = plan.receiving().sessions().apply(operation);
        this.session = new ReceivingSession(operation, peer.name(), wire, settings, node.nanoTime());
        this.steps = new SessionSteps<>(LOG, name, keys, this::address, node, plan.fatal(), session, new Performer());
        this.files = new StagedFiles(
                resources.writeBack(), resources.openFiles(), e -> steps.post(new Event.Failed(Failure.of(e))));
        this.disk = new SessionDisk(name, id, plan, keys, files, steps);
        this.staging =
                new OfferStaging(name, id, plan, keys, requests, operation.keepsLevel(), files, steps, this::abandon);
        this.data = new ReceivingConnections(
                peer,
                purpose(Message.Role.DATA),
                node,
                files,
                limits,
                settings.dutyPercent(),
                this::leaseBuffer,
                steps);
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
        long landing = data.arrivingBytes();
        reportedBytes = Math.max(reportedBytes, Math.min(sample.bytesTotal(), sample.bytesReceived() + landing));
        SessionProgress now = sample.receiving(Math.max(reportedBytes, sample.bytesReceived()));
        if (session.state().isFinal()) {
            return now;
        }
        if (place != null && !place.isGranted()) {
            return now.pausing(new Wait(Waiting.SLOT, started, Optional.empty(), place.why()));
        }
        if (memory != null && !memory.isGranted()) {
            return now.pausing(new Wait(Waiting.MEMORY, started, Optional.empty(), memory.why()));
        }
        return now;
    }

    /** Whether it has any bytes; asked of all sessions whenever one begins, so without what {@link #progress} adds. */
    boolean hasReceived() {
        return sample().bytesReceived() > 0 || data.arrivingBytes() > 0;
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
        steps.guarded(() -> {
            running = node.traffic().incoming().begin(node.nanoTime());
            waiting = node.traffic().forSources().begin(node.nanoTime());
            place = resources.places().enter(peer.id(), plan::priority, () -> steps.postGuarded(this::sit));
        });
    }

    private void sit() {
        if (!session.state().isFinal()) {
            waitNoMore();
            waiting = node.traffic().forMemory().begin(node.nanoTime());
            memory = resources.buffers().lease(plan::priority, () -> steps.postGuarded(this::connect));
        }
    }

    private void waitNoMore() {
        if (waiting != null) {
            waiting.end();
        }
    }

    private void connect() {
        if (session.state().isFinal()) {
            return;
        }
        waitNoMore();
        steps.log(Level.INFO, "{}: connecting to {}, attempt {}", name, peer.address(), number.attempt() + 1);
        long period = node.deadlines().heartbeat().toNanos() / 2;
        ticking = node.environment().loop().every(period, this::tick);
        if (plan.hasReceived()) {
            dial(Message.StreamInit.ANY_ROOM); // received data occupies space already, and is not fetched again
        } else {
            disk.run(() -> {
                long freeBytes = node.staging().roomBytes();
                steps.postGuarded(() -> dial(freeBytes));
            });
        }
    }

    private void tick() {
        long staged = resources.stagingSteps().get();
        if (staged > stagingSteps) {
            stagingSteps = staged;
            steps.on(new Event.Staging(staged));
        }
        steps.on(new Event.Tick());
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
                steps.postGuarded(() -> welcomed(channel, freeBytes));
            }

            @Override
            public void failed(StreamException reason) {
                steps.post(new Event.Failed(Failure.of(reason)));
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
        standing = new AccessRecheck(channel.peer(peer.id()), node.access(), this::revoked, node.nanoTime());
        disk.run(() -> {
            staging.authorize(channel.peer(peer.id()));
            steps.post(new Event.Connected(
                    new ReceiverFeatures(true, node.staging().buildsIndexes(), true), freeBytes));
        });
    }

    private void revoked(String why) {
        steps.post(new Event.Failed(new Failure(ErrorCode.DENIED, peer + " may not be connected any more: " + why)));
    }

    /** Handles one event; on the loop only. An exception ends this session only. */
    void on(Event event) {
        steps.on(event);
    }

    /** What its steps lead to. */
    private final class Performer implements SessionSteps.Performer<Action> {
        @Override
        public void perform(Action action) {
            ReceivingPeer.this.perform(action);
        }

        @Override
        public void stepped() {
            // everything is an action
        }

        @Override
        public void end(Failure failure) {
            finish(Optional.of(failure));
        }
    }

    private void perform(Action action) {
        if (action instanceof Action.Send a) {
            if (control != null) {
                control.send(a.message());
            }
        } else if (action instanceof Action.Prepare a) {
            disk.run(() -> steps.post(new Event.Prepared(staging.prepare(a.offers()))));
        } else if (action instanceof Action.OpenDataConnection a) {
            data.open(a.connection());
        } else if (action instanceof Action.Fetch a) {
            data.fetch(a.connection(), a.extents());
        } else if (action instanceof Action.Forget a) {
            StagedSet.Landing landing = files.landing(a.offer());
            landing.set().forget(landing.descriptor(), a.component());
        } else if (action instanceof Action.Stage a) {
            disk.run(() -> staging.stage(a.offer()));
        } else if (action instanceof Action.TableLanded a) {
            notifyPlan(new PlanCoordinator.Event.TableLanded(number.index(), a.tableId()));
        } else if (action instanceof Action.TableFailed a) {
            staging.aboutTable(a.tableId())
                    .run(() -> steps.log(Level.WARN, "{}: continues without table {}: {}", name, a.tableId(), a.why()));
            notifyPlan(new PlanCoordinator.Event.TableFailed(number.index(), a.tableId(), a.why()));
        } else if (action instanceof Action.Warn a) {
            steps.log(Level.WARN, "{}: {}", name, a.what());
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

    private void finish(Optional<Failure> outcome) {
        Optional<Failure> failure = outcome.map(this::withVolume);
        failure.ifPresentOrElse(
                f -> steps.log(Level.WARN, "{}: failed: {}", name, f),
                () -> steps.log(Level.INFO, "{}: complete", name));
        waitNoMore();
        if (running != null) {
            running.end(failure.map(Failure::code), node.nanoTime());
        }
        data.close();
        staging.end();
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
        long moved = Math.max(0, last.bytesReceived() - last.bytesResumed()); // resumed ones may prove damaged
        record.complete(moved, failure.map(Failure::toString).orElse(""));
        if (failure.isPresent()) {
            node.traffic().sessionFailed();
        }
        plan.receiving()
                .activity()
                .sessionEnded(session(), moved, failure.map(why -> why.asResult(Optional.of(peer.id()), node.now())));
        disk.over(new PlanCoordinator.Event.SessionEnded(number.index(), failure, moved > 0));
    }

    private void abandon(UUID tableId, Failure why) {
        steps.post(new Event.TableAbandoned(tableId, why));
        notifyPlan(new PlanCoordinator.Event.TableFailed(number.index(), tableId, why));
    }

    /** Posts an event of the plan after all decisions of this session so far. */
    private void notifyPlan(PlanCoordinator.Event event) {
        node.onLoop(() -> plan.on(event));
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
                steps.on(new Event.Received(message));
                boolean isKept = message instanceof Message.PrepareSynAck
                        && !session.state().isFinal();
                inventoryBytes += isKept ? paid : 0;
                return isKept ? paid : 0;
            });
        }

        @Override
        public void onError(PeerChannel channel, Throwable cause) {
            channel.read(false);
            steps.post(new Event.Failed(Failure.of(cause)));
        }

        @Override
        public void onEnd(PeerChannel channel, String reason) {
            steps.post(new Event.PeerLost("control connection: " + reason));
        }
    }
}
