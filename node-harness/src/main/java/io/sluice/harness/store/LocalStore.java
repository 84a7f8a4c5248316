package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.data.ClusteringPrefix;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OwnerOnly;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of a node, in folders as Cassandra lays them out; see the package for the way of a write, and
 * {@link StreamedStore} for what streaming asks of it. Long because what changes a table, and what reads it, share its
 * locks. Thread-safe. Closed by who opened it, after the streaming engine.
 */
public final class LocalStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalStore.class);
    private static final String STAGING = ".sluice-staging";
    private static final String DROPPED = "dropped-tables";
    private static final Duration INSTALL_PATIENCE = Duration.ofSeconds(60);
    private static final String COMMIT_LOG = "commitlog";
    private static final String SCHEMA = "schema.cql";

    private final Path dataDirectory;
    private final StoreOptions options;
    private final TimeOrderedIds ids = new TimeOrderedIds(InstantSource.system(), new SecureRandom());
    private final CountDownLatch loaded = new CountDownLatch(1);
    private final Compactions compactions;
    private final List<Path> oldLogs;
    private final CommitLog log;
    private final DroppedTables dropped;
    private volatile @Nullable String diskFailure;

    /** Writers hold it shared, from the log to memory; a flush holds it alone, so that a memtable has its own log. */
    private final ReadWriteLock switching = new ReentrantReadWriteLock();

    private final Object flushing = new Object();

    @GuardedBy("tables")
    private final Map<UUID, StoredTable> tables = new LinkedHashMap<>();

    private final StreamedStore streamed = new StreamedStore(this);

    private LocalStore(
            Path dataDirectory, StoreOptions options, DroppedTables dropped, List<Path> oldLogs, CommitLog log) {
        this.dataDirectory = dataDirectory;
        this.options = options;
        this.dropped = dropped;
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
        OwnerOnly.createDirectories(dataDirectory.resolve(STAGING));
        DroppedTables dropped = DroppedTables.open(dataDirectory.resolve(DROPPED));
        CommitLog log = CommitLog.open(logs, options.sync());
        LocalStore store = new LocalStore(dataDirectory, options, dropped, oldLogs, log);
        for (TableDirectory found : TableDirectory.find(dataDirectory)) {
            if (dropped.contains(found.id())) {
                OrphanedFiles.removeTree(found.path());
                continue;
            }
            OrphanedFiles.remove(found.path());
            TableRef ref = new TableRef(found.id(), found.keyspace(), found.name());
            StoredTable table = store.add(ref, found.path());
            table.recall();
            Path schema = found.path().resolve(SCHEMA);
            if (Files.exists(schema)) {
                learn(table, schema(Files.readString(schema), ref));
            }
        }
        return store;
    }

    private static void learn(StoredTable table, TableSchema schema) {
        table.learn(TableLayout.of(schema));
        table.learnGrace(schema.gcGraceSeconds());
    }

    /** Opens the SSTables on disk, and brings back what only the log has. Reads and writes wait for it. */
    public void load() throws IOException {
        for (StoredTable table : tables()) {
            table.load();
            LOG.info(
                    "table {} has {} SSTables",
                    table.ref(),
                    table.live().sstables().size());
        }
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
        LOG.info("replayed {} writes of the commit log", writes);
    }

    /**
     * Makes a table that this node does not know yet; without rows until SSTables come, or its schema.
     *
     * @throws IllegalArgumentException if its names are none
     */
    public void createTable(TableRef ref) throws IOException {
        requireDisk();
        if (dropped.contains(ref.id())) {
            throw new IOException(
                    ref + " was dropped (expected: another id; that of a dropped table never comes back)");
        }
        Path directory = TableDirectory.in(dataDirectory, ref.keyspace(), ref.name(), ref.id());
        synchronized (tables) {
            if (!tables.containsKey(ref.id())) {
                OwnerOnly.createDirectories(directory);
                new LocalFiles().syncDirectory(dataDirectory);
                new LocalFiles().syncDirectory(dataDirectory.resolve(ref.keyspace()));
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
        TableDirectory.in(dataDirectory, ref.keyspace(), ref.name(), ref.id()); // names first: messages have them
        TableSchema parsed = schema(cql, ref);
        createTable(ref);
        StoredTable table = stored(ref.id());
        Path schema = table.directory().resolve(SCHEMA);
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

    /** The columns of a table as its CQL has them; empty if it was found without. */
    Optional<SerializationHeader> declared(TableRef ref) throws IOException {
        Path schema = stored(ref.id()).directory().resolve(SCHEMA);
        return Files.exists(schema)
                ? Optional.of(
                        TableLayout.of(schema(Files.readString(schema), ref)).header())
                : Optional.empty();
    }

    /**
     * Removes all rows of a table. Installs that have begun bring nothing to it; SSTables that are being sent stay
     * until they are. When this returns, it is durable; if it throws, it has happened or not.
     *
     * @throws IOException if the table is not known, or an install does not end
     */
    public void truncate(UUID tableId) throws IOException {
        awaitLoaded();
        StoredTable table = stored(tableId);
        removeAlone(table, unanswered -> {
            flush(); // so that no write of before is in the log, which would bring it back
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

    /** While nothing is installed, compacted or flushed. */
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

    /** Whether a table of this id was here, and never comes back. */
    public boolean isDropped(UUID tableId) {
        return dropped.contains(tableId);
    }

    private StoredTable add(TableRef ref, Path directory) {
        synchronized (tables) {
            StoredTable table = new StoredTable(ref, directory, ids::next, options.clock());
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

    /** This store as streaming sees it. */
    public StreamedStore streamed() {
        return streamed;
    }

    Path stagingDirectory() {
        return dataDirectory.resolve(STAGING);
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

    /** The volume cannot be trusted any more: from now on nothing is written, nor taken from peers. */
    void fail(String why) {
        diskFailure = why;
        LOG.error("{} refuses writes and streams until this node restarts: {}", dataDirectory, why);
    }

    /** @throws IOException if the volume has failed */
    void requireDisk() throws IOException {
        String why = diskFailure;
        if (why != null) {
            throw new IOException(
                    dataDirectory + ": its volume has failed, nothing is taken here until this node starts"
                            + " again (look at the disk first): " + why);
        }
    }

    void awaitLoaded() throws InterruptedIOException {
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
