package io.sluice.streaming.engine.receive;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.engine.SessionSteps;
import io.sluice.streaming.install.SetOverException;
import io.sluice.streaming.install.StagedExtent;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.metrics.TableBytes;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.session.ReceivingSession.Action;
import io.sluice.streaming.session.ReceivingSession.Event;
import io.sluice.streaming.store.Authorizer.Peer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.slf4j.event.Level;

/**
 * The offers of one session on disk: prepares their files, and stages each SSTable that is complete. A table that was
 * dropped, is live already or may not be offered is abandoned alone. Runs on disk threads; results are posted.
 */
final class OfferStaging {
    private final String name;
    private final UUID owner;
    private final BiConsumer<UUID, Failure> abandoned;
    private final PlanExecution plan;
    private final NodeContext node;
    private final LogKeys keys;
    private final Map<UUID, StreamRequest> requests;
    private final boolean keepsLevel;
    private final StagedFiles files;
    private final SessionSteps<ReceivingSession.State, Event, Action> steps;
    private final AtomicLong stepsDone;
    private volatile boolean isOver;

    /**
     * Starts without offers.
     *
     * @param name of the session, for the log
     * @param owner of staged files: the attempt
     * @param abandoned called for each table that is abandoned, and why
     * @param requests by table
     * @param keepsLevel whether SSTables keep their level
     */
    OfferStaging(
            String name,
            UUID owner,
            PlanExecution plan,
            LogKeys keys,
            Map<UUID, StreamRequest> requests,
            boolean keepsLevel,
            StagedFiles files,
            SessionSteps<ReceivingSession.State, Event, Action> steps,
            BiConsumer<UUID, Failure> abandoned) {
        this.name = name;
        this.owner = owner;
        this.abandoned = abandoned;
        this.plan = plan;
        this.node = plan.receiving().node();
        this.keys = keys;
        this.requests = requests;
        this.keepsLevel = keepsLevel;
        this.files = files;
        this.steps = steps;
        this.stepsDone = plan.receiving().room().stagingSteps();
    }

    /** The session is over: a preparation ends at its next step. From any thread. */
    void end() {
        isOver = true;
    }

    /** An offer or a retained extent is next: there may be so many that it takes hours. */
    private void step() {
        if (isOver) {
            throw new StreamException(ErrorCode.CANCELLED, "the session is over");
        }
        stepsDone.incrementAndGet();
    }

    /** Abandons the tables that this source may not offer. */
    void authorize(Peer source) {
        for (StreamRequest request : requests.values()) {
            LogKeys.Scope scope = keys.withTable(request.table()).enter();
            try {
                node.access()
                        .require(
                                source,
                                new AuditEvent.TableAccess(
                                        plan.planId(),
                                        "offer",
                                        request.table(),
                                        request.ranges().ranges().size()),
                                authorizer ->
                                        authorizer.mayOffer(source, plan.planId(), request.table(), request.ranges()));
            } catch (StreamException denied) {
                abandoned.accept(request.table().id(), Failure.of(denied));
            } finally {
                scope.leave();
            }
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

    /**
     * Prepares the files of some offers.
     *
     * @return what is already present of them
     * @throws StreamException of code {@link ErrorCode#CANCELLED} if the session ends meanwhile
     * @throws IOException if the disk fails
     */
    List<StagedExtent> prepare(List<SSTableOffer> offers) throws IOException {
        List<StagedExtent> held = new ArrayList<>();
        Set<UUID> dropped = new HashSet<>();
        for (SSTableOffer offer : offers) {
            if (dropped.contains(offer.tableId())) {
                continue;
            }
            step();
            LogKeys.Scope scope = aboutTable(offer.tableId()).enter();
            try {
                StagedSet set = plan.tables().set(offer.tableId());
                StagedSet.Landing landing =
                        set.land(owner, offer, () -> plan.tables().newDescriptor(set.table(), offer), this::step);
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
            steps.log(Level.INFO, "{}: {}", name, tooLate);
            abandoned.accept(tableId, tooLate);
            return true;
        }
        Optional<Failure> why = plan.tables().dropped(tableId);
        why.ifPresent(dropped -> {
            steps.log(Level.INFO, "{}: {}", name, dropped, failure);
            abandoned.accept(tableId, dropped);
        });
        return why.isPresent();
    }

    /**
     * Stages a complete SSTable, or abandons its table.
     *
     * @throws StreamException of code {@link ErrorCode#DISK_FULL} if others have taken the room for its rows
     * @throws IOException if the disk fails
     */
    void stage(SSTableOffer offer) throws IOException {
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
            StagedSet set = landing.set();
            StagedSet.Wanted wish = new StagedSet.Wanted(ranges, keepsLevel);
            set.stage(owner, landing.descriptor(), offer, wish, stepsDone::incrementAndGet)
                    .ifPresent(data -> node.store().arrived(plan.planId(), set.table(), data));
        } catch (StreamException e) {
            Optional<Failure> dropped = plan.tables().dropped(offer.tableId());
            if (dropped.isEmpty() && e.code() == ErrorCode.DISK_FULL) {
                throw e; // the session waits for room, and what it has received is retained
            }
            abandoned.accept(
                    offer.tableId(),
                    dropped.orElseGet(() -> new Failure(e.code(), landing.set().table() + " " + e.getMessage())));
            return;
        } catch (IOException e) {
            if (!isAbandoned(offer.tableId(), e)) {
                throw e;
            }
            return;
        }
        plan.tables().staged(offer.tableId(), owner, offer.lengthBytes());
        node.traffic().staged();
        steps.post(new Event.Staged(offer.number()));
    }

    /** The keys of lines about one requested table. */
    LogKeys aboutTable(UUID tableId) {
        StreamRequest request = requests.get(tableId);
        return keys.withTable(request == null ? tableId : request.table());
    }
}
