package io.sluice.netty;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.InstallPermit;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** A store of files that never change: what streaming needs, and a record of what it did. */
final class DirectoryStore implements TableStore {
    private final Path data;
    private final Map<UUID, TableDirectory> directories = new HashMap<>();
    private final Map<UUID, TableRef> tables = new HashMap<>();
    /** Ids of one process are greater than those of all before it: it starts later. */
    private final AtomicInteger nextId =
            new AtomicInteger((int) (System.currentTimeMillis() / 100 % Integer.MAX_VALUE));

    final List<Descriptor> live = new ArrayList<>();
    final AtomicInteger pins = new AtomicInteger();
    volatile boolean isDropping;
    volatile String onlyRows = "";
    volatile long schemaDigest;

    DirectoryStore(Path data, List<TableDirectory> directories) {
        this.data = data;
        for (TableDirectory directory : directories) {
            this.directories.put(directory.id(), directory);
            tables.put(directory.id(), new TableRef(directory.id(), directory.keyspace(), directory.name()));
        }
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        return Optional.ofNullable(tables.get(tableId));
    }

    @Override
    public long schemaDigest(TableRef table) {
        return schemaDigest;
    }

    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        Path directory = liveDirectory(table);
        for (Descriptor descriptor :
                new TableDirectory(directory, table.keyspace(), table.name(), table.id()).descriptors()) {
            SSTable sstable = SSTable.open(directory, descriptor);
            if (ranges.intersects(sstable.firstToken(), sstable.lastToken())) {
                sstables.add(sstable);
            }
        }
        pins.incrementAndGet();
        return new PinnedTable() {
            @Override
            public TableRef table() {
                return table;
            }

            @Override
            public List<SSTable> sstables() {
                return sstables;
            }

            @Override
            public Optional<String> onlyRows() {
                return Optional.of(onlyRows).filter(reason -> !reason.isEmpty());
            }

            @Override
            public void close() {
                pins.decrementAndGet();
            }
        };
    }

    @Override
    public Path liveDirectory(TableRef table) throws IOException {
        TableDirectory directory = directories.get(table.id());
        if (directory == null) {
            throw new IOException("no such table: " + table);
        }
        return directory.path();
    }

    @Override
    public Path stagingDirectory() {
        return data.resolve("staging");
    }

    @Override
    public SSTableId newId(TableRef table) {
        return new SSTableId.Sequence(nextId.incrementAndGet());
    }

    @Override
    public InstallPermit permit(UUID planId, UUID installId, TableRef table) throws IOException {
        if (isDropping) {
            throw new IOException(table + " is being dropped");
        }
        return () -> {};
    }

    @Override
    public synchronized void goLive(UUID installId, TableRef table, List<Descriptor> sstables) {
        live.addAll(sstables);
    }
}
