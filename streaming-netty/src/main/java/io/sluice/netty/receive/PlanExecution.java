package io.sluice.netty.receive;

import io.sluice.netty.transport.Dialer;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running plan at the node that executes it: a session per source, one set per table. A table is installed when it
 * has landed from all its sources; one failed session ends the plan, and what is not committed by then never becomes
 * live.
 *
 * <p>Confined to the mailbox, but for {@link #set}, {@link #reserve}, {@link #landed} and {@link #newDescriptor}, which
 * run on disk threads.
 */
public final class PlanExecution {
    private static final Logger LOG = LoggerFactory.getLogger(PlanExecution.class);

    private final StreamPlan plan;
    private final Resources resources;
    private final List<ReceivingPeer> peers = new ArrayList<>();
    private final Map<UUID, TableRef> tables = new LinkedHashMap<>();
    private final Map<UUID, Integer> toLand = new HashMap<>();
    private final Map<UUID, StagedSet> sets = new HashMap<>();
    private final Map<UUID, Long> bytes = new HashMap<>();
    private final Map<UUID, PlanResult.TableResult> results = new HashMap<>();
    private final Set<UUID> installing = new HashSet<>();
    private final CompletableFuture<PlanResult> done = new CompletableFuture<>();
    private int running;
    private long reservedBytes;
    private Optional<Failure> failure = Optional.empty();

    /** What a plan works with; owned by the node. */
    public record Resources(
            Dialer dialer, DataLinks links, Executor mailbox, Executor disk, TableStore store, StagingArea staging) {}

    public PlanExecution(StreamPlan plan, Resources resources, int connectionsPerHost) {
        this.plan = plan;
        this.resources = resources;
        Map<Node, List<StreamRequest>> bySource = new LinkedHashMap<>();
        for (StreamRequest request : plan.requests()) {
            bySource.computeIfAbsent(request.source(), source -> new ArrayList<>())
                    .add(request);
            tables.put(request.table().id(), request.table());
            toLand.merge(request.table().id(), 1, Integer::sum);
        }
        bySource.forEach((source, requests) ->
                peers.add(new ReceivingPeer(this, plan.operation(), source, requests, connectionsPerHost)));
        this.running = peers.size();
    }

    UUID planId() {
        return plan.id();
    }

    Resources resources() {
        return resources;
    }

    /** Opens all sessions. */
    public void start() {
        LOG.info("plan {}: {} from {} nodes, {} tables", plan.id(), plan.operation(), peers.size(), tables.size());
        if (peers.isEmpty()) {
            finishIfDone();
        }
        peers.forEach(ReceivingPeer::start);
    }

    /** Completes, on a disk thread, when the plan has ended and everything is cleaned up. */
    public CompletableFuture<PlanResult> result() {
        return done;
    }

    /** A sample of each session. */
    public List<SessionProgress> progress() {
        return peers.stream().map(ReceivingPeer::progress).toList();
    }

    /** Ends the plan; what is committed stays so. */
    public void cancel(String reason) {
        giveUp(new Failure(ErrorCode.CANCELLED, reason));
    }

    synchronized StagedSet set(UUID tableId) throws IOException {
        StagedSet set = sets.get(tableId);
        if (set == null) {
            TableRef table = resources
                    .store()
                    .table(tableId)
                    .orElseThrow(() -> new IOException("table " + tables.get(tableId) + " is not known here any more"));
            set = resources.staging().begin(plan.id(), table);
            sets.put(tableId, set);
        }
        return set;
    }

    synchronized void reserve(long lengthBytes) throws IOException {
        resources.staging().reserve(lengthBytes);
        reservedBytes += lengthBytes;
    }

    /** Bytes that were set aside are on the disk now: no longer to be counted twice. */
    synchronized void landed(long lengthBytes) {
        resources.staging().release(lengthBytes);
        reservedBytes -= lengthBytes;
    }

    synchronized Descriptor newDescriptor(TableRef table, SSTableOffer offer) throws IOException {
        bytes.merge(table.id(), offer.lengthBytes(), Long::sum);
        return new Descriptor(offer.source().version(), resources.store().newId(table));
    }

    void tableLanded(UUID tableId) {
        if (toLand.merge(tableId, -1, Integer::sum) == 0 && failure.isEmpty()) {
            installing.add(tableId);
            resources.disk().execute(() -> {
                PlanResult.TableResult result = install(tableId);
                resources.mailbox().execute(() -> installed(tableId, result));
            });
        }
    }

    private PlanResult.TableResult install(UUID tableId) {
        TableRef table = table(tableId);
        StagedSet set;
        long length;
        synchronized (this) {
            set = sets.remove(tableId);
            length = bytes.getOrDefault(tableId, 0L);
        }
        try {
            int count = set == null ? 0 : resources.staging().install(set, UUID.randomUUID());
            LOG.info("plan {}: {} is live, {} SSTables, {} bytes", plan.id(), table, count, length);
            return new PlanResult.TableResult(table, true, count, length, "");
        } catch (IOException | RuntimeException e) {
            LOG.error("plan {}: installing {}: {}", plan.id(), table, e.getMessage(), e);
            return new PlanResult.TableResult(
                    table, false, 0, length, Failure.of(e).toString());
        }
    }

    private TableRef table(UUID tableId) {
        TableRef table = tables.get(tableId);
        if (table == null) {
            throw new IllegalStateException("table " + tableId + " is not of this plan");
        }
        return table;
    }

    private void installed(UUID tableId, PlanResult.TableResult result) {
        installing.remove(tableId);
        results.put(tableId, result);
        if (result.installed()) {
            peers.stream()
                    .filter(peer -> peer.wants(tableId))
                    .forEach(peer -> peer.on(new ReceivingSession.Event.TableInstalled(tableId)));
        } else {
            giveUp(new Failure(ErrorCode.DISK, result.reason()));
        }
        finishIfDone();
    }

    void sessionFinished(ReceivingPeer session, Node peer, Optional<Failure> outcome) {
        running--;
        outcome.ifPresent(why -> giveUp(new Failure(why.code(), "session with " + peer + ": " + why.reason())));
        finishIfDone();
    }

    private void giveUp(Failure why) {
        if (failure.isEmpty()) {
            failure = Optional.of(why);
            Failure told = new Failure(ErrorCode.CANCELLED, "the plan was given up: " + why);
            peers.forEach(peer -> peer.on(new ReceivingSession.Event.Failed(told)));
        }
    }

    private void finishIfDone() {
        if (running > 0 || !installing.isEmpty() || done.isDone()) {
            return;
        }
        resources.disk().execute(this::clean);
    }

    private void clean() {
        synchronized (this) {
            for (StagedSet set : sets.values()) {
                try {
                    resources.staging().discard(set);
                } catch (IOException e) {
                    LOG.warn("plan {}: removing staged files of {}: {}", plan.id(), set.table(), e.getMessage());
                }
            }
            sets.clear();
            resources.staging().release(reservedBytes);
            reservedBytes = 0;
            try {
                resources.staging().end(plan.id());
            } catch (IOException e) {
                LOG.warn("plan {}: removing its staging directory: {}", plan.id(), e.getMessage());
            }
        }
        resources.mailbox().execute(this::finish);
    }

    private void finish() {
        if (done.isDone()) {
            return;
        }
        String reason = failure.map(Failure::toString).orElse("not landed");
        List<PlanResult.TableResult> all = tables.values().stream()
                .map(table -> results.getOrDefault(table.id(), new PlanResult.TableResult(table, false, 0, 0, reason)))
                .toList();
        PlanResult result = new PlanResult(plan.id(), all, progress());
        LOG.info("plan {}: {}", plan.id(), result.isComplete() ? "complete" : "failed: " + reason);
        resources.disk().execute(() -> done.complete(result));
    }
}
