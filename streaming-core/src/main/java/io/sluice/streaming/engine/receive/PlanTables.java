package io.sluice.streaming.engine.receive;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.install.Fence;
import io.sluice.streaming.install.InstallSummary;
import io.sluice.streaming.install.SetOverException;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.metrics.Activity;
import io.sluice.streaming.metrics.InstallFlightEvent;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult.LiveWrites;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator.Action;
import io.sluice.streaming.session.PlanCoordinator.Event;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one plan has of its tables at this node: what the database says of them and is notified, what of them lies in
 * staging, and how it becomes live. Thread-safe: called by threads that may wait for the disk and the database, those
 * that call the database by one at a time.
 */
final class PlanTables {
    private static final Logger LOG = LoggerFactory.getLogger(PlanTables.class);

    private final UUID planId;
    private final Receiving receiving;
    private final NodeContext node;
    private final VirtualMachineErrors fatal;
    private final Map<UUID, TableRef> tables = new LinkedHashMap<>();
    private final Map<UUID, Fence> fences;
    private final Map<UUID, Long> schemas = new ConcurrentHashMap<>();
    private final Map<UUID, Optional<Instant>> writesAtFirst = new ConcurrentHashMap<>();
    private final Set<UUID> expected = ConcurrentHashMap.newKeySet();
    private final Map<UUID, StagedSet> sets = new ConcurrentHashMap<>();

    // Guarded by this.
    private final Map<UUID, Long> bytes = new HashMap<>();
    /** Installed or dropped: a disk that answers late must not begin them anew. */
    private final Set<UUID> over = new HashSet<>();

    PlanTables(StreamPlan plan, Receiving receiving, VirtualMachineErrors fatal) {
        this.fatal = fatal;
        this.planId = plan.id();
        this.receiving = receiving;
        this.node = receiving.node();
        plan.requests().forEach(request -> tables.put(request.table().id(), request.table()));
        this.fences = Fence.of(plan);
    }

    int count() {
        return tables.size();
    }

    /** For logs. */
    String name(UUID tableId) {
        return String.valueOf(tables.get(tableId));
    }

    /** Tables of the plan that the database does not know, and what that means. */
    Map<UUID, Failure> unknown() {
        Map<UUID, Failure> unknown = new HashMap<>();
        for (TableRef table : tables.values()) {
            if (node.store().table(table.id()).isEmpty()) {
                unknown.put(table.id(), unknown(table));
            }
        }
        return unknown;
    }

    /**
     * Asks the database what it says of the tables, and notifies it that something will arrive for them, but for those
     * that it does not know.
     *
     * @throws StreamException if a newer operation has the ranges
     */
    void expect(Set<UUID> unknown) throws IOException {
        for (TableRef table : tables.values()) {
            if (!unknown.contains(table.id())) {
                LogKeys.current().withTable(table).run(() -> {
                    schemas.put(table.id(), node.store().schemaDigest(table));
                    writesAtFirst.put(table.id(), writes(table.id()));
                });
            }
        }
        node.staging().admit(List.copyOf(fences.values()));
        for (TableRef table : tables.values()) {
            Fence wanted = fences.get(table.id());
            if (wanted != null && !unknown.contains(table.id())) {
                expected.add(table.id());
                LogKeys.current()
                        .withTable(table)
                        .run(() -> node.store().expectArrivals(planId, table, wanted.ranges()));
            }
        }
    }

    /**
     * Makes live what this plan has committed when it was executed before and the database did not answer. Then it is
     * fetched as if the database had: more has been written since, and nothing may land in a set that is committed.
     *
     * @param unknown tables of the plan that the database does not know
     * @return tables of which that has failed again, and why: they are not fetched
     */
    Map<UUID, Failure> finishCommitted(Set<UUID> unknown) {
        Map<UUID, Failure> failed = new HashMap<>();
        for (TableRef table : tables.values()) {
            LogKeys.Scope scope = LogKeys.current().withTable(table).enter();
            try {
                if (!unknown.contains(table.id())) {
                    node.staging().finishCommitted(planId, table).ifPresent(live -> toldLive(table, live));
                }
            } catch (IOException | RuntimeException | Error e) {
                fatal.note(e);
                LOG.error("plan {}: {} is committed but not active: {}", planId, table, e.getMessage(), e);
                Failure why = Failure.of(e);
                failed.put(
                        table.id(),
                        new Failure(
                                why.code(),
                                "an earlier execution of the plan has committed it: " + why.reason()
                                        + "; it goes live when this node starts again"));
            } finally {
                scope.leave();
            }
        }
        return failed;
    }

