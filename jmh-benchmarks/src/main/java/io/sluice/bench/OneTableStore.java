package io.sluice.bench;

import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.StoreWithDisk;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** One table whose files do not change: pinning needs no links. Received files can be removed again. */
public final class OneTableStore implements StoreWithDisk {
    private final TableRef table;
    private final Path live;
    private final Path staging;
    private final Disk disk;
    private final AtomicInteger nextId = new AtomicInteger(1_000_000);

    /** A table whose files are, or become live, in {@code live}. */
    public OneTableStore(TableRef table, Path live, Path staging) {
        this(table, live, staging, new FileSystemDisk());
    }

    /** The same, with streamed data written through {@code disk}. */
    public OneTableStore(TableRef table, Path live, Path staging, Disk disk) {
        this.table = table;
        this.live = live;
        this.staging = staging;
        this.disk = disk;
    }

    @Override
    public Disk disk() {
        return disk;
    }

    /** The table of a folder. */
    public static TableRef refOf(TableDirectory directory) {
        return new TableRef(directory.id(), directory.keyspace(), directory.name());
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        return tableId.equals(table.id()) ? Optional.of(table) : Optional.empty();
    }

    @Override
    public PinnedTable pin(UUID planId, TableRef wanted, TokenRanges ranges) throws IOException {
        TableDirectory directory = new TableDirectory(live, table.keyspace(), table.name(), table.id());
        return new Unchanging(
                table,
                directory.descriptors().stream()
                        .map(sstable -> live.resolve(sstable.fileName(Component.DATA)))
                        .toList());
    }

    private record Unchanging(TableRef table, List<Path> sstables) implements PinnedTable {
        @Override
        public void close() {
            // Nothing was linked.
        }
    }

    @Override
    public Path liveDirectory(TableRef wanted) {
        return live;
    }

    @Override
    public Path stagingDirectory() {
        return staging;
    }

    @Override
    public String newId(TableRef wanted) {
        return String.valueOf(nextId.incrementAndGet());
    }

    @Override
    public void activate(UUID installId, TableRef wanted, List<Path> dataFiles) {
        // The files are in the folder, which is all that a benchmark reads.
    }

    /** The files of a folder. */
    public static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    /** Moves every file of the live folder to a new folder beside it, for who removes them. */
    public Path setAside() throws IOException {
        Path aside = live.resolveSibling("aside-" + nextId.incrementAndGet());
        Files.createDirectory(aside);
        for (Path file : files(live)) {
            Files.move(file, aside.resolve(file.getFileName()));
        }
        return aside;
    }

    /** Removes every file of the live folder. */
    public void clear() throws IOException {
        Scratch.empty(live);
    }
}
