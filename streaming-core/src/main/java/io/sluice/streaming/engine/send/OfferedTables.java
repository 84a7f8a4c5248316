package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.SessionSteps;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.metrics.TableBytes;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.SendingSession;
import io.sluice.streaming.session.SendingSession.Action;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.transfer.OfferedSSTable;
import io.sluice.streaming.transfer.Offers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The pinned tables of one sending session and their offers: pins and prepares them, checks files that the receiver has
 * received, removes temporary files, unpins. Confined to the loop; disk work comes back there.
 */
final class OfferedTables {
    private static final Logger LOG = LoggerFactory.getLogger(OfferedTables.class);

    private final String name;
    private final Message.Hello hello;
    private final LogKeys keys;
    private final SendingContext sending;
    private final NodeContext node;
    private final VirtualMachineErrors fatal;
    private final Preparation preparation;
    private final SessionSteps<SendingSession.State, Event, Action> steps;
    private final BooleanSupplier isOver;
    private final IntPredicate isSending;
    private final Map<UUID, Pins.Pin> pinned = new HashMap<>();
    private final SentOffers offers = new SentOffers();
    private final SourceFiles sources;
    /** Tables that the receiver abandoned while they were being prepared. */
    private final Set<UUID> releasedEarly = new HashSet<>();

    private Preparation.@Nullable OfferMemory inventory;
    private long preparedSteps;
    private boolean isPreparing;

    /**
     * Starts without tables.
     *
     * @param name of the session, for the log
     * @param isOver whether the session is over
     * @param isSending whether a connection may still send of an offer
     */
    OfferedTables(
            String name,
            Message.Hello hello,
            LogKeys keys,
            SendingContext sending,
            VirtualMachineErrors fatal,
            Preparation preparation,
            SessionSteps<SendingSession.State, Event, Action> steps,
            BooleanSupplier isOver,
            IntPredicate isSending) {
        this.name = name;
        this.hello = hello;
        this.keys = keys;
        this.sending = sending;
        this.node = sending.node();
        this.fatal = fatal;
        this.preparation = preparation;
        this.steps = steps;
        this.isOver = isOver;
        this.isSending = isSending;
        this.sources = new SourceFiles(sending.files());
    }

    /** The offers. */
    SentOffers offers() {
        return offers;
    }

    /** Whether an offer is one of a table. */
    boolean isOf(UUID tableId, int offer) {
        return offers.get(offer).offer().tableId().equals(tableId);
    }

    /** Whether the receiver may still need an offer: it has neither received it, nor abandoned its table. */
    boolean needs(int offer) {
        return pinned.containsKey(offers.get(offer).offer().tableId()) && !offers.isReceived(offer);
    }

    /** Reports progress of the preparation. */
    void tick() {
        long prepared = preparation.steps();
        if (prepared > preparedSteps && isPreparing) {
            preparedSteps = prepared;
            steps.on(new Event.Preparing(prepared));
        }
    }

    /** The receiver has an SSTable: its files are checked once, so a peer that repeats this causes no further reads. */
    void received(int offer) {
        if (offers.received(offer)) {
            OfferedSSTable sstable = offers.get(offer);
            onDisk(() -> look(sstable));
        }
    }

    /** Computes checksums of the extents of one file. */
    void sum(Action.Sum action) {
        OfferedSSTable sstable = offers.get(action.offer());
        node.environment().disk().execute(() -> {
            try {
                ExtentSums.of(
                        sstable,
                        action.component(),
                        action.extentLengthBytes(),
                        sending.files(),
                        page -> steps.post(new Event.Summed(page)));
            } catch (Throwable e) {
                fatal.note(e);
                steps.postGuarded(() -> sumFailed(sstable.offer(), e));
            }
        });
    }

    /** A file could not be read again: no wonder if its table was unpinned meanwhile, or the session is over. */
    private void sumFailed(SSTableOffer offer, Throwable cause) {
        if (pinned.containsKey(offer.tableId())) {
            steps.log(Level.WARN, "{}: {}", name, String.valueOf(cause.getMessage()), cause);
        }
        steps.on(new Event.SumFailed(offer.number(), Failure.of(cause)));
    }

    /** The session is over: unpins all tables and removes temporary files. */
    void end() {
        if (preparation.abandon()) {
            proceed(); // to its end
        }
        List<Pins.Pin> left = List.copyOf(pinned.values());
        pinned.clear();
        if (inventory != null) {
            inventory.close();
        }
        if (!isPreparing) { // otherwise the preparation releases its resources
            onDisk(() -> preparation.release(left));
        }
    }

    /** The keys of lines about one requested table. */
    LogKeys aboutTable(UUID tableId) {
        Pins.Pin pin = pinned.get(tableId);
        return keys.withTable(pin == null ? tableId : pin.table());
    }

    /** Work for a disk thread. */
    private interface DiskWork {
        void run() throws IOException;
    }