    private void toldLive(TableRef table, InstallSummary live) {
        LOG.info(
                "plan {}: {} is live, {} SSTables, {} bytes, of an earlier execution",
                planId,
                table,
                live.sstables(),
                live.lengthBytes());
        node.traffic().installed();
        node.access().audit().record(new AuditEvent.Installed(planId, table, live.sstables(), live.lengthBytes()));
    }

    /** Whether an earlier execution of this plan has committed a table that the database knows, and not finished. */
    boolean haveCommitted(Set<UUID> unknown) {
        return tables.values().stream()
                .anyMatch(
                        table -> !unknown.contains(table.id()) && node.staging().isCommitted(planId, table));
    }

    /** Notifies the database of all tables that nothing more arrives, unless it knows. */
    void endArrivals() {
        tables.keySet().forEach(this::endArrivals);
    }

    /** Without a lock that is held while a disk is asked: it may hang. */
    void unstage(UUID tableId, UUID session) {
        StagedSet set = sets.get(tableId);
        if (set != null) {
            set.unstage(session);
        }
    }

    StagedSet set(UUID tableId) throws IOException {
        StagedSet set = sets.get(tableId);
        if (set != null) {
            return set;
        }
        TableRef table = node.store()
                .table(tableId)
                .orElseThrow(() -> new StreamException(
                        ErrorCode.DISCARDED, tables.get(tableId) + " was dropped while it was streamed"));
        return begin(table);
    }

    private synchronized StagedSet begin(TableRef table) throws IOException {
        UUID tableId = table.id();
        if (over.contains(tableId)) {
            throw new SetOverException(table);
        }
        StagedSet set = sets.get(tableId);
        if (set == null) {
            set = node.staging().begin(planId, table, fences.getOrDefault(tableId, Fence.none(tableId)));
            sets.put(tableId, set);
        }
        return set;
    }

    /** Whether nothing of a table may land any more: it is live, or abandoned. */
    synchronized boolean isOver(UUID tableId) {
        return over.contains(tableId);
    }

    /** Of a table of the plan, as its database has said when the plan was made. */
    long schemaDigest(TableRef table) {
        return schemas.getOrDefault(table.id(), 0L);
    }

    /** Why nobody wants a table any more; empty if it is there. On a disk thread. */
    Optional<Failure> dropped(UUID tableId) {
        return node.store().table(tableId).isPresent()
                ? Optional.empty()
                : Optional.of(
                        new Failure(ErrorCode.DISCARDED, tables.get(tableId) + " was dropped while it was streamed"));
    }

    Descriptor newDescriptor(TableRef table, SSTableOffer offer) throws IOException {
        String id = node.store().newId(table);
        return SSTableId.parse(id)
                .map(parsed -> new Descriptor(offer.source().version(), parsed))
                .orElseThrow(() -> new StreamException(
                        ErrorCode.INTERNAL,
                        "the database gave a new SSTable of " + table + " the id '" + id
                                + "' (expected: a number below 2^31, or the 28 characters of a time-based id)"));
    }

    /** Counts the bytes of an SSTable that was staged. */
    synchronized void staged(UUID tableId, long lengthBytes) {
        bytes.merge(tableId, lengthBytes, Long::sum);
    }

    /** A session is over, and gives the files of all its tables back. */
    synchronized void release(UUID session) {
        sets.values().forEach(set -> set.release(session));
    }

    Event install(UUID tableId) {
        LogKeys.Scope scope = LogKeys.current().withTable(name(tableId)).enter();
        try {
            Activity.Run run = node.traffic().tableInstalls().begin(node.nanoTime());
            Event end = installLogged(tableId);
            run.end(
                    end instanceof Event.InstallFailed failed
                            ? Optional.of(failed.why().code())
                            : Optional.empty(),
                    node.nanoTime());
            return end;
        } finally {
            scope.leave();
        }
    }

