package io.sluice.harness.store;

import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
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
 * A {@link LocalStore} as streaming sees it: the example to read for whoever embeds Sluice in a database. Each method
 * says what the database has to do for it and where that is done; what each one promises is said in {@link TableStore}.
 *
 * <pre>
 * hook                       what this store does                                           survives a crash
 * table, knownTables         the tables that were created and not dropped                   their folders
 * isDropped                  remembers every dropped id                                     a file for each
 * schemaDigest               digests the columns of the CQL                                 schema.cql
 * pin                        flushes, then hard links                                       no: begun anew
 * newId                      ids of time and chance                                         never repeated
 * expectArrivals, endArrivals   compaction forgets no deletion there                        no: begun anew
 * writesSince                what the coordinator of writes has told                        no: a restart is a gap
 * permit                     none after a truncation or a drop; those wait for it           the truncation's note
 * activate                   visible in one step; refuses what a truncation has voided      the files, the note
 * activated                  compaction and removal may have the files                      not needed
 * diskFailed                 no more writes, no more streams                                a restart asks the disk
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

    /** The same store, into which what is streamed is written through another disk. */
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

    /** Of the table's CQL; a table that was found without it says nothing: its SSTables may not show all columns. */
    @Override
    public long schemaDigest(TableRef ref) {
        try {
            return store.declared(ref).map(StreamedStore::digest).orElse(0L);
        } catch (IOException e) {
            LOG.warn("{}: its schema cannot be compared with that of others: {}", ref, e.getMessage(), e);
            return 0;
        }
    }

    private static long digest(SerializationHeader columns) {
        byte[] text = Bytes.utf8(columns.toString()).toArray();
        return UUID.nameUUIDFromBytes(text).getMostSignificantBits();
    }

    /**
     * Flushes first: what was acknowledged before a stream began is streamed. A node whose disk has failed sends
     * nothing, either: what it takes for written may not be.
     */
    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        store.awaitLoaded(); // a peer that asks early must not believe that there is nothing
        store.requireDisk();
        store.flush();
        StoredTable stored = store.stored(table.id());
        try (TableView view = stored.view()) {
            List<SSTable> wanted = new ArrayList<>();
            for (SSTable sstable : view.sstables()) {
                if (sstable.coverage(ranges) != Coverage.NONE) {
                    wanted.add(sstable);
                }
            }
            return Snapshot.take(planId, table, stored.directory(), wanted);
        }
    }

    /** From memory: nothing is linked for a question; what is in memtables is written, as its SSTables are counted. */
    @Override
    public Optional<List<LiveSSTable>> inspect(TableRef table, TokenRanges ranges) throws IOException {
        store.awaitLoaded();
        store.requireDisk();
        store.flush();
        try (TableView view = store.stored(table.id()).view()) {
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
        return store.stored(table.id()).directory();
    }

    @Override
    public Path stagingDirectory() {
        return store.stagingDirectory();
    }

    @Override
    public String newId(TableRef table) {
        return store.newId().toString();
    }

    /** Before anything is pinned at a source: a compaction that runs may still forget, and is then made again. */
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

    /** As the coordinator of writes told by {@link #takePart}. */
    @Override
    public Optional<Instant> writesSince(TableRef table, TokenRanges ranges) {
        return participation.since(table.id(), ranges);
    }

    /**
     * Who coordinates writes says that from now on all writes to {@code ranges} come to this node, and no others. To be
     * called when no write is on its way any more that went by an older ring.
     */
    public void takePart(UUID tableId, TokenRanges ranges, Instant now) {
        participation.begin(tableId, ranges, now);
    }

    /** Who coordinates writes says that one to this table has not come: what is known until now counts no more. */
    public void missed(UUID tableId) {
        participation.lost(tableId);
    }

    @Override
    public void diskFailed(Path stagingDirectory, String why) {
        store.fail(why);
    }

    @Override
    public Permit permit(UUID planId, UUID installId, TableRef table) throws IOException {
        store.requireDisk();
        StoredTable stored = store.find(table.id())
                .orElseThrow(
                        () -> new StreamException(ErrorCode.DISCARDED, table + " was dropped while it was streamed"));
        return stored.incoming().permit(planId, installId);
    }

    @Override
    public void activate(UUID installId, TableRef table, List<Path> dataFiles) throws IOException {
        StoredTable stored = store.stored(table.id());
        stored.install(installId, descriptors(dataFiles));
        LOG.info(
                "install {}: table {} now has {} SSTables",
                installId,
                table,
                stored.live().sstables().size());
    }

    private static List<Descriptor> descriptors(List<Path> dataFiles) {
        return dataFiles.stream()
                .map(file -> Descriptor.parse(file.getFileName().toString())
                        .filter(named -> named.component() == Component.DATA)
                        .orElseThrow(() -> new IllegalArgumentException(file + " is no Data.db file"))
                        .descriptor())
                .toList();
    }

    @Override
    public void activated(UUID installId, TableRef table) {
        store.find(table.id()).ifPresent(stored -> {
            stored.activated(installId);
            store.requestCompaction(stored);
        });
    }
}
