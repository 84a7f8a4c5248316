package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.MergedPartitions;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.metadata.Placement;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One table of the store. Thread-safe; flushes and compactions come one at a time each. */
final class StoredTable {
    private static final Logger LOG = LoggerFactory.getLogger(StoredTable.class);

    private final TableRef ref;
    private final Path directory;
    private final Supplier<SSTableId> ids;
    private final LiveSSTables live;
    private final Map<UUID, List<Descriptor>> unsettled = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private @Nullable TableLayout layout;

    @GuardedBy("this")
    private @Nullable Memtable current;

    @GuardedBy("this")
    private final List<Memtable> flushing = new ArrayList<>();

    StoredTable(TableRef ref, Path directory, Supplier<SSTableId> ids) {
        this.ref = ref;
        this.directory = directory;
        this.ids = ids;
        this.live = new LiveSSTables(directory);
    }

    TableRef ref() {
        return ref;
    }

    Path directory() {
        return directory;
    }

    LiveSSTables live() {
        return live;
    }

    /** Says what rows look like; who said it first is right. */
    synchronized void learn(TableLayout learned) {
        if (layout == null) {
            layout = learned;
        }
    }

    /** @throws IOException if nobody has said yet what rows look like */
    synchronized TableLayout layout() throws IOException {
        if (layout == null) {
            throw new IOException(
                    ref + ": no schema and no SSTable yet (expected: the table to be created with its CQL first)");
        }
        return layout;
    }

    /** Opens SSTables of the folder and makes them visible, all in one step. */
    void goLive(List<Descriptor> descriptors) throws IOException {
        List<SSTable> opened = new ArrayList<>();
        for (Descriptor descriptor : descriptors) {
            if (!live.contains(descriptor)) {
                opened.add(SSTable.open(directory, descriptor));
            }
        }
        if (!opened.isEmpty()) {
            learn(TableLayout.of(opened));
            live.add(opened);
        }
    }

    /** Adds a mutation to memory. */
    void apply(Mutation mutation, int lengthBytes) throws IOException {
        memtable().apply(mutation, lengthBytes);
    }

    private synchronized Memtable memtable() throws IOException {
        Memtable memtable = current;
        if (memtable == null) {
            memtable = new Memtable(layout().order());
            current = memtable;
        }
        return memtable;
    }

    synchronized long memoryBytes() {
        return current == null ? 0 : current.lengthBytes();
    }

    synchronized boolean hasUnflushed() {
        return current != null || !flushing.isEmpty();
    }

    synchronized TableView view() {
        List<Memtable> memtables = new ArrayList<>(flushing);
        if (current != null) {
            memtables.add(current);
        }
        ClusteringOrder order = layout == null ? new ClusteringOrder(List.of()) : layout.order();
        return new TableView(live.lease(), memtables, order);
    }

    /** What is written from now on goes to another memtable; the caller sees to it that nobody writes meanwhile. */
    synchronized void switchMemtable() {
        if (current != null) {
            flushing.add(current);
            current = null;
        }
    }

    /** Writes the memtables that were switched; what fails stays readable, and is tried again by the next call. */
    void flush() throws IOException {
        for (Memtable memtable : List.copyOf(switched())) {
            List<SSTable> written = write(memtable.source(TokenRanges.FULL), layout(), 0, Long.MAX_VALUE);
            synchronized (this) {
                live.add(written);
                flushing.remove(memtable);
            }
            LOG.info("{}: flushed {} bytes to {}", ref, memtable.lengthBytes(), written);
        }
    }

    private synchronized List<Memtable> switched() {
        return List.copyOf(flushing);
    }

    /** Does one task that {@code strategy} finds; whether there was one. */
    boolean compact(CompactionStrategy strategy) throws IOException {
        try (LiveSSTables.Lease lease = live.lease()) {
            Optional<CompactionStrategy.Task> task = strategy.next(lease.sstables().stream()
                    .filter(sstable -> !isUnsettled(sstable.descriptor()))
                    .map(CompactionStrategy.Candidate::of)
                    .toList());
            if (task.isEmpty()) {
                return false;
            }
            List<Descriptor> names = task.get().inputs().stream()
                    .map(CompactionStrategy.Candidate::descriptor)
                    .toList();
            List<SSTable> inputs = lease.sstables().stream()
                    .filter(sstable -> names.contains(sstable.descriptor()))
                    .toList();
            List<SSTable> outputs = compact(inputs, task.get());
            // From here on nothing removes the outputs: inputs may be marked, also if the marking of another fails.
            live.replace(inputs, outputs);
            LOG.info("{}: compacted {} into {}", ref, inputs, outputs);
            return true;
        }
    }

    /** An install has begun: its SSTables stay until {@link #settled}, whatever compaction would make of them. */
    void unsettled(UUID installId, List<Descriptor> sstables) {
        unsettled.put(installId, List.copyOf(sstables));
    }

    void settled(UUID installId) {
        unsettled.remove(installId);
    }

    private boolean isUnsettled(Descriptor descriptor) {
        return unsettled.values().stream().anyMatch(install -> install.contains(descriptor));
    }

    private List<SSTable> compact(List<SSTable> inputs, CompactionStrategy.Task task) throws IOException {
        try (MergedPartitions merged = MergedPartitions.open(inputs, TokenRanges.FULL)) {
            return write(merged, TableLayout.of(inputs), task.level(), task.maxBytes());
        }
    }

    private List<SSTable> write(PartitionSource source, TableLayout rows, int level, long maxBytes) throws IOException {
        List<SSTable> written = new ArrayList<>();
        try {
            Optional<Partition> next = source.next();
            while (next.isPresent()) {
                Descriptor descriptor = new Descriptor(rows.version(), ids.get());
                try (SSTableWriter writer =
                        SSTableWriter.create(directory, descriptor, rows.header(), rows.options())) {
                    while (next.isPresent() && writer.dataLengthBytes() < maxBytes) {
                        writer.append(next.get());
                        next = source.next();
                    }
                    written.add(atLevel(level, writer.finish()));
                }
            }
            return written;
        } catch (IOException | RuntimeException failed) {
            for (SSTable sstable : written) {
                LiveSSTables.removeFiles(directory, sstable.descriptor());
            }
            throw failed;
        }
    }

    /** Not live yet: a crash between is a leftover like any other. */
    private SSTable atLevel(int level, SSTable sstable) throws IOException {
        if (level == 0) {
            return sstable;
        }
        Statistics statistics = sstable.statistics();
        Stats stats = statistics.stats();
        Placement old = stats.placement();
        Placement placement = new Placement(
                level, old.repairedAtMillis(), old.pendingRepair(), old.isTransient(), old.originatingHost());
        Path file = sstable.path(Component.STATISTICS);
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        statistics.withStats(stats.withPlacement(placement)).write(temporary);
        ComponentOutput.sync(temporary);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        return SSTable.open(directory, sstable.descriptor());
    }
}
