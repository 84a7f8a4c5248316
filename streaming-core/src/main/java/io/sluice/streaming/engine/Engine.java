package io.sluice.streaming.engine;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.engine.receive.PlanExecution;
import io.sluice.streaming.engine.receive.ReceivingContext;
import io.sluice.streaming.engine.receive.ReceivingResources;
import io.sluice.streaming.engine.receive.SpansRequest;
import io.sluice.streaming.engine.send.HeldSpans;
import io.sluice.streaming.engine.send.OfferFactory;
import io.sluice.streaming.engine.send.Pins;
import io.sluice.streaming.engine.send.SendingContext;
import io.sluice.streaming.engine.send.SendingSessions;
import io.sluice.streaming.install.CompletePlans;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.memory.SendingMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.metrics.WaitSample;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.runtime.ActivityListener;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.store.TableRef;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The engine of one node: executes stream plans, and serves the sessions of peers. It decides; clock, network, disk and
 * database come from its {@link NodeContext}. The same engine runs on sockets and in the simulation.
 *
 * <p>Thread-safe.
 */
public final class Engine {
    private final NodeContext node;
    private final SendingContext sending;
    private final SendingSessions sessions;
    private final ReceivingContext receiving;
    private final Plans plans;
    private final Plannings plannings;

    /**
     * The settings of an engine.
     *
     * @param retries of sessions that fail
     * @param sessions the settings of the next receiving session
     * @param schemaTimeout how long a plan waits for a table that is unknown here
     * @param sending memory for sending sessions
     * @param sessionsPerPeer concurrent sessions with one peer in each direction, at least 1
     * @param pinnedPercent percentage of a volume that files may occupy which only pins keep alive
     * @param isRemote whether a peer is in another data centre
     * @param finished notified of the result of each plan once, as the last call for the plan
     * @param activity notified of sessions and tables
     */
    public record Settings(
            RetryPolicy retries,
            Function<Operation, SessionSettings> sessions,
            Duration schemaTimeout,
            SendingMemory sending,
            int sessionsPerPeer,
            int pinnedPercent,
            Predicate<UUID> isRemote,
            Consumer<PlanResult> finished,
            ActivityListener activity) {}

    /**
     * Nothing runs yet.
     *
     * @param files the disk with the live files
     * @param offering creates offers of pinned SSTables
     * @param room resources that receiving sessions share
     * @param complete plans that this node executed before
     */
    public Engine(
            NodeContext node,
            Disk files,
            OfferFactory offering,
            ReceivingResources room,
            CompletePlans complete,
            Settings settings) {
        this.node = node;
        this.sending = new SendingContext(
                node,
                files,
                new Pins(
                        node.store(),
                        files,
                        settings.pinnedPercent(),
                        node.serial(),
                        node.environment().disk()),
                offering,
                settings.sending(),
                settings.isRemote(),
                settings.sessionsPerPeer(),
                settings.activity());
        this.sessions = new SendingSessions(sending);
        this.receiving = new ReceivingContext(
                node,
                room,
                settings.retries(),
                settings.sessions(),
                settings.schemaTimeout(),
                settings.finished(),
                settings.activity());
        this.plans = new Plans(complete, receiving);
        this.plannings = new Plannings(node, settings.retries(), new HeldSpans(node, sending.pins()));
    }

    /** The context that its parts share. */
    public NodeContext node() {
        return node;
    }

    /**
     * Accepts a channel whose handshake is complete, for the role in its hello. On the thread of the channel.
     *
     * @param details of the channel, for the log
     * @return the listener of the channel from now on
     * @throws io.sluice.streaming.StreamException if the session does not exist, or a limit is reached
     */
    public PeerChannel.Listener accept(PeerChannel channel, Message.Hello hello, String details) {
        return sessions.accept(channel, hello, details);
    }

    /** Executes a plan, unless it was executed before or overlaps a running plan. */
    public CompletableFuture<PlanResult> execute(StreamPlan plan) {
        return plans.execute(plan);
    }

