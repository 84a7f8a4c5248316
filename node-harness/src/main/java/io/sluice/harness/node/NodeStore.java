package io.sluice.harness.node;

import io.sluice.harness.content.TableFiles;
import io.sluice.sstable.Coverage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of a node, in folders as Cassandra lays them out. Live are the SSTables that lay in the folders when the
 * process started, and what has been installed since. Thread-safe: guarded by its own lock.
 */
final class NodeStore implements TableStore {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStore.class);
    private static final String STAGING = ".sluice-staging";

    private final Path dataDirectory;
    private final TimeOrderedIds ids = new TimeOrderedIds(InstantSource.system(), new SecureRandom());
    private final Map<UUID, TableFiles> tables = new LinkedHashMap<>();

    private final CountDownLatch loaded = new CountDownLatch(1);

    private NodeStore(Path dataDirectory) {
        this.dataDirectory = dataDirectory;
    }

    /** Finds the tables. Their SSTables wait for {@link #load()}: a crash may have left an install half done. */
    static NodeStore open(Path dataDirectory) throws IOException {
        NodeStore store = new NodeStore(dataDirectory);
        Files.createDirectories(store.stagingDirectory());
        for (TableDirectory found : TableDirectory.find(dataDirectory)) {
            Snapshot.removeLeftovers(found.path());
            TableRef table = new TableRef(found.id(), found.keyspace(), found.name());
            store.tables.put(table.id(), new TableFiles(table, found.path(), List.of()));
        }
        return store;
    }

    /** Opens the SSTables on disk; the engine has finished interrupted installs by now. */
    synchronized void load() throws IOException {
        for (TableFiles files : TableFiles.openAll(dataDirectory)) {
            tables.put(files.table().id(), files);
            LOG.info("table {} has {} SSTables", files.table(), files.sstables().size());
        }
        loaded.countDown();
    }

    /** Makes the folder of a table that this node does not know yet. */
    synchronized void createTable(TableRef table) throws IOException {
        if (!tables.containsKey(table.id())) {
            String folder = table.name() + "-" + table.id().toString().replace("-", "");
            Path directory = dataDirectory.resolve(table.keyspace()).resolve(folder);
            Files.createDirectories(directory);
            tables.put(table.id(), new TableFiles(table, directory, List.of()));
        }
    }

    /** All tables, each as it is now. */
    synchronized List<TableFiles> tables() {
        return List.copyOf(tables.values());
    }

    /** The files of a table as they are now. */
    synchronized TableFiles files(UUID tableId) throws IOException {
        TableFiles files = tables.get(tableId);
        if (files == null) {
            throw new IOException("table " + tableId + ": unknown to this node (expected: one of "
                    + tables.values().stream().map(TableFiles::table).toList() + ")");
        }
        return files;
    }

    @Override
    public synchronized Optional<TableRef> table(UUID tableId) {
        return Optional.ofNullable(tables.get(tableId)).map(TableFiles::table);
    }

    /** Waits for {@link #load()}: a peer that asks early must not believe that there is nothing. */
    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        try {
            loaded.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the tables are loaded");
        }
        return pinLoaded(planId, table, ranges);
    }

    private synchronized PinnedTable pinLoaded(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        TableFiles files = files(table.id());
        List<SSTable> wanted = new ArrayList<>();
        for (SSTable sstable : files.sstables()) {
            if (sstable.coverage(ranges) != Coverage.NONE) {
                wanted.add(sstable);
            }
        }
        return Snapshot.take(planId, table, files.directory(), wanted);
    }

    @Override
    public Path liveDirectory(TableRef table) throws IOException {
        return files(table.id()).directory();
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
    public synchronized void goLive(UUID installId, TableRef table, List<Descriptor> sstables) throws IOException {
        TableFiles files = files(table.id());
        List<SSTable> live = new ArrayList<>(files.sstables());
        for (Descriptor descriptor : sstables) {
            if (live.stream().noneMatch(known -> known.descriptor().equals(descriptor))) {
                live.add(SSTable.open(files.directory(), descriptor));
            }
        }
        tables.put(table.id(), new TableFiles(files.table(), files.directory(), live));
        LOG.info("install {}: table {} now has {} SSTables", installId, table, live.size());
    }
}
