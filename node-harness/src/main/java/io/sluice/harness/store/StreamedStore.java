package io.sluice.harness.store;

import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.StoreWithDisk;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link LocalStore} as seen by streaming: an example for anyone who embeds Sluice in a database. Each method states
 * what the database has to do and where that is done; {@link TableStore} states what each method promises.
 *
 * <pre>
 * hook                       what this store does                                           survives a crash
 * table, knownTables         the tables that were created and not dropped                   their folders
 * isDropped                  remembers every dropped id                                     a file for each
 * schemaDigest               digests the columns of the CQL                                 schema.cql
 * pin                        flushes, then creates hard links                               no: pinned again
 * newId                      ids from time and random bits                                  never repeated
 * expectArrivals, endArrivals   compaction purges no tombstone there                        no: announced again
 * writesSince                as the write coordinator reported                              no: a restart is a gap
 * permit                     refused after truncate or drop, which wait for permits         the truncation's record
 * activate                   makes files visible atomically; refuses truncated installs     the files, the record
 * activated                  compaction and removal may use the files                       not needed
 * volumes                    its data directories                                           their ids
 * diskFailed                 no more writes there; for the first, no writes or streams at all  a restart checks the disk
 * </pre>
 *
 * Thread-safe.
 */
public final class StreamedStore implements StoreWithDisk {
    private static final Logger LOG = LoggerFactory.getLogger(StreamedStore.class);

    private final LocalStore store;
    private final WriteParticipation participation;
    private final Disk disk;

    StreamedStore(LocalStore store) {
        this(store, new WriteParticipation(), new FileSystemDisk());
    }

    private StreamedStore(LocalStore store, WriteParticipation participation, Disk disk) {
        this.store = store;
        this.participation = participation;
        this.disk = disk;
    }

    /** The same store, which writes streamed data through another disk. */
    public StreamedStore on(Disk other) {
        return new StreamedStore(store, participation, other);
    }

    @Override
    public Disk disk() {
        return disk;
    }

    @Override
    public List<TableRef> knownTables() {
        return store.refs();
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        return store.find(tableId).map(StoredTable::ref);
    }

    @Override
    public boolean isDropped(UUID tableId) {
        return store.isDropped(tableId);
    }

    /** Digest of the table's CQL. A table without CQL has none: its SSTables may not show all columns. */
    @Override
    public long schemaDigest(TableRef ref) {
        try {
            return store.declared(ref).map(StreamedStore::digest).orElse(0L);
        } catch (IOException e) {
            LOG.warn("{}: cannot compare its schema with that of peers: {}", ref, e.getMessage(), e);
            return 0;
        }
    }

    private static long digest(SerializationHeader columns) {
        byte[] text = Bytes.utf8(columns.toString()).toArray();
        return UUID.nameUUIDFromBytes(text).getMostSignificantBits();
    }

    /**
     * Flushes first, so that everything acknowledged before a stream began is streamed. A node whose disk has failed
     * sends nothing either: data that it considers written may be missing.
     */
    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        store.awaitLoaded(); // an early request must not see an empty table
        store.requireDisk();
        store.flush();
        StoredTable stored = store.stored(table.id());
        stored.requireWhole();
        try (TableView view = stored.view()) {
            List<SSTable> wanted = new ArrayList<>();
            for (SSTable sstable : view.sstables()) {
                if (sstable.coverage(ranges) != Coverage.NONE) {
                    wanted.add(sstable);
                }
            }
            return Snapshot.take(planId, table, wanted);
        }
    }

    /** Answers from memory, without links; flushes memtables, as only SSTables are counted. */
    @Override
    public Optional<List<LiveSSTable>> inspect(TableRef table, TokenRanges ranges) throws IOException {
        store.awaitLoaded();
        store.requireDisk();
        store.flush();
        StoredTable stored = store.stored(table.id());
        stored.requireWhole();
        try (TableView view = stored.view()) {
            List<LiveSSTable> live = new ArrayList<>();
            for (SSTable sstable : view.sstables()) {
                if (sstable.coverage(ranges) != Coverage.NONE) {
                    live.add(new LiveSSTable(sstable.firstToken(), sstable.lastToken(), sstable.bytesOnDisk()));
                }
            }
            return Optional.of(live);
        }
    }

    @Override
    public Path liveDirectory(TableRef table) throws IOException {
        return store.stored(table.id()).folders().home();
    }

    @Override
    public Path liveDirectory(TableRef table, Volume volume) throws IOException {
        return store.stored(table.id()).folders().in(store.directories().of(volume.stagingDirectory()));
    }

    @Override
    public Path stagingDirectory() {
        return DataDirectories.staging(store.directories().home());
    }

    /** Token ranges are not divided between them: streamed SSTables go to the volume with the most room. */
    @Override
    public List<Volume> volumes() {
        return store.directories().all().stream()
                .map(directory -> new Volume(DataDirectories.staging(directory)))
                .toList();
    }

    @Override
    public String newId(TableRef table) {
        return store.newId().toString();
    }

    /** Called before any source is pinned: a running compaction may still purge tombstones, and is then repeated. */
    @Override
    public void expectArrivals(UUID planId, TableRef table, TokenRanges ranges) {
        try {
            store.requireDisk();
            store.stored(table.id()).incoming().expect(planId, ranges);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void endArrivals(UUID planId, TableRef table) {
        store.find(table.id()).ifPresent(stored -> {
            stored.incoming().end(planId);
            store.requestCompaction(stored); // what had to be remembered until now
        });
    }

    /** As the write coordinator reported by {@link #takePart}. */
    @Override
    public Optional<Instant> writesSince(TableRef table, TokenRanges ranges) {
        return participation.since(table.id(), ranges);
    }

    /**
     * The write coordinator reports that from now on this node receives all writes to {@code ranges}, and no others.
     * Called when no write that used an older ring is in flight.
     */
    public void takePart(UUID tableId, TokenRanges ranges, Instant now) {
        participation.begin(tableId, ranges, now);
    }

    /** The write coordinator reports that a write to this table was missed: earlier reports no longer count. */
    public void missed(UUID tableId) {
        participation.lost(tableId);
    }

    @Override
    public void diskFailed(Path stagingDirectory, String why) {
        store.directories().fail(store.directories().of(stagingDirectory), why);
    }

    @Override
    public Permit permit(UUID planId, UUID installId, TableRef table) throws IOException {
        store.requireDisk();
        StoredTable stored = store.find(table.id())
                .orElseThrow(() ->
                        new StreamException(ErrorCode.DISCARDED, table + " was dropped while it was being received"));
        return stored.incoming().permit(planId, installId);
    }

    @Override
    public void activate(UUID installId, TableRef table, List<Path> dataFiles) throws IOException {
        StoredTable stored = store.stored(table.id());
        stored.install(installId, dataFiles);
        LOG.info(
                "install {}: table {} now has {} SSTables",
                installId,
                table,
                stored.live().sstables().size());
    }

    @Override
    public void activated(UUID installId, TableRef table) {
        store.find(table.id()).ifPresent(stored -> {
            stored.activated(installId);
            store.requestCompaction(stored);
        });
    }
}
