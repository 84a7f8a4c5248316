package io.sluice.streaming.engine.send;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.runtime.SerialExecutors;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node has pinned for others. Files that the database has replaced take room for as long as they are pinned: if
 * that becomes too much, pins of tables that have landed go back before those are installed; if it still is too much
 * nothing more is pinned, and receivers try again later. Thread-safe.
 */
public final class Pins {
    private static final Logger LOG = LoggerFactory.getLogger(Pins.class);

    private final TableStore store;
    private final Disk disk;
    private final int mostPercent;
    private final SerialExecutors serial;
    private final Executor threads;
    /** By number: the oldest first. */
    private final Map<Long, Pin> open = new ConcurrentSkipListMap<>();

    private final AtomicLong numbers = new AtomicLong();

    /**
     * Nothing is pinned yet.
     *
     * @param mostPercent of the volume that files may take that only pins keep alive
     * @param serial in which the database is called for one plan, once at a time, on {@code threads}
     */
    public Pins(TableStore store, Disk disk, int mostPercent, SerialExecutors serial, Executor threads) {
        this.serial = serial;
        this.threads = threads;
        this.store = store;
        this.disk = disk;
        this.mostPercent = mostPercent;
    }

    /** Runs what pins for a plan when nothing else is being pinned or released for it. */
    void inTurn(UUID planId, Runnable work) {
        serial.execute(planId, threads, work);
    }

    /** Bytes that only pins keep alive; a file that two pins keep counts twice. */
    public long obsoleteBytes() {
        return open.values().stream().mapToLong(PinnedTable::obsoleteBytes).sum();
    }

    /** Pins that were not released. */
    public int open() {
        return open.size();
    }

    /**
     * Pins, as {@link TableStore#pin} does.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if pins keep too much alive already
     */
    public Pin pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        long most = 0;
        for (TableStore.Volume volume : store.volumes()) {
            most += disk.volumeBytes(store.liveDirectory(table, volume)) / 100 * mostPercent;
        }
        if (obsoleteBytes() > most) {
            giveBackLanded();
        }
        long kept = obsoleteBytes();
        if (kept > most) {
            throw new StreamException(
                    ErrorCode.LIMIT,
                    table + ": " + kept + " bytes are kept on the disk only because " + open.size()
                            + " transfers from here still need them (expected: at most " + most + ", " + mostPercent
                            + " % of the volumes); wait for them to end, or cancel one");
        }
        Pin pin = new Pin(planId, table, store.pin(planId, table, ranges));
        open.put(pin.number, pin);
        return pin;
    }

    /** Receivers hold these durably: should one of them fail before it is installed, what it holds counts again. */
    private void giveBackLanded() {
        for (Pin pin : open.values()) {
            if (pin.hasLanded && pin.obsoleteBytes() > 0) {
                pin.keys.run(() -> LOG.warn(
                        "{}: pin released before the receiver has installed it, since obsolete files take too much space",
                        pin.table()));
                pin.close();
            }
        }
    }

    /**
     * Has all pins of a table released, since the database wants the files; completes when they are. What is pinned of
     * it from now on is another matter.
     */
    public CompletableFuture<Void> revoke(UUID tableId, String reason) {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (Pin pin : open.values()) {
            if (pin.table().id().equals(tableId)) {
                pin.revoke(reason);
                ends.add(pin.givenBack);
            }
        }
        return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
    }

    /** What is pinned of one table; released in turn when it is closed. Closing it again does nothing. */
    public final class Pin implements PinnedTable {
        private final long number = numbers.incrementAndGet();
        private final UUID planId;
        private final PinnedTable real;
        private final OpenedTable opened;
        private final CompletableFuture<Void> givenBack = new CompletableFuture<>();
        /** Completes with the reason, if it does. */
        private final CompletableFuture<String> revoked = new CompletableFuture<>();

        /** Of whoever has pinned it. */
        private final LogKeys keys;

        private volatile boolean hasLanded;

        private Pin(UUID planId, TableRef table, PinnedTable real) {
            this.planId = planId;
            this.real = real;
            this.keys = LogKeys.current().withTable(table);
            this.opened = new OpenedTable(this);
        }

        /** Its SSTables, each opened once; for the preparation that asked for the pin. */
        OpenedTable opened() {
            return opened;
        }

        /** All of it is durable at its receiver, and was found unchanged here. */
        public void landed() {
            hasLanded = true;
        }

        /** Has {@code user} told, at once if it has happened already, when the database wants the files back. */
        @SuppressWarnings("FutureReturnValueIgnored") // the listener posts an event
        void onRevoke(Consumer<String> user) {
            revoked.thenAccept(user);
        }

        private void revoke(String reason) {
            keys.run(() -> LOG.warn("plan {}: the database revoked the pins of {}: {}", planId, table(), reason));
            revoked.complete(reason);
        }

        @Override
        public TableRef table() {
            return real.table();
        }

        @Override
        public List<Path> sstables() {
            return real.sstables();
        }

        @Override
        public Optional<String> onlyRows() {
            return real.onlyRows();
        }

        @Override
        public long obsoleteBytes() {
            return real.obsoleteBytes();
        }

        @Override
        public void close() {
            if (open.remove(number) != null) {
                keys.run(() -> inTurn(planId, () -> {
                    try {
                        real.close();
                    } finally {
                        givenBack.complete(null);
                    }
                }));
            }
        }
    }
}
