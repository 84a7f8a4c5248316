package io.sluice.netty.send;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a node has pinned for others. Files that the database has replaced take room for as long as they are pinned: if
 * that becomes too much nothing more is pinned, and receivers try again later. Thread-safe.
 */
public final class Pins {
    private final TableStore store;
    private final Disk disk;
    private final int mostPercent;
    private final Set<Pin> open = ConcurrentHashMap.newKeySet();

    /** @param mostPercent of the volume that files may take that only pins keep alive */
    public Pins(TableStore store, Disk disk, int mostPercent) {
        this.store = store;
        this.disk = disk;
        this.mostPercent = mostPercent;
    }

    /** Bytes that only pins keep alive; a file that two pins keep counts twice. */
    public long obsoleteBytes() {
        return open.stream().mapToLong(PinnedTable::obsoleteBytes).sum();
    }

    /** Pins that were not given back. */
    public int open() {
        return open.size();
    }

    /**
     * Pins, as {@link TableStore#pin} does.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if pins keep too much alive already
     */
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        long kept = obsoleteBytes();
        long most = disk.volumeBytes(store.liveDirectory(table)) / 100 * mostPercent;
        if (kept > most) {
            throw new StreamException(
                    ErrorCode.LIMIT,
                    table + ": " + kept + " bytes are kept on the disk only because " + open.size()
                            + " transfers from here still need them (expected: at most " + most + ", " + mostPercent
                            + " % of the volume); wait for them to end, or cancel one");
        }
        Pin pin = new Pin(store.pin(planId, table, ranges));
        open.add(pin);
        return pin;
    }

    private final class Pin implements PinnedTable {
        private final PinnedTable real;

        Pin(PinnedTable real) {
            this.real = real;
        }

        @Override
        public TableRef table() {
            return real.table();
        }

        @Override
        public List<SSTable> sstables() {
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
            if (open.remove(this)) {
                real.close();
            }
        }
    }
}
