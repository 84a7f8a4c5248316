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
 * The pins that a node holds for peers. Obsolete files occupy space as long as they are pinned. If they occupy too
 * much, pins of completely received tables are released before the install; if that is not enough, new pins are
 * refused, and receivers retry later. Thread-safe.
 */
public final class Pins {
    private static final Logger LOG = LoggerFactory.getLogger(Pins.class);

    private final TableStore store;
    private final Disk disk;
    private final int mostPercent;
    private final SerialExecutors serial;
    private final Executor threads;
    /** By number, the oldest first. */
    private final Map<Long, Pin> open = new ConcurrentSkipListMap<>();

    private final AtomicLong numbers = new AtomicLong();

    /**
     * Starts without pins.
     *
     * @param mostPercent percentage of a volume that files may occupy which only pins keep alive
     * @param serial makes calls of the database for one plan sequential, on {@code threads}
     */
    public Pins(TableStore store, Disk disk, int mostPercent, SerialExecutors serial, Executor threads) {
        this.serial = serial;
        this.threads = threads;
        this.store = store;
        this.disk = disk;
        this.mostPercent = mostPercent;
    }

    /** Runs work that pins for a plan after other pins and releases of the plan. */
    void inTurn(UUID planId, Runnable work) {
        serial.execute(planId, threads, work);
    }

    /** Bytes that only pins keep alive; a file that two pins keep counts twice. */
    public long obsoleteBytes() {
        return open.values().stream().mapToLong(PinnedTable::obsoleteBytes).sum();
    }

    /** The number of unreleased pins. */
    public int open() {
        return open.size();
    }

    /**
     * Pins a table as {@link TableStore#pin} does.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if pins keep too many obsolete bytes already
     */
    public Pin pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        return new Series(planId).pin(table, ranges);
    }

    /** Pins that one session takes one after the other. */
    Series series(UUID planId) {
        return new Series(planId);
    }

    /**
     * Pins of one session: what all open pins keep is summed when it begins, and once more if it is too much, because a
     * sum for each of many tables would take a time that grows with the square of their number. Not thread-safe.
     */
    final class Series {
        private final UUID planId;
        private long keptBytes = obsoleteBytes();
        private boolean hasGivenBack;

        private Series(UUID planId) {
            this.planId = planId;
        }

        /** As {@link Pins#pin}. */
        Pin pin(TableRef table, TokenRanges ranges) throws IOException {
            long most = mostBytes(table);
            if (keptBytes > most && !hasGivenBack) {
                hasGivenBack = true;
                giveBackLanded();
                keptBytes = obsoleteBytes();
            }
            if (keptBytes > most) {
                throw new StreamException(
                        ErrorCode.LIMIT,
                        table + ": " + keptBytes + " bytes of obsolete files are kept only because " + open.size()
                                + " transfers from this node need them (expected: at most " + most + ", " + mostPercent
                                + " % of the volumes); wait for them to end, or cancel one");
            }
            Pin pin = new Pin(planId, table, store.pin(planId, table, ranges));
            open.put(pin.number, pin);
            return pin;
        }
    }

    /**
     * The limit for obsolete files, from the sizes of readable volumes: a failed volume sends nothing either.
     *
     * @throws IOException if no volume can be read
     */
    private long mostBytes(TableRef table) throws IOException {
        List<TableStore.Volume> volumes = store.volumes();
        IOException failure = null;
        long most = 0;
        int asked = 0;
        for (TableStore.Volume volume : volumes) {
            try {
                most += disk.volumeBytes(store.liveDirectory(table, volume)) / 100 * mostPercent;
                asked++;
            } catch (IOException e) {
                LOG.warn("{}: cannot read the size of {}: {}", table, volume.stagingDirectory(), e.toString());
                failure = e;
            }
        }
        if (asked == 0 && failure != null) {
            throw failure;
        }
        return most;
    }

    /**
     * Releases the pins of completely received tables: receivers hold them durably, and pin again if they fail before
     * the install.
     */
    private void giveBackLanded() {
        for (Pin pin : open.values()) {
            if (pin.hasLanded && pin.obsoleteBytes() > 0) {
                pin.keys.run(() -> LOG.warn(
                        "{}: pin released before the receiver has installed the table, because obsolete files occupy too much space",
                        pin.table()));
                pin.close();
            }
        }
    }

    /**
     * Revokes all pins of a table because the database needs the files; completes when they are released. Later pins of
     * the table are not affected.
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

    /** A pin of one table; released after other calls of the plan when it is closed. Closing is idempotent. */
    public final class Pin implements PinnedTable {
        private final long number = numbers.incrementAndGet();
        private final UUID planId;
        private final PinnedTable real;
        private final OpenedTable opened;
        private final CompletableFuture<Void> givenBack = new CompletableFuture<>();
        /** Completes with the reason if the pin is revoked. */
        private final CompletableFuture<String> revoked = new CompletableFuture<>();

        /** The log keys of the caller that pinned the table. */
        private final LogKeys keys;

        private volatile boolean hasLanded;

        private Pin(UUID planId, TableRef table, PinnedTable real) {
            this.planId = planId;
            this.real = real;
            this.keys = LogKeys.current().withTable(table);
            this.opened = new OpenedTable(this);
        }

        /** Its SSTables, each opened once; for the preparation that requested the pin. */
        OpenedTable opened() {
            return opened;
        }

        /** The whole table is durable at its receiver, and its files were found unchanged here. */
        void landed() {
            hasLanded = true;
        }

        /** Notifies {@code user} when the database revokes the pin; at once if it has already. */
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