    /** Runs {@code work} on a disk thread; its exception ends this session. */
    private void onDisk(DiskWork work) {
        node.environment().disk().execute(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                fatal.note(e);
                steps.log(Level.WARN, "{}: {}", name, String.valueOf(e.getMessage()), e);
                steps.post(new Event.Failed(Failure.of(e)));
            }
        });
    }

    /** Checks the files of a received SSTable; on a disk thread. */
    private void look(OfferedSSTable sstable) {
        Optional<Failure> change = sources.changed(sstable);
        for (Path file : sources.of(sstable)) {
            try {
                sending.files().leaveCache(file);
            } catch (IOException e) {
                LOG.debug("{}: cannot drop {} from the page cache: {}", name, file, e.toString());
            }
        }
        steps.postGuarded(() -> looked(sstable, change));
    }

    /** The files of an SSTable were checked: if they are unchanged, one less is outstanding. */
    private void looked(OfferedSSTable sstable, Optional<Failure> change) {
        Pins.Pin pin = pinned.get(sstable.offer().tableId());
        if (pin == null || isOver.getAsBoolean()) {
            return; // released meanwhile because the table is live; the database may have removed the files
        }
        if (change.isPresent()) {
            steps.on(new Event.Failed(change.get()));
        } else if (offers.landed(sstable.offer())) {
            if (offers.isLanded(sstable.offer().tableId()) && !isPreparing) {
                pin.landed();
            }
            if (!preparation.temporaryFiles(sstable).isEmpty()) {
                offers.removeWhenIdle(sstable.offer().number());
                removeSent();
            }
        }
    }

    /** Removes temporary files of received offers, unless a lost connection may still send of them. */
    void removeSent() {
        for (OfferedSSTable sstable : offers.takeIdle(isSending)) {
            onDisk(() -> {
                if (preparation.received(sstable)) {
                    prepare(preparation::proceed);
                }
            });
        }
    }

    /** While its offers are prepared, a table stays pinned. */
    void unpin(UUID tableId) {
        if (isPreparing) {
            releasedEarly.add(tableId);
            if (preparation.skip(tableId)) {
                proceed();
            }
            return;
        }
        Pins.Pin table = pinned.remove(tableId);
        if (table != null) {
            table.close();
        }
    }

    /** Pins and prepares the requested tables, in turn with other sessions of the plan. */
    void pin(Action.Pin action) {
        isPreparing = true;
        sending.pins().inTurn(hello.planId(), () -> begin(action));
    }

    private void begin(Action.Pin action) {
        prepare(() -> preparation.begin(action, new Preparation.Listener() {
            @Override
            public void pinned(Pins.Pin pin) {
                pin.onRevoke(reason -> node.onLoop(() -> takenBack(pin, reason)));
            }

            @Override
            public void pinned(Map<UUID, Pins.Pin> tables) {
                node.onLoop(() -> pinned.putAll(tables));
            }

            @Override
            public void prepared(OfferedSSTable sstable) throws IOException {
                sources.add(sstable);
            }

            @Override
            public void offered(List<OfferedSSTable> more) {
                steps.postGuarded(() -> offer(more));
            }

            @Override
            public void replaced(Offers.Replaced damaged) {
                keys.run(() -> LOG.warn("{}: {}", name, damaged));
            }
        }));
    }

    /** Goes on with a preparation that waits. */
    private void proceed() {
        node.environment().disk().execute(() -> prepare(preparation::proceed));
    }

    /** One turn of the preparation. */
    private void prepare(Supplier<Optional<Preparation.Prepared>> turn) {
        try {
            turn.get().ifPresent(prepared -> steps.postGuarded(() -> pinned(prepared)));
        } catch (Throwable e) {
            fatal.note(e);
            if (preparation.isAbandoned()) {
                LOG.debug("{}: its offers are no longer needed", name, e);
                return;
            }
            if (Preparation.isRefusal(e)) {
                steps.post(new Event.Failed(Failure.of(e))); // the end of the session is logged with its reason
            } else {
                steps.log(Level.ERROR, "{}: preparation failed", name, e);
                steps.post(new Event.Failed(e instanceof StreamException ? Failure.of(e) : Preparation.ofThisNode(e)));
            }
        }
    }

    /** Keeps what is offered: from now on it may be fetched. */
    private void offer(List<OfferedSSTable> more) {
        keep(more);
        steps.on(new Event.Offered(more.stream().map(OfferedSSTable::offer).toList()));
    }

    private void keep(List<OfferedSSTable> more) {
        more.forEach(sstable -> offers.add(sstable, countOf(sstable.offer())));
    }

    /** Refuses tables that this node does not have without keeping their requests. */
    void lookUp(List<Message.TableRequest> requests) {
        onDisk(() -> lookUpNow(requests));
    }

    private void lookUpNow(List<Message.TableRequest> requests) {
        Map<UUID, Failure> refused = preparation.unavailable(requests);
        if (!refused.isEmpty()) {
            steps.post(new Event.Unavailable(refused));
        }
    }

    private void pinned(Preparation.Prepared prepared) {
        if (isOver.getAsBoolean()) {
            prepared.memory().close();
            onDisk(() -> preparation.release(prepared.tables().values()));
            return;
        }
        isPreparing = false;
        inventory = prepared.memory();
        releasedEarly.forEach(this::unpin);
        keep(prepared.offers().subList(offers.size(), prepared.offers().size()));
        pinned.forEach((table, pin) -> {
            if (offers.isLanded(table)) {
                pin.landed();
            }
        });
        steps.on(new Event.Pinned(offers.offers(), prepared.refused()));
    }

    private TableBytes.Count countOf(SSTableOffer offer) {
        Pins.Pin pin = pinned.get(offer.tableId());
        String table = String.valueOf(pin == null ? offer.tableId() : pin.table());
        return node.traffic().sentByTable().of(offer.choice().mode().name().toLowerCase(Locale.ROOT), table);
    }

    /**
     * Ends the session: the next attempt pins again and continues with the received data of all tables; the database
     * may refuse this table.
     */
    private void takenBack(Pins.Pin pin, String reason) {
        if (releasedEarly.contains(pin.table().id())) {
            return; // released when the preparation ends
        }
        steps.on(new Event.Failed(new Failure(
                ErrorCode.SOURCE_CHANGED,
                "the database of the source revoked the pin of " + pin.table() + ": " + reason)));
    }
}
