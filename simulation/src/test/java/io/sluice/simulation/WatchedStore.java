package io.sluice.simulation;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/** The database of a node, and what it is called with; each call may be made to fail, to hang, or to call back. */
final class WatchedStore implements TableStore {
    private final TableStore real;

    /** What was called, in order, where the order counts. */
    final List<String> calls = new ArrayList<>();

    /** Tables that are not known yet. */
    final Set<UUID> hidden = new HashSet<>();

    Call onCall = call -> {};
    boolean isRevoking;
    long obsoleteBytes;
    Supplier<Optional<Instant>> writesSince = Optional::empty;

    /** What happens in a call before it has an effect. */
    interface Call {
        void begins(String call) throws IOException;
    }

    WatchedStore(TableStore real) {
        this.real = real;
    }

    private void called(String call, TableRef table) throws IOException {
        String line = call + " " + table.name();
        calls.add(line);
        onCall.begins(line);
    }

    /** A question, which may come at any time and is not listed. */
    private void asked(String question, TableRef table) {
        try {
            onCall.begins(question + " " + table.name());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Of calls that may throw no checked exception. */
    private void told(String call, TableRef table) {
        try {
            called(call, table);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public List<TableRef> knownTables() {
        return real.knownTables();
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        return real.table(tableId).filter(table -> !hidden.contains(tableId));
    }

    @Override
    public boolean isDropped(UUID tableId) {
        return real.isDropped(tableId);
    }

    @Override
    public long schemaDigest(TableRef table) {
        return real.schemaDigest(table);
    }

    @Override
    public Optional<List<LiveSSTable>> inspect(TableRef table, TokenRanges ranges) throws IOException {
        called("inspect", table);
        return real.inspect(table, ranges);
    }

    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        called("pin", table);
        PinnedTable pinned = real.pin(planId, table, ranges);
        return new PinnedTable() {
            @Override
            public TableRef table() {
                return table;
            }

            @Override
            public List<Path> sstables() {
                asked("sstables", table);
                return pinned.sstables();
            }

            @Override
            public long obsoleteBytes() {
                return obsoleteBytes;
            }

            @Override
            public void close() {
                told("unpin", table);
                pinned.close();
            }
        };
    }

    @Override
    public Path liveDirectory(TableRef table) throws IOException {
        return real.liveDirectory(table);
    }

    @Override
    public Path stagingDirectory() {
        return real.stagingDirectory();
    }

    @Override
    public String newId(TableRef table) throws IOException {
        return real.newId(table);
    }

    @Override
    public void expectArrivals(UUID planId, TableRef table, TokenRanges ranges) {
        told("expect", table);
        real.expectArrivals(planId, table, ranges);
    }

    @Override
    public void endArrivals(UUID planId, TableRef table) {
        told("end", table);
        real.endArrivals(planId, table);
    }

    @Override
    public Optional<Instant> writesSince(TableRef table, TokenRanges ranges) {
        return writesSince.get();
    }

    @Override
    public void diskFailed(Path stagingDirectory, String why) {
        real.diskFailed(stagingDirectory, why);
    }

    @Override
    public Permit permit(UUID planId, UUID installId, TableRef table) throws IOException {
        called("permit", table);
        Permit permit = real.permit(planId, installId, table);
        return new Permit() {
            @Override
            public void release() {
                told("back", table);
                permit.release();
            }

            @Override
            public boolean isRevoked() {
                return isRevoking || permit.isRevoked();
            }
        };
    }

    @Override
    public void activate(UUID installId, TableRef table, List<Path> dataFiles) throws IOException {
        called("activate", table);
        real.activate(installId, table, dataFiles);
    }

    @Override
    public void activated(UUID installId, TableRef table) {
        told("activated", table);
        real.activated(installId, table);
    }
}