    /**
     * Queries all possible sources of a change, and plans it; fails with a {@link io.sluice.streaming.StreamException}.
     */
    public CompletableFuture<TopologyPlan> plan(TopologyChange change, Map<TableRef, Ring> rings) {
        return plannings.plan(change, rings);
    }

    /** Executes this node's part of a plan that it has made. */
    public CompletableFuture<PlanResult> execute(TopologyPlan plan) {
        return execute(plan.streamPlan(plan.id(), node.self()));
    }

    /** A sample of each session of a plan; empty if the plan is unknown. */
    public CompletableFuture<List<SessionProgress>> progress(UUID planId) {
        return plans.progress(planId);
    }

    /** How much a running plan has received of each table; empty if it does not run. */
    public CompletableFuture<List<TableProgress>> receivedTables(UUID planId) {
        return plans.receivedTables(planId);
    }

    /** Cancels a plan if it is running; committed tables stay committed. */
    public void cancel(UUID planId, String reason) {
        plans.order(planId, plan -> plan.cancel(reason));
    }

    /** Pauses a plan if it is running: it requests nothing more until it is resumed. */
    public void pause(UUID planId) {
        plans.order(planId, PlanExecution::pause);
    }

    /** Resumes a paused plan. */
    public void resume(UUID planId) {
        plans.order(planId, PlanExecution::resume);
    }

    /** Makes a plan more or less urgent if it is running. */
    public void prioritize(UUID planId, Priority priority) {
        plans.order(planId, plan -> plan.prioritize(priority));
    }

    /** A sample of each session in which this node sends. */
    public CompletableFuture<List<SendingProgress>> sending() {
        return node.ask(sessions::progress);
    }

    /** The current activity; from any thread. */
    public CompletableFuture<StreamActivity> sample() {
        return node.ask(this::activity);
    }

    /** The current activity. On the loop. */
    public StreamActivity activity() {
        return new StreamActivity(node.now(), plans.receiving(), sessions.progress());
    }

    /** What each session waits for. On the loop. */
    public Map<StreamActivity.Session, StreamActivity.Wait> waits() {
        Map<StreamActivity.Session, StreamActivity.Wait> waits = new HashMap<>();
        plans.addWaits(waits);
        sessions.addWaits(waits);
        return waits;
    }

    /** The SSTables that {@code source} reports for {@code ranges}. */
    public CompletableFuture<Map<TableRef, List<SSTableSpan>>> spans(Node source, Map<TableRef, TokenRanges> ranges) {
        return SpansRequest.send(source, ranges, node);
    }

    /** The pins held for peers. */
    public Pins pins() {
        return sending.pins();
    }

    /** Fill levels of the resources that sessions share. */
    public List<QueueSample> queues() {
        QueueSample sources = new QueueSample(
                "sources.waiting", "sessions", node.traffic().forSources().count(), QueueSample.OF_ITS_USERS);
        return Stream.of(receiving.room().queues(), List.of(sources), sessions.queues())
                .flatMap(List::stream)
                .toList();
    }

    /** The longest wait in each ordered queue. */
    public List<WaitSample> queueWaits() {
        long now = node.nanoTime();
        return List.of(
                new WaitSample("disk", node.environment().disk().waits().oldestNanos(now)),
                new WaitSample("install", node.environment().installs().waits().oldestNanos(now)),
                new WaitSample("receiving.waiting", node.traffic().forMemory().oldestNanos(now)),
                new WaitSample("sources.waiting", node.traffic().forSources().oldestNanos(now)));
    }

    /**
     * Fails all plannings, sending sessions and plans because the node closes; completes when the plans have ended.
     * What they have received is retained, and the receivers of the sessions try again.
     */
    public CompletableFuture<Void> cancelAll(String reason) {
        plannings.cancelAll(reason);
        sessions.cancelAll(reason);
        return plans.cancelAll(reason);
    }

    /**
     * Completes the results of the plans that have not ended after {@link #cancelAll}, because the loop is about to
     * end. Does not wait.
     */
    public void abandonAll(String reason) {
        plans.abandonAll(reason);
    }
}
