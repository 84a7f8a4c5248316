package io.sluice.streaming.engine.receive;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.install.Fence;
import io.sluice.streaming.install.InstallSummary;
import io.sluice.streaming.install.Outlook;
import io.sluice.streaming.install.SetOverException;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.metrics.Activity;
import io.sluice.streaming.metrics.InstallRecord;
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
 * The tables of one plan at this node: queries and notifies the database about them, and holds and installs their
 * staged sets. Thread-safe: called on threads that may block; calls of the database are sequential.
 */
final class PlanTables {
    private static final Logger LOG = LoggerFactory.getLogger(PlanTables.class);

    private final UUID planId;
    private final ReceivingContext receiving;
    private final NodeContext node;
    private final VirtualMachineErrors fatal;
    private final Map<UUID, TableRef> tables = new LinkedHashMap<>();
    private final Map<UUID, Fence> fences;
    private final Map<UUID, Long> schemas = new ConcurrentHashMap<>();
    private final Map<UUID, Optional<Instant>> writesAtFirst = new ConcurrentHashMap<>();
    private final Set<UUID> expected = ConcurrentHashMap.newKeySet();
    private final Map<UUID, StagedSet> sets = new ConcurrentHashMap<>();

    private final StagedBytes bytes = new StagedBytes();
    /** Installed or dropped tables: a late answer of the disk must not stage them again. Guarded by this. */
    private final Set<UUID> over = new HashSet<>();

    PlanTables(StreamPlan plan, ReceivingContext receiving, VirtualMachineErrors fatal) {
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

    /** The name of a table, for logs. */
    String name(UUID tableId) {
        return String.valueOf(tables.get(tableId));
    }

    /** Tables of the plan that the database does not know, with the resulting failure. */
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
     * Queries the database about the tables, and notifies it that rows will arrive for them; skips unknown tables.
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
     * Activates sets that an earlier execution of this plan committed when the database did not answer. Afterwards the
     * tables are fetched again: more rows were written since, and a committed set takes no more data.
     *
     * @param unknown tables of the plan that the database does not know
     * @return the tables whose activation failed again, and why: they are not fetched
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
                LOG.error("plan {}: an earlier install of {} is not complete: {}", planId, table, e.getMessage(), e);
                Failure why = Failure.of(e);
                Outlook outlook = node.staging().outlook(planId, table);
                failed.put(
                        table.id(),
                        new Failure(
                                why.code(),
                                "an earlier execution of the plan "
                                        + (outlook == Outlook.MAY_BE_COMMITTED ? "may have" : "has")
                                        + " committed the table: " + why.reason() + outlook.words()));
            } finally {
                scope.leave();
            }
        }
        return failed;
    }

    private void toldLive(TableRef table, InstallSummary live) {
        LOG.info(
                "plan {}: {} is live, {} SSTables, {} bytes, from an earlier execution",
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

    /** Notifies the database that nothing more arrives for any table, once for each. */
    void endArrivals() {
        tables.keySet().forEach(this::endArrivals);
    }

    /** Takes no lock that is held during a disk operation, which may hang. */
    void unstage(UUID tableId, UUID session) {
        StagedSet set = sets.get(tableId);
        if (set != null) {
            set.unstage(session);
        }
        bytes.remove(tableId, session);
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

    /** The schema digest of a table, as the database returned it at the start of the plan. */
    long schemaDigest(TableRef table) {
        return schemas.getOrDefault(table.id(), 0L);
    }

    /** The failure if a table was dropped; empty if it exists. On a disk thread. */
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
    void staged(UUID tableId, UUID session, long lengthBytes) {
        bytes.add(tableId, session, lengthBytes);
    }

    /** A session is over, and releases its files of all tables. */
    synchronized void release(UUID session) {
        sets.values().forEach(set -> set.release(session));
    }

    Event install(UUID tableId) {
        LogKeys.Scope scope = LogKeys.current().withTable(name(tableId)).enter();
        try {
            Activity.Run run = node.traffic().tableInstalls().begin(node.nanoTime());
            Event end = installLogged(tableId);
            run.end(failure(end).map(Failure::code), node.nanoTime());
            return end;
        } finally {
            scope.leave();
        }
    }

    /** Why an install has failed; of one whose volume failed, too, although it begins again. */
    static Optional<Failure> failure(Event end) {
        if (end instanceof Event.InstallFailed failed) {
            return Optional.of(failed.why());
        }
        return end instanceof Event.StagedLost lost ? Optional.of(lost.why()) : Optional.empty();
    }

    private Event installLogged(UUID tableId) {
        StagedSet set = sets.get(tableId);
        long length = bytes.of(tableId);
        InstallRecord record = InstallRecord.begin(String.valueOf(tables.get(tableId)));
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
        } catch (Throwable e) { // any exception: the plan waits for an answer
            fatal.note(e);
            LOG.error("plan {}: install of {} failed: {}", planId, tables.get(tableId), e.getMessage(), e);
            record.fail(String.valueOf(e.getMessage()));
            Outlook outlook =
                    set == null ? Outlook.NOT_COMMITTED : node.staging().outlook(set);
            Failure why = Failure.of(e);
            if (!outlook.isCommitted() && why.code() == ErrorCode.VOLUME_FAILED) {
                beginAnew(tableId);
                return new Event.StagedLost(tableId, why);
            }
            return new Event.InstallFailed(tableId, why, outlook);
        }
    }

    /** Staged files of the table on other volumes are found again when their extents are offered again. */
    private synchronized void beginAnew(UUID tableId) {
        sets.remove(tableId);
        bytes.remove(tableId);
        TableRef table = tables.get(tableId);
        try {
            if (table != null) {
                begin(table);
            }
        } catch (IOException e) {
            LOG.warn("plan {}: {}: staging starts again with the next extent: {}", planId, table, e.getMessage());
        }
    }

    /** Asks the database; a failure counts as an empty answer: the table stays live, and the result reports a gap. */
    private Optional<Instant> writes(UUID tableId) {
        TableRef table = tables.get(tableId);
        Fence wanted = fences.get(tableId);
        try {
            return table == null || wanted == null
                    ? Optional.empty()
                    : node.store().writesSince(table, wanted.ranges());
        } catch (RuntimeException e) {
            fatal.note(e);
            LOG.error("plan {}: the database failed in writesSince", planId, e);
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
            String what = isKept ? "retain" : "remove";
            LOG.warn("plan {}: cannot {} staged files of {}: {}", planId, what, set.table(), e.getMessage());
        }
    }

    private Failure unknown(TableRef table) {
        return new Failure(
                ErrorCode.UNKNOWN_TABLE,
                "table " + table + " is not known at " + node.self() + ", also not after "
                        + receiving.schemaTimeout().toSeconds() + " s (does it have the cluster's schema?)");
    }

    private void endArrivals(UUID tableId) {
        TableRef table = tables.get(tableId);
        if (table != null && expected.remove(tableId)) {
            LogKeys.Scope scope = LogKeys.current().withTable(table).enter();
            try {
                node.store().endArrivals(planId, table);
            } catch (RuntimeException e) { // the table stays live, and the plan must end
                fatal.note(e);
                LOG.error("plan {}: the database failed in endArrivals of {}", planId, table, e);
            } finally {
                scope.leave();
            }
        }
    }

    void endStaging() {
        try {
            node.staging().end(planId);
        } catch (IOException e) {
            LOG.warn("plan {}: cannot remove its staging directory: {}", planId, e.getMessage());
        }
    }
}
