package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
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
 * The tables of a node, in folders laid out like Cassandra's. The package documentation describes the path of a write,
 * and {@link StreamedStore} the interface to streaming. Long because what changes a table, and what reads it, share its
 * locks. Thread-safe. Closed by its owner, after the streaming engine.
 */
public final class LocalStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalStore.class);
    private static final String DROPPED = "dropped-tables";
    private static final Duration INSTALL_PATIENCE = Duration.ofSeconds(60);
    private static final String COMMIT_LOG = "commitlog";
    private static final String SCHEMA = "schema.cql";

    private final DataDirectories directories;
    private final StoreOptions options;
    private final TimeOrderedIds ids = new TimeOrderedIds(InstantSource.system(), new SecureRandom());
    private final CountDownLatch loaded = new CountDownLatch(1);
    private final Compactions compactions;
    private final List<Path> oldLogs;
    private final CommitLog log;
    private final DroppedTables dropped;

    /** Shared by writers, from the log to the memtable; exclusive for a flush, so that a memtable has its own log. */
    private final ReadWriteLock switching = new ReentrantReadWriteLock();

    private final Object flushing = new Object();

    @GuardedBy("tables")
    private final Map<UUID, StoredTable> tables = new LinkedHashMap<>();

    private final StreamedStore streamed = new StreamedStore(this);

    private LocalStore(
            DataDirectories directories,
            StoreOptions options,
            DroppedTables dropped,
            List<Path> oldLogs,
            CommitLog log) {
        this.directories = directories;
        this.options = options;
        this.dropped = dropped;
        this.oldLogs = oldLogs;
        this.log = log;
        this.compactions = new Compactions(options.compaction());
    }

    /**
     * Finds the tables and removes what a crash left unfinished. Does not open SSTables and log before {@link #load()}:
     * the streaming engine must first complete interrupted installs.
     */
    public static LocalStore open(Path dataDirectory, StoreOptions options) throws IOException {
        return open(List.of(dataDirectory), options);
    }

    /**
     * Opens a store on several volumes. A volume that cannot be used is ignored until the next start, except the first,
     * which holds log, schemas and records.
     */
    public static LocalStore open(List<Path> dataDirectories, StoreOptions options) throws IOException {
        DataDirectories directories = DataDirectories.open(dataDirectories);
        Path logs = directories.home().resolve(COMMIT_LOG);
        List<Path> oldLogs = CommitLog.files(logs);
        DroppedTables dropped = DroppedTables.open(directories.home().resolve(DROPPED));
        CommitLog log = CommitLog.open(logs, options.sync());
        LocalStore store = new LocalStore(directories, options, dropped, oldLogs, log);
        for (Map.Entry<TableRef, TableFolders> found : store.found().entrySet()) {
            TableRef ref = found.getKey();
            TableFolders folders = found.getValue();
            folders.create();
            OrphanedFiles.remove(folders.usable(), directories.isWhole());
            StoredTable table = store.add(ref, folders);
            table.recall();
            Path schema = folders.home().resolve(SCHEMA);
            if (Files.exists(schema)) {
                learn(table, schema(Files.readString(schema), ref));
            }
        }
        return store;
    }

    /** The tables in all data directories; removes those that were dropped. */
    private Map<TableRef, TableFolders> found() throws IOException {
        Map<TableRef, TableFolders> found = new LinkedHashMap<>();
        directories.onEach(directory -> {
            for (TableDirectory table : TableDirectory.find(directory)) {
                if (dropped.contains(table.id())) {
                    OrphanedFiles.removeTree(table.path());
                } else {
                    found.putIfAbsent(
                            new TableRef(table.id(), table.keyspace(), table.name()),
                            new TableFolders(directories, directory.relativize(table.path())));
                }
            }
        });
        return found;
    }

    private static void learn(StoredTable table, TableSchema schema) {
        table.learn(TableLayout.of(schema));
        table.learnGrace(schema.gcGraceSeconds());
    }

    /** Opens the SSTables and replays the log. Reads and writes wait until it is done. */
    public void load() throws IOException {
        directories.requireHome();
        for (StoredTable table : tables()) {
            table.load();
            LOG.info(
                    "table {} has {} SSTables",
                    table.ref(),
                    table.live().sstables().size());
        }
        directories.loaded();
        replay();
        loaded.countDown();
        compactions.request(tables());
    }

    private void replay() throws IOException {
        long writes = CommitLog.replay(oldLogs, payload -> {
            UUID tableId = new UUID(payload.getLong(), payload.getLong());
            if (dropped.contains(tableId)) {
                return;
            }
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
        if (!oldLogs.isEmpty()) { // or a crash may bring them back, and rows that were truncated meanwhile
            new LocalFiles().syncDirectory(directories.home().resolve(COMMIT_LOG));
        }
        LOG.info("replayed {} writes from the commit log", writes);
    }

    /**
     * Creates a table if it is unknown; it has no rows before SSTables are installed or a schema is given.
     *
     * @throws IllegalArgumentException if its names are invalid
     */
    public void createTable(TableRef ref) throws IOException {
        requireDisk();
        if (dropped.contains(ref.id())) {
            throw new IOException(
                    ref + " was dropped (expected: another id; that of a dropped table never comes back)");
        }
        TableFolders folders = new TableFolders(directories, name(ref));
        synchronized (tables) {
            if (!tables.containsKey(ref.id())) {
                folders.create();
                add(ref, folders);
            }
        }
    }

    private static Path name(TableRef ref) {
        return TableDirectory.in(Path.of(""), ref.keyspace(), ref.name(), ref.id());
    }

    /**
     * Creates a table from {@code cql}, a CREATE TABLE statement; has no effect if its schema is already known.
     *
     * @throws IOException also if the CQL is invalid, or declares another table
     */
    public void createTable(TableRef ref, String cql) throws IOException {
        var unused = name(ref); // first: error messages use it
        TableSchema parsed = schema(cql, ref);
        createTable(ref);
        StoredTable table = stored(ref.id());
        Path schema = table.folders().home().resolve(SCHEMA);
        if (!Files.exists(schema)) {
            DurableFile.write(schema, cql);
        }
        learn(table, parsed);
    }

    private static TableSchema schema(String cql, TableRef ref) throws IOException {
        try {
            TableSchema schema = TableSchema.parse(cql);
            if (!schema.keyspace().equals(ref.keyspace()) || !schema.name().equals(ref.name())) {
                throw new IOException(
                        "schema of " + schema.keyspace() + "." + schema.name() + " (expected: of " + ref + ")");
            }
            return schema;
        } catch (SchemaException e) {
            throw new IOException("schema of " + ref + ": " + e.getMessage(), e);
        }
    }

    /** The columns of a table, from its CQL; empty if the table was found without CQL. */
    Optional<SerializationHeader> declared(TableRef ref) throws IOException {
        Path schema = stored(ref.id()).folders().home().resolve(SCHEMA);
        return Files.exists(schema)
                ? Optional.of(
                        TableLayout.of(schema(Files.readString(schema), ref)).header())
                : Optional.empty();
    }

    /**
     * Truncates a table. Installs in progress add nothing to it; SSTables that are being sent stay until they are sent.
     * When this returns, the truncation is durable; if it throws, it may or may not have happened.
     *
     * @throws IOException if the table is unknown, or an install does not end
     */
    public void truncate(UUID tableId) throws IOException {
        awaitLoaded();
        StoredTable table = stored(tableId);
        removeAlone(table, unanswered -> {
            flush(); // so that no earlier write is in the log, which would restore it
            table.truncate(unanswered);
        });
    }

    /**
     * Drops a table for good: its id never comes back. When this returns, it is durable.
     *
     * @throws IOException as {@link #truncate} does
     */
    public void drop(UUID tableId) throws IOException {
        awaitLoaded();
        StoredTable table = stored(tableId);
        removeAlone(table, unanswered -> {
            dropped.add(tableId);
            synchronized (tables) {
                tables.remove(tableId);
            }
            table.drop();
        });
        LOG.info("table {} was dropped", table.ref());
    }

    /** Runs a removal while nothing is installed, compacted or flushed. */
    private void removeAlone(StoredTable table, IncomingStreams.Removal removal) throws IOException {
        table.incoming()
                .remove(
                        INSTALL_PATIENCE,
                        unanswered -> compactions.pause(() -> {
                            synchronized (flushing) {
                                removal.run(unanswered);
                            }
                        }));
    }

    /** Whether a table with this id was dropped; it never comes back. */
    public boolean isDropped(UUID tableId) {
        return dropped.contains(tableId);
    }

    private StoredTable add(TableRef ref, TableFolders folders) {
        synchronized (tables) {
            StoredTable table = new StoredTable(ref, folders, ids::next, options.clock());
            tables.put(ref.id(), table);
            return table;
        }
    }

    private List<StoredTable> tables() {
        synchronized (tables) {
            return List.copyOf(tables.values());
        }
    }

    StoredTable stored(UUID tableId) throws IOException {
        return find(tableId)
                .orElseThrow(() -> new IOException("table " + tableId
                        + (isDropped(tableId)
                                ? " was dropped"
                                : ": unknown to this node (expected: one of " + refs() + ")")));
    }

    Optional<StoredTable> find(UUID tableId) {
        synchronized (tables) {
            return Optional.ofNullable(tables.get(tableId));
        }
    }

    /** All tables, in the order of their creation. */
    public List<TableRef> refs() {
        return tables().stream().map(StoredTable::ref).toList();
    }

    /** Codec for mutations of a table. */
    public MutationCodec codec(UUID tableId) throws IOException {
        return new MutationCodec(stored(tableId).layout().header());
    }

    /**
     * Writes mutations. When this returns, all are stored as the {@link SyncPolicy} requires, and visible to every
     * read; if it throws, each mutation may or may not be stored.
     */
    public void write(UUID tableId, List<Mutation> mutations) throws IOException {
        awaitLoaded();
        requireDisk();
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
            flush(); // by the writer itself: back-pressure for writers faster than the disk
        }
    }

    /** Refuses a mutation that cannot become an SSTable before it is in the log: each replay would fail on it. */
    private static void requireRows(Mutation mutation, StoredTable table) throws IOException {
        if (mutation.isEmpty()) {
            throw new SSTableException(
                    table.ref() + ": mutation without rows and deletions (expected: one of them at least)");
        }
        int columns = table.layout().header().clusteringTypes().size();
        for (var item : mutation.items()) {
            ClusteringPrefix clustering = item.clustering();
            boolean isRow = clustering.kind() == ClusteringPrefix.Kind.ROW;
            if (isRow ? clustering.length() != columns : clustering.length() > columns) {
                throw new SSTableException(table.ref() + ": " + clustering + " (expected: " + columns + " values)");
            }
        }
    }

    /** Flushes all memtables to SSTables, and empties the log. */
    public void flush() throws IOException {
        synchronized (flushing) {
            if (tables().stream().noneMatch(StoredTable::hasUnflushed) && !log.hasFull()) {
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

    /** A table as it is now, including memtables. */
    public TableView view(UUID tableId) throws IOException {
        awaitLoaded();
        return stored(tableId).view();
    }

    /** Compacts a table until {@code strategy} finds nothing more to do. */
    public void compact(UUID tableId, CompactionStrategy strategy) throws IOException {
        awaitLoaded();
        compactions.run(stored(tableId), strategy);
    }

    /** This store as seen by streaming. */
    public StreamedStore streamed() {
        return streamed;
    }

    DataDirectories directories() {
        return directories;
    }

    SSTableId newId() {
        return ids.next();
    }

    boolean isLoaded() {
        return loaded.getCount() == 0;
    }

    void requestCompaction(StoredTable table) {
        if (isLoaded()) {
            compactions.request(List.of(table));
        }
    }

    /** @throws IOException if the volume of the first data directory has failed */
    void requireDisk() throws IOException {
        directories.requireHome();
    }

    void awaitLoaded() throws InterruptedIOException {
        try {
            loaded.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the tables are loaded");
        }
    }

    /** Stops compaction and closes the log, which holds the content of memtables. */
    @Override
    public void close() throws IOException {
        compactions.close();
        log.close();
    }
}
