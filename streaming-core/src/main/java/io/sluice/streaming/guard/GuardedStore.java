package io.sluice.streaming.guard;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wraps a database whose methods, and those of the objects they return, may throw anything: see {@link DatabaseCall}.
 * Calls that release something never throw; their errors are logged. Thread-safe, as the database is.
 */
public final class GuardedStore implements TableStore {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedStore.class);

    private final TableStore store;
    private final Path stagingDirectory;

    /**
     * Reads the staging directory once.
     *
     * @param store the embedder's
     */
    public GuardedStore(TableStore store) {
        this.store = store;
        this.stagingDirectory = DatabaseCall.asked("stagingDirectory", store::stagingDirectory);
    }

    @Override
    public List<TableRef> knownTables() {
        return DatabaseCall.list("knownTables", store::knownTables);
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        return DatabaseCall.asked("table", () -> store.table(tableId));
    }

    @Override
    public boolean isDropped(UUID tableId) {
        return DatabaseCall.asked("isDropped", () -> store.isDropped(tableId));
    }

    @Override
    public long schemaDigest(TableRef table) {
        return DatabaseCall.asked("schemaDigest of " + table, () -> store.schemaDigest(table));
    }

    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        return new GuardedPin(table, DatabaseCall.named("pin of " + table, () -> store.pin(planId, table, ranges)));
    }

    @Override
    public Optional<List<LiveSSTable>> inspect(TableRef table, TokenRanges ranges) throws IOException {
        String name = "inspect of " + table;
        return DatabaseCall.named(name, () -> store.inspect(table, ranges))
                .map(found -> DatabaseCall.list(name, () -> found));
    }

    @Override
    public Path liveDirectory(TableRef table) throws IOException {
        String name = "liveDirectory of " + table;
        try {
            return DatabaseCall.named(name, () -> store.liveDirectory(table));
        } catch (StreamException e) {
            throw notDiscarding(name, e);
        }
    }

    @Override
    public Path liveDirectory(TableRef table, Volume volume) throws IOException {
        String name = "liveDirectory of " + table;
        try {
            return DatabaseCall.named(name, () -> store.liveDirectory(table, volume));
        } catch (StreamException e) {
            throw notDiscarding(name, e);
        }
    }

    @Override
    public Path stagingDirectory() {
        return stagingDirectory;
    }

    @Override
    public List<Volume> volumes() {
        List<Volume> volumes = DatabaseCall.list("volumes", store::volumes);
        long directories =
                volumes.stream().map(Volume::stagingDirectory).distinct().count();
        if (volumes.isEmpty() || directories < volumes.size()) {
            throw new StreamException(
                    ErrorCode.INTERNAL,
                    "volumes of the database: " + volumes
                            + " (expected: at least one, each with its own staging directory)");
        }
        return volumes;
    }

    @Override
    public String newId(TableRef table) throws IOException {
        return DatabaseCall.named("newId of " + table, () -> store.newId(table));
    }

    @Override
    public void expectArrivals(UUID planId, TableRef table, TokenRanges ranges) {
        DatabaseCall.asked("expectArrivals of " + table, () -> {
            store.expectArrivals(planId, table, ranges);
            return table;
        });
    }

    @Override
    public void arrived(UUID planId, TableRef table, Path dataFile) {
        released("arrived of " + table, () -> store.arrived(planId, table, dataFile));
    }

    @Override
    public void endArrivals(UUID planId, TableRef table) {
        DatabaseCall.asked("endArrivals of " + table, () -> {
            store.endArrivals(planId, table);
            return table;
        });
    }

    @Override
    public Optional<Instant> writesSince(TableRef table, TokenRanges ranges) {
        return DatabaseCall.asked("writesSince of " + table, () -> store.writesSince(table, ranges));
    }

    @Override
    public void diskFailed(Path stagingDirectory, String why) {
        released("diskFailed", () -> store.diskFailed(stagingDirectory, why));
    }

    @Override
    public Permit permit(UUID planId, UUID installId, TableRef table) throws IOException {
        Permit permit = DatabaseCall.named("permit for " + table, () -> store.permit(planId, installId, table));
        return new Permit() {
            @Override
            public void release() {
                released("release of the permit for " + table, permit::release);
            }

            @Override
            public boolean isRevoked() {
                return DatabaseCall.asked("isRevoked of the permit for " + table, permit::isRevoked);
            }
        };
    }

    @Override
    public void activate(UUID installId, TableRef table, List<Path> dataFiles) throws IOException {
        DatabaseCall.named("activate of " + table, () -> {
            store.activate(installId, table, dataFiles);
            return table;
        });
    }

    @Override
    public void activate(UUID installId, TableRef table, List<Path> dataFiles, Set<String> indexes) throws IOException {
        DatabaseCall.named("activate of " + table, () -> {
            store.activate(installId, table, dataFiles, indexes);
            return table;
        });
    }

    @Override
    public boolean buildsIndexes() {
        return DatabaseCall.asked("buildsIndexes", store::buildsIndexes);
    }

    @Override
    public void activated(UUID installId, TableRef table) {
        String name = "activated of " + table;
        try {
            DatabaseCall.asked(name, () -> {
                store.activated(installId, table);
                return table;
            });
        } catch (StreamException e) {
            throw notDiscarding(name, e);
        }
    }

    /**
     * The failure of a call that does not ask whether the database wants a set: {@link ErrorCode#DISCARDED} would say
     * that nothing of the set is visible or stays.
     */
    private static StreamException notDiscarding(String name, StreamException e) {
        return e.code() == ErrorCode.DISCARDED ? DatabaseCall.failed(name, e) : e;
    }

    /** Logs errors: no caller waits for a result, and the call is not repeated. */
    private static void released(String name, Runnable call) {
        try {
            DatabaseCall.asked(name, () -> {
                call.run();
                return name;
            });
        } catch (StreamException e) {
            failed(name, e);
        }
    }

    /** Logs an error that ends nothing, and passes an error of the virtual machine on at once. */
    private static void failed(String name, StreamException e) {
        LOG.error("the database failed in {}", name, e);
        VirtualMachineErrors fatal = new VirtualMachineErrors();
        fatal.note(e);
        fatal.handOn();
    }

    private record GuardedPin(TableRef table, PinnedTable pin) implements PinnedTable {
        @Override
        public List<Path> sstables() {
            return DatabaseCall.list("sstables of the pin of " + table, pin::sstables).stream()
                    .distinct()
                    .toList();
        }

        @Override
        public Optional<String> onlyRows() {
            return DatabaseCall.asked("onlyRows of the pin of " + table, pin::onlyRows);
        }

        /** A failure counts as 0. */
        @Override
        public long obsoleteBytes() {
            String name = "obsoleteBytes of the pin of " + table;
            try {
                return DatabaseCall.asked(name, pin::obsoleteBytes);
            } catch (StreamException e) {
                failed(name, e);
                return 0;
            }
        }

        @Override
        public void close() {
            released("close of the pin of " + table, pin::close);
        }
    }
}
