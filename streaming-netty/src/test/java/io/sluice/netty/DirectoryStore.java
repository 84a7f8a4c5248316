package io.sluice.netty;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A store of files that never change: what streaming needs, and a record of what it did. */
final class DirectoryStore implements TableStore {
    private static final int IDS_PER_MILLISECOND = 16;

    private final Path data;
    private final Map<UUID, TableDirectory> directories = new HashMap<>();
    private final Map<UUID, TableRef> tables = new HashMap<>();
    /** Ids of one process are greater than those of all before it: it starts later. */
    private final AtomicInteger nextId =
            new AtomicInteger((int) (System.currentTimeMillis() * IDS_PER_MILLISECOND % Integer.MAX_VALUE));

    final List<Path> live = new ArrayList<>();
    final AtomicInteger pins = new AtomicInteger();
    volatile boolean isDropping;
    /** How often each SSTable is pinned: a table of many costs no files. */
    volatile int copies = 1;

    /** Whether planners are told without a pin. */
    volatile boolean isInspected;

    /** Whether it lists and pins all that it has, whatever the ranges. */
    volatile boolean listsAll;

    /** Asked when the node starts. */
    volatile boolean buildsIndexes;

    volatile String onlyRows = "";
    volatile long schemaDigest;
    volatile long obsoleteBytes;
    volatile Answer answer = table -> {};
    /** Tables that are not known yet. */
    final Set<UUID> hidden = ConcurrentHashMap.newKeySet();
    /** What was called, in order, where the order counts. */
    final List<String> calls = new CopyOnWriteArrayList<>();
    /** Runs within each call, once it has been noted. */
    volatile Consumer<String> onCall = call -> {};

    /** What the database does when it is notified that a table is there. */
    interface Answer {
        void to(TableRef table) throws IOException;
    }

    DirectoryStore(Path data, List<TableDirectory> directories) {
        this.data = data;
        for (TableDirectory directory : directories) {
            this.directories.put(directory.id(), directory);
            tables.put(directory.id(), new TableRef(directory.id(), directory.keyspace(), directory.name()));
        }
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        return Optional.ofNullable(tables.get(tableId)).filter(table -> !hidden.contains(tableId));
    }

    @Override
    public long schemaDigest(TableRef table) {
        return schemaDigest;
    }

    @Override
    public Optional<List<LiveSSTable>> inspect(TableRef table, TokenRanges ranges) throws IOException {
        if (!isInspected) {
            return Optional.empty();
        }
        List<LiveSSTable> found = new ArrayList<>();
        Path directory = liveDirectory(table);
        for (Descriptor descriptor :
                new TableDirectory(directory, table.keyspace(), table.name(), table.id()).descriptors()) {
            SSTable sstable = SSTable.open(directory, descriptor);
            if (listsAll || ranges.intersects(sstable.firstToken(), sstable.lastToken())) {
                found.add(new LiveSSTable(sstable.firstToken(), sstable.lastToken(), sstable.bytesOnDisk()));
            }
        }
        return Optional.of(found);
    }

    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        List<Path> sstables = new ArrayList<>();
        Path directory = liveDirectory(table);
        for (Descriptor descriptor :
                new TableDirectory(directory, table.keyspace(), table.name(), table.id()).descriptors()) {
            SSTable sstable = SSTable.open(directory, descriptor);
            if (listsAll || ranges.intersects(sstable.firstToken(), sstable.lastToken())) {
                for (int copy = 0; copy < copies; copy++) {
                    sstables.add(sameFile(directory, copy).resolve(descriptor.fileName(Component.DATA)));
                }
            }
        }
        pins.incrementAndGet();
        called("pin " + table.name());
        return new PinnedTable() {
            @Override
            public TableRef table() {
                return table;
            }

            @Override
            public List<Path> sstables() {
                return sstables;
            }

            @Override
            public Optional<String> onlyRows() {
                return Optional.of(onlyRows).filter(reason -> !reason.isEmpty());
            }

            @Override
            public long obsoleteBytes() {
                return obsoleteBytes;
            }

            @Override
            public void close() {
                called("unpin " + table.name());
                pins.decrementAndGet();
            }
        };
    }

    /** Another path to a folder for each number: a path that is listed twice counts once. */
    private static Path sameFile(Path folder, int number) {
        Path path = folder;
        for (char digit : Integer.toBinaryString(number).toCharArray()) {
            path = path.resolve(digit == '0' ? Path.of(".") : Path.of("..").resolve(folder.getFileName()));
        }
        return path;
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
    public String newId(TableRef table) {
        onCall.accept("newId " + table.name());
        return String.valueOf(nextId.incrementAndGet());
    }

    @Override
    public Permit permit(UUID planId, UUID installId, TableRef table) throws IOException {
        if (isDropping) {
            throw new IOException(table + " is being dropped");
        }
        called("permit " + table.name());
        return new Permit() {
            @Override
            public void release() {
                called("back " + table.name());
            }

            @Override
            public boolean isRevoked() {
                return false;
            }
        };
    }

    @Override
    public void activate(UUID installId, TableRef table, List<Path> dataFiles) throws IOException {
        called("activate " + table.name());
        answer.to(table);
        synchronized (live) {
            live.addAll(dataFiles);
        }
    }

    @Override
    public boolean buildsIndexes() {
        return buildsIndexes;
    }

    @Override
    public void activate(UUID installId, TableRef table, List<Path> dataFiles, Set<String> indexes) throws IOException {
        called("build " + indexes);
        activate(installId, table, dataFiles);
    }

    @Override
    public void activated(UUID installId, TableRef table) {
        called("activated " + table.name());
    }

    @Override
    public void expectArrivals(UUID planId, TableRef table, TokenRanges ranges) {
        called("expect " + table.name());
    }

    @Override
    public void arrived(UUID planId, TableRef table, Path dataFile) {
        onCall.accept("arrived " + dataFile);
    }

    @Override
    public void endArrivals(UUID planId, TableRef table) {
        called("end " + table.name());
    }

    @Override
    public Optional<Instant> writesSince(TableRef table, TokenRanges ranges) {
        return Optional.empty();
    }

    private void called(String what) {
        calls.add(what);
        onCall.accept(what);
    }
}