    private Event installLogged(UUID tableId) {
        StagedSet set;
        long length;
        synchronized (this) {
            set = sets.get(tableId);
            length = bytes.getOrDefault(tableId, 0L);
        }
        InstallFlightEvent record = new InstallFlightEvent(String.valueOf(tables.get(tableId)));
        try {
            int count = set == null
                    ? 0
                    : node.staging().install(set, node.environment().ids().get());
            endArrivals(tableId);
            record.complete(count, length);
            node.traffic().installed();
            LOG.info("plan {}: {} is live, {} SSTables, {} bytes", planId, tables.get(tableId), count, length);
            TableRef table = tables.get(tableId);
            if (table != null) {
                node.access().audit().record(new AuditEvent.Installed(planId, table, count, length));
            }
            synchronized (this) {
                sets.remove(tableId);
                over.add(tableId);
            }
            LiveWrites writes =
                    LiveWrites.between(writesAtFirst.getOrDefault(tableId, Optional.empty()), writes(tableId));
            if (writes.kind() == LiveWrites.Kind.GAP) {
                LOG.warn("plan {}: {}: {}", planId, tables.get(tableId), writes);
            }
            return new Event.Installed(tableId, count, length, writes);
        } catch (Throwable e) { // whatever it is: the plan waits for an answer
            fatal.note(e);
            LOG.error("plan {}: installing {}: {}", planId, tables.get(tableId), e.getMessage(), e);
            record.fail(String.valueOf(e.getMessage()));
            boolean isCommitted = set != null && node.staging().isCommitted(set);
            Failure why = Failure.of(e);
            if (!isCommitted && why.code() == ErrorCode.VOLUME_FAILED) {
                beginAnew(tableId);
                return new Event.StagedLost(tableId, why);
            }
            return new Event.InstallFailed(tableId, why, isCommitted);
        }
    }

    /** What is staged of a table on other volumes is found again when it comes once more. */
    private synchronized void beginAnew(UUID tableId) {
        sets.remove(tableId);
        bytes.remove(tableId);
        TableRef table = tables.get(tableId);
        try {
            if (table != null) {
                begin(table);
            }
        } catch (IOException e) {
            LOG.warn("plan {}: {}: restarted with its next extent: {}", planId, table, e.getMessage());
        }
    }

    /** A database that fails here does not say: what is live is live all the same, and the result reports a gap. */
    private Optional<Instant> writes(UUID tableId) {
        TableRef table = tables.get(tableId);
        Fence wanted = fences.get(tableId);
        try {
            return table == null || wanted == null
                    ? Optional.empty()
                    : node.store().writesSince(table, wanted.ranges());
        } catch (RuntimeException e) {
            fatal.note(e);
            LOG.error("plan {}: the database failed to report since when it has all writes", planId, e);
            return Optional.empty();
        }
    }

    void drop(Action.Drop action) {
        StagedSet set;
        synchronized (this) {
            set = sets.remove(action.tableId());
            over.add(action.tableId());
        }
        if (set != null) {
            LogKeys.current().withTable(set.table()).run(() -> drop(set, action.isKept()));
        }
    }

    private void drop(StagedSet set, boolean isKept) {
        try {
            if (isKept) {
                node.staging().abandon(set);
            } else {
                node.staging().discard(set);
            }
        } catch (IOException e) {
            LOG.warn("plan {}: removing staged files of {}: {}", planId, set.table(), e.getMessage());
        }
    }

    private Failure unknown(TableRef table) {
        return new Failure(
                ErrorCode.UNKNOWN_TABLE,
                "table " + table + " is not known at " + node.self() + ", also not after "
                        + receiving.schemaTimeout().toSeconds() + " s (does it have the schema of the cluster?)");
    }

    private void endArrivals(UUID tableId) {
        TableRef table = tables.get(tableId);
        if (table != null && expected.remove(tableId)) {
            LogKeys.Scope scope = LogKeys.current().withTable(table).enter();
            try {
                node.store().endArrivals(planId, table);
            } catch (
                    RuntimeException
                            e) { // no reason to call what is live a failure, or to leave the plan without an end
                fatal.note(e);
                LOG.error("plan {}: the database failed when it was notified that {} is over", planId, table, e);
            } finally {
                scope.leave();
            }
        }
    }

    void endStaging() {
        try {
            node.staging().end(planId);
        } catch (IOException e) {
            LOG.warn("plan {}: removing its staging directory: {}", planId, e.getMessage());
        }
    }
}
