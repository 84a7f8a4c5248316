package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of a node, in folders as Cassandra lays them out; see the package for the way of a write. Thread-safe.
 * Closed by who opened it, after the streaming engine.
 */
public final class LocalStore implements TableStore, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalStore.class);
    private static final String STAGING = ".sluice-staging";
    private static final String COMMIT_LOG = "commitlog";
    private static final String SCHEMA = "schema.cql";

    private final Path dataDirectory;
    private final StoreOptions options;
    private final TimeOrderedIds ids = new TimeOrderedIds(InstantSource.system(), new SecureRandom());
    private final CountDownLatch loaded = new CountDownLatch(1);
    private final Compactions compactions;
    private final List<Path> oldLogs;
    private final CommitLog log;

    /** Writers hold it shared, from the log to memory; a flush holds it alone, so that a memtable has its own log. */
    private final ReadWriteLock switching = new ReentrantReadWriteLock();

    private final Object flushing = new Object();

    @GuardedBy("tables")
    private final Map<UUID, StoredTable> tables = new LinkedHashMap<>();

    private LocalStore(Path dataDirectory, StoreOptions options, List<Path> oldLogs, CommitLog log) {
        this.dataDirectory = dataDirectory;
        this.options = options;
        this.oldLogs = oldLogs;
        this.log = log;
        this.compactions = new Compactions(options.compaction());
    }

    /**
     * Finds the tables and removes what a crash left unfinished. SSTables and log wait for {@link #load()}: an install
     * may be half done, which the streaming engine finishes first.
     */
    public static LocalStore open(Path dataDirectory, StoreOptions options) throws IOException {
        Path logs = dataDirectory.resolve(COMMIT_LOG);
        List<Path> oldLogs = CommitLog.files(logs);
        LocalStore store = new LocalStore(dataDirectory, options, oldLogs, CommitLog.open(logs, options.sync()));
        Files.createDirectories(store.stagingDirectory());
        for (TableDirectory found : TableDirectory.find(dataDirectory)) {
            Leftovers.remove(found.path());
            TableRef ref = new TableRef(found.id(), found.keyspace(), found.name());
            StoredTable table = store.add(ref, found.path());
            Path schema = found.path().resolve(SCHEMA);
            if (Files.exists(schema)) {
                table.learn(layout(Files.readString(schema), ref));
            }
        }
        return store;
    }

    /** Opens the SSTables on disk, and brings back what only the log has. Reads and writes wait for it. */
    public void load() throws IOException {
        for (StoredTable table : tables()) {
            table.goLive(onDisk(table).descriptors());
            LOG.info(
                    "table {} has {} SSTables",
                    table.ref(),
                    table.live().sstables().size());
        }
        replay();
        loaded.countDown();
        compactions.request(tables());
    }

    private static TableDirectory onDisk(StoredTable table) {
        return TableDirectory.of(table.directory()).orElseThrow();
    }

    private void replay() throws IOException {
        long writes = CommitLog.replay(oldLogs, payload -> {
            UUID tableId = new UUID(payload.getLong(), payload.getLong());
            StoredTable table = stored(tableId);
            int length = payload.remaining();
            table.apply(new MutationCodec(table.layout().header()).read(payload), length);
        });
        for (StoredTable table : tables()) {
            table.switchMemtable();
            table.flush();
        }
        for (Path file : oldLogs) {
            Files.deleteIfExists(file);
        }
        LOG.info("{} writes were in the commit log", writes);
    }

    /** Makes a table that this node does not know yet; without rows until SSTables come, or its schema. */
    public void createTable(TableRef ref) throws IOException {
        synchronized (tables) {
            if (!tables.containsKey(ref.id())) {
                String folder = ref.name() + "-" + ref.id().toString().replace("-", "");
                Path directory = dataDirectory.resolve(ref.keyspace()).resolve(folder);
                Files.createDirectories(directory);
                CommitLog.syncDirectory(dataDirectory);
                CommitLog.syncDirectory(dataDirectory.resolve(ref.keyspace()));
                add(ref, directory);
            }
        }
    }

    /**
     * Makes a table as {@code cql}, a CREATE TABLE statement, says; has no effect if rows of it are known already.
     *
     * @throws IOException also if the CQL cannot be understood, or is of another table
     */
    public void createTable(TableRef ref, String cql) throws IOException {
        TableLayout layout = layout(cql, ref);
        createTable(ref);
        StoredTable table = stored(ref.id());
        Path schema = table.directory().resolve(SCHEMA);
        if (!Files.exists(schema)) {
            Path temporary = table.directory().resolve(SCHEMA + ".tmp");
            Files.deleteIfExists(temporary);
            ComponentOutput.write(temporary, Bytes.utf8(cql));
            ComponentOutput.sync(temporary);
            Files.move(temporary, schema, StandardCopyOption.ATOMIC_MOVE);
            CommitLog.syncDirectory(table.directory());
        }
        table.learn(layout);
    }

    private static TableLayout layout(String cql, TableRef ref) throws IOException {
        try {
            TableSchema schema = TableSchema.parse(cql);
            if (!schema.keyspace().equals(ref.keyspace()) || !schema.name().equals(ref.name())) {
                throw new IOException(
                        "schema of " + schema.keyspace() + "." + schema.name() + " (expected: of " + ref + ")");
            }
            return TableLayout.of(schema);
        } catch (SchemaException e) {
            throw new IOException("schema of " + ref + ": " + e.getMessage(), e);
        }
    }

    @Override
    public List<TableRef> knownTables() {
        return tables().stream().map(StoredTable::ref).toList();
    }

    /** Of the table's CQL; a table that was found without it says nothing: its SSTables may not show all columns. */
    @Override
    public long schemaDigest(TableRef ref) {
        try {
            Path schema = stored(ref.id()).directory().resolve(SCHEMA);
            if (!Files.exists(schema)) {
                return 0;
            }
            String columns = layout(Files.readString(schema), ref).header().toString();
            return UUID.nameUUIDFromBytes(Bytes.utf8(columns).toArray()).getMostSignificantBits();
        } catch (IOException e) {
            LOG.warn("{}: its schema cannot be compared with that of others: {}", ref, e.getMessage(), e);
            return 0;
        }
    }

    private StoredTable add(TableRef ref, Path directory) {
        synchronized (tables) {
            StoredTable table = new StoredTable(ref, directory, ids::next);
            tables.put(ref.id(), table);
            return table;
        }
    }

    private List<StoredTable> tables() {
        synchronized (tables) {
            return List.copyOf(tables.values());
        }
    }

    private StoredTable stored(UUID tableId) throws IOException {
        synchronized (tables) {
            StoredTable table = tables.get(tableId);
            if (table == null) {
                throw new IOException("table " + tableId + ": unknown to this node (expected: one of "
                        + tables.values().stream().map(StoredTable::ref).toList() + ")");
            }
            return table;
        }
    }

    /** All tables, by the order in which they came. */
    public List<TableRef> refs() {
        return tables().stream().map(StoredTable::ref).toList();
    }

    /** How mutations of a table are written as bytes. */
    public MutationCodec codec(UUID tableId) throws IOException {
        return new MutationCodec(stored(tableId).layout().header());
    }

    /**
     * Writes. When this returns, all of it is kept, as the {@link SyncPolicy} has it, and seen by every read; when it
     * throws, each mutation may or may not be there.
     */
    public void write(UUID tableId, List<Mutation> mutations) throws IOException {
        awaitLoaded();
        StoredTable table = stored(tableId);
        MutationCodec codec = new MutationCodec(table.layout().header());
        CommitLog.Position last = null;
        switching.readLock().lock();
        try {
            for (Mutation mutation : mutations) {
                requireRows(mutation, table);
                GrowingBuffer record = new GrowingBuffer().putLong(tableId.getMostSignificantBits());
                codec.write(mutation, record.putLong(tableId.getLeastSignificantBits()));
                ByteBuffer payload = record.written();
                last = log.append(payload);
                table.apply(mutation, payload.remaining());
            }
        } finally {
            switching.readLock().unlock();
        }
        if (last != null) {
            log.acknowledge(last);
        }
        if (tables().stream().mapToLong(StoredTable::memoryBytes).sum() > options.memtableBytes()) {
            flush(); // by the writer itself: who writes faster than the disk takes it has to wait
        }
    }

    /** What cannot become an SSTable is refused before it is in the log, from where it would come again and again. */
    private static void requireRows(Mutation mutation, StoredTable table) throws IOException {
        int columns = table.layout().header().clusteringTypes().size();
        for (var item : mutation.items()) {
            ClusteringPrefix clustering = item.clustering();
            boolean isRow = clustering.kind() == ClusteringPrefix.Kind.ROW;
            if (isRow ? clustering.length() != columns : clustering.length() > columns) {
                throw new SSTableException(table.ref() + ": " + clustering + " (expected: " + columns + " values)");
            }
        }
    }

    /** Writes all that is in memory to SSTables, and empties the log. */
    public void flush() throws IOException {
        synchronized (flushing) {
            if (tables().stream().noneMatch(StoredTable::hasUnflushed)) {
                return;
            }
            List<LogSegment> covered;
            switching.writeLock().lock();
            try {
                covered = log.rotate();
                tables().forEach(StoredTable::switchMemtable);
            } finally {
                switching.writeLock().unlock();
            }
            for (StoredTable table : tables()) {
                table.flush();
            }
            log.discard(covered);
        }
        compactions.request(tables());
    }

    /** A table as it is now, with what is in memory. */
    public TableView view(UUID tableId) throws IOException {
        awaitLoaded();
        return stored(tableId).view();
    }

    /** Compacts a table until {@code strategy} finds nothing more to do. */
    public void compact(UUID tableId, CompactionStrategy strategy) throws IOException {
        awaitLoaded();
        compactions.run(stored(tableId), strategy);
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        synchronized (tables) {
            return Optional.ofNullable(tables.get(tableId)).map(StoredTable::ref);
        }
    }

    /** Flushes first: what was acknowledged before a stream began is streamed. */
    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        awaitLoaded(); // a peer that asks early must not believe that there is nothing
        flush();
        StoredTable stored = stored(table.id());
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

    @Override
    public Path liveDirectory(TableRef table) throws IOException {
        return stored(table.id()).directory();
    }

    @Override
    public Path stagingDirectory() {
        return dataDirectory.resolve(STAGING);
    }

    @Override
    public SSTableId newId(TableRef table) {
        return ids.next();
    }

    @Override
    public void goLive(UUID installId, TableRef table, List<Descriptor> sstables) throws IOException {
        StoredTable stored = stored(table.id());
        stored.unsettled(installId, sstables);
        stored.goLive(sstables);
        LOG.info(
                "install {}: table {} now has {} SSTables",
                installId,
                table,
                stored.live().sstables().size());
    }

    @Override
    public void settled(UUID installId, TableRef table) {
        StoredTable stored;
        synchronized (tables) {
            stored = tables.get(table.id());
        }
        if (stored != null) {
            stored.settled(installId);
            if (loaded.getCount() == 0) {
                compactions.request(List.of(stored));
            }
        }
    }

    private void awaitLoaded() throws InterruptedIOException {
        try {
            loaded.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the tables are loaded");
        }
    }

    /** Ends compaction and closes the log; what is in memory is in the log. */
    @Override
    public void close() throws IOException {
        compactions.close();
        log.close();
    }
}
