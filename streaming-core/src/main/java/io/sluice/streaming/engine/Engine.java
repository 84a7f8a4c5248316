package io.sluice.streaming.engine;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.engine.receive.PlanExecution;
import io.sluice.streaming.engine.receive.Receiving;
import io.sluice.streaming.engine.receive.ReceivingResources;
import io.sluice.streaming.engine.receive.SpansRequest;
import io.sluice.streaming.engine.send.HeldSpans;
import io.sluice.streaming.engine.send.OfferFactory;
import io.sluice.streaming.engine.send.Pins;
import io.sluice.streaming.engine.send.Sending;
import io.sluice.streaming.engine.send.SendingSessions;
import io.sluice.streaming.install.CompletePlans;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.memory.SendingMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.metrics.WaitSample;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SendingProgress;
import io.sluice.streaming.progress.SessionProgress;
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
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The engine of one node: executes stream plans, and serves the sessions of peers. It decides; what it needs of the
 * world it has from its {@link NodeContext}. The same engine runs on sockets and in the simulation.
 *
 * <p>Thread-safe.
 */
public final class Engine {
    private final NodeContext node;
    private final Sending sending;
    private final SendingSessions sessions;
    private final Receiving receiving;
    private final Plans plans;
    private final Plannings plannings;

    /**
     * How a node streams.
     *
     * @param retries of sessions that fail
     * @param sessions makes the settings of the next session that receives
     * @param schemaTimeout how long a table may be unknown here before a plan is refused it
     * @param sending memory for sessions that send
     * @param sessionsPerPeer at once, in each direction, at least 1
     * @param pinnedPercent of the volume that files may take that only pins keep alive
     * @param isRemote whether a peer is in another data centre
     * @param finished notified of the result of each plan, once, after all else
     * @param activity notified of sessions and tables
     */
    public record Settings(
            RetryPolicy retries,
            Supplier<SessionSettings> sessions,
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
     * @param files where live files lie
     * @param offering how pinned SSTables become offers
     * @param room what receiving sessions share
     * @param complete plans that this node has executed before
     */
    public Engine(
            NodeContext node,
            Disk files,
            OfferFactory offering,
            ReceivingResources room,
            CompletePlans complete,
            Settings settings) {
        this.node = node;
        this.sending = new Sending(
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
        this.receiving = new Receiving(
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

    /** What its parts share. */
    public NodeContext node() {
        return node;
    }

    /**
     * Accepts a channel whose handshake is complete, for what its hello says that it is. On the thread of the channel.
     *
     * @param details of the channel, for the log
     * @return from now on handles what the channel brings
     * @throws io.sluice.streaming.StreamException if there is no such session, or no room for one more
     */
    public PeerChannel.Listener accept(PeerChannel channel, Message.Hello hello, String details) {
        return sessions.accept(channel, hello, details);
    }

    /** Executes a plan, unless it was executed before, or fetches what another one is fetching. */
    public CompletableFuture<PlanResult> execute(StreamPlan plan) {
        return plans.execute(plan);
    }

    /**
     * Asks all who may send what a change needs, and plans; fails with a {@link io.sluice.streaming.StreamException}.
     */
    public CompletableFuture<TopologyPlan> plan(TopologyChange change, Map<TableRef, Ring> rings) {
        return plannings.plan(change, rings);
    }

    /** Executes what this node has to fetch by a plan that it has made. */
    public CompletableFuture<PlanResult> execute(TopologyPlan plan) {
        return execute(plan.streamPlan(plan.id(), node.self()));
    }

    /** A sample of each session of a plan; none if there is no such plan. */
    public CompletableFuture<List<SessionProgress>> progress(UUID planId) {
        return plans.progress(planId);
    }

    /** Ends a plan, if it runs; what is committed stays so. */
    public void cancel(UUID planId, String reason) {
        plans.order(planId, plan -> plan.cancel(reason));
    }

    /** Asks for nothing more of a plan, if it runs, until it is resumed. */
    public void pause(UUID planId) {
        plans.order(planId, PlanExecution::pause);
    }

    /** Goes on with a plan that was paused. */
    public void resume(UUID planId) {
        plans.order(planId, PlanExecution::resume);
    }

    /** A sample of each session in which this node sends. */
    public CompletableFuture<List<SendingProgress>> sending() {
        return CompletableFuture.supplyAsync(
                sessions::progress, node.environment().loop());
    }

    /** What it streams now, from any thread. */
    public CompletableFuture<StreamActivity> sample() {
        return CompletableFuture.supplyAsync(this::activity, node.environment().loop());
    }

    /** What it streams now. On the loop. */
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

    /** What {@code source} says that it holds of {@code ranges}. */
    public CompletableFuture<Map<TableRef, List<SSTableSpan>>> spans(Node source, Map<TableRef, TokenRanges> ranges) {
        return SpansRequest.send(source, ranges, node);
    }

    /** What is pinned for peers. */
    public Pins pins() {
        return sending.pins();
    }

    /** How full is what its sessions share. */
    public List<QueueSample> queues() {
        QueueSample sources = new QueueSample(
                "sources.waiting", "sessions", node.traffic().forSources().count(), QueueSample.OF_ITS_USERS);
        return Stream.of(receiving.room().queues(), List.of(sources), sessions.queues())
                .flatMap(List::stream)
                .toList();
    }

    /** For how long somebody waits in those of its queues that have an order. */
    public List<WaitSample> queueWaits() {
        long now = node.nanoTime();
        return List.of(
                new WaitSample("disk", node.environment().disk().waits().oldestNanos(now)),
                new WaitSample("install", node.environment().installs().waits().oldestNanos(now)),
                new WaitSample("receiving.waiting", node.traffic().forMemory().oldestNanos(now)),
                new WaitSample("sources.waiting", node.traffic().forSources().oldestNanos(now)));
    }

    /**
     * Fails all plannings, all sessions in which this node sends, and all plans; completes when the plans have ended.
     */
    public CompletableFuture<Void> cancelAll(String reason) {
        plannings.cancelAll(reason);
        sessions.cancelAll(reason);
        return plans.cancelAll(reason);
    }
}
