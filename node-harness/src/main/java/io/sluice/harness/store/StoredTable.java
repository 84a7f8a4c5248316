package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.metadata.CompactionState;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One table of the store. Thread-safe; runs one flush and one compaction at a time. Long because writes, flushes,
 * compactions, truncation and streamed sets all replace the same view of memtables and SSTables.
 */
final class StoredTable {
    private static final Logger LOG = LoggerFactory.getLogger(StoredTable.class);

    private final TableRef ref;
    private final TableFolders folders;
    private final Supplier<SSTableId> ids;
    private final InstantSource clock;
    private final LiveSSTables live;
    private final IncomingStreams incoming;
    /** SSTables brought by installs: neither compacted nor removed until they are activated. */
    private final Map<UUID, List<Descriptor>> unsettled = new ConcurrentHashMap<>();

    private final Map<UUID, LiveSSTables.Lease> held = new ConcurrentHashMap<>();
    private volatile boolean isDropped;

    @GuardedBy("this")
    private Removals removals = Removals.NONE;

    @GuardedBy("this")
    private OptionalInt gcGraceSeconds = OptionalInt.empty();

    @GuardedBy("this")
    private @Nullable TableLayout layout;

    @GuardedBy("this")
    private @Nullable Memtable current;

    @GuardedBy("this")
    private final List<Memtable> flushing = new ArrayList<>();

    StoredTable(TableRef ref, TableFolders folders, Supplier<SSTableId> ids, InstantSource clock) {
        this.ref = ref;
        this.folders = folders;
        this.ids = ids;
        this.clock = clock;
        this.live = new LiveSSTables(folders.home());
        this.incoming = new IncomingStreams(ref);
    }

    TableRef ref() {
        return ref;
    }

    TableFolders folders() {
        return folders;
    }

    LiveSSTables live() {
        return live;
    }

    /** What streams bring. */
    IncomingStreams incoming() {
        return incoming;
    }

    /** Sets the table's layout; the first one counts. */
    synchronized void learn(TableLayout learned) {
        if (layout == null) {
            layout = learned;
        }
    }

    /** Sets gc_grace_seconds; until it is known, no tombstone is purged. */
    synchronized void learnGrace(int seconds) {
        gcGraceSeconds = OptionalInt.of(seconds);
    }

    /** @throws IOException if the layout is still unknown */
    synchronized TableLayout layout() throws IOException {
        if (layout == null) {
            throw new IOException(
                    ref + ": no schema and no SSTable yet (expected: the table to be created with its CQL first)");
        }
        return layout;
    }

    /** Reads the record of the last truncation, before interrupted installs are completed. */
    void recall() throws IOException {
        Removals noted = Removals.read(folders.home());
        synchronized (this) {
            removals = noted;
        }
    }

    /** Opens the SSTables at the start; removes what a truncation left because of a crash, which is done with then. */
    void load() throws IOException {
        Set<Descriptor> truncated = noted().sstables();
        folders.directories().onEach(directory -> {
            Path folder = folders.in(directory);
            LiveSSTables.removeFiles(folder, truncated);
            // What recovery has installed by now is known, and in its place.
            live.add(opened(folders.dataFiles(directory, sstable -> live.isOutside(folder, sstable))));
        });
        if (!truncated.isEmpty() && folders.directories().isWhole()) { // else one that is missing may hold some
            synchronized (this) {
                removals = removals.withoutSSTables();
                removals.write(folders.home());
            }
        }
    }

    /**
     * Throws if some rows may be on a volume that has failed.
     *
     * @throws IOException naming the volume
     */
    void requireWhole() throws IOException {
        folders.requireWhole(live.sstables());
    }

    private synchronized Removals noted() {
        return removals;
    }

    /**
     * Makes an install visible, and keeps its files until {@link #activated}.
     *
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the table was truncated after the permit
     */
    void install(UUID installId, List<Path> dataFiles) throws IOException {
        if (noted().installs().contains(installId)) {
            throw new StreamException(
                    ErrorCode.DISCARDED, ref + " was truncated after install " + installId + " had begun");
        }
        unsettled.put(installId, dataFiles.stream().map(StoredTable::descriptor).toList());
        LiveSSTables.Lease lease = live.hold(opened(dataFiles));
        if (held.putIfAbsent(installId, lease) != null) {
            lease.close(); // the same once more
        }
    }

    private static Descriptor descriptor(Path dataFile) {
        return Descriptor.parse(dataFile.getFileName().toString())
                .filter(named -> named.component() == Component.DATA)
                .orElseThrow(() -> new IllegalArgumentException(dataFile + " is no Data.db file"))
                .descriptor();
    }

    private List<SSTable> opened(List<Path> dataFiles) throws IOException {
        List<SSTable> opened = new ArrayList<>();
        for (Path file : dataFiles) {
            if (!live.contains(descriptor(file))) {
                opened.add(SSTable.open(file.resolveSibling(".").normalize(), descriptor(file)));
            }
        }
        if (!opened.isEmpty()) {
            learn(TableLayout.of(opened));
        }
        return opened;
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

    /** Directs new writes to another memtable; the caller prevents writes meanwhile. */
    synchronized void switchMemtable() {
        if (current != null) {
            flushing.add(current);
            current = null;
        }
    }

    /** Writes the switched memtables; one that fails stays readable, and the next call retries it. */
    void flush() throws IOException {
        for (Memtable memtable : List.copyOf(switched())) {
            List<SSTable> written =
                    write(memtable.source(TokenRanges.FULL), layout(), CompactionState.NEW, Long.MAX_VALUE);
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

    /** All SSTables, as strategies see them. */
    List<CompactionStrategy.Candidate> candidates() {
        return live.sstables().stream().map(CompactionStrategy.Candidate::of).toList();
    }

    /**
     * Runs one compaction that {@code strategy} chooses; returns whether there was one.
     *
     * @param isClosed whether to abandon it; asked before each partition
     * @throws InterruptedIOException if it was abandoned
     */
    boolean compact(CompactionStrategy strategy, BooleanSupplier isClosed) throws IOException {
        if (isDropped) {
            return false;
        }
        try (TableView now = view()) {
            Optional<CompactionStrategy.Task> task = byRepairState(now.sstables()).stream()
                    .flatMap(alike -> strategy.next(alike).stream())
                    .findFirst();
            if (task.isEmpty()) {
                return false;
            }
            List<Descriptor> names = task.get().inputs().stream()
                    .map(CompactionStrategy.Candidate::descriptor)
                    .toList();
            List<SSTable> inputs = now.sstables().stream()
                    .filter(sstable -> names.contains(sstable.descriptor()))
                    .toList();
            compact(inputs, task.get(), now, isClosed);
            return true;
        }
    }

    /** Never compacts repaired SSTables with unrepaired or pending ones: the data would have to be repaired again. */
    private Collection<List<CompactionStrategy.Candidate>> byRepairState(List<SSTable> sstables) {
        return sstables.stream()
                .filter(sstable -> !isUnsettled(sstable.descriptor()))
                .filter(sstable -> folders.isUsable(sstable.directory()))
                .collect(Collectors.groupingBy(
                        StoredTable::repairState,
                        LinkedHashMap::new,
                        Collectors.mapping(CompactionStrategy.Candidate::of, Collectors.toList())))
                .values();
    }

    private static RepairState repairState(SSTable sstable) {
        CompactionState placement = sstable.statistics().stats().placement();
        return new RepairState(placement.repairedAtMillis() > 0, placement.pendingRepair(), placement.isTransient());
    }

    private record RepairState(boolean isRepaired, Optional<UUID> pending, boolean isTransient) {}

    private void compact(List<SSTable> inputs, CompactionStrategy.Task task, TableView now, BooleanSupplier isClosed)
            throws IOException {
        Purge purge = Purge.of(now, inputs, incoming.expected());
        try (MergedPartitions merged = MergedPartitions.open(inputs, TokenRanges.FULL);
                PurgingPartitions kept =
                        new PurgingPartitions(new UntilClosed(merged, isClosed), graceEndSeconds(), purge::keepFrom)) {
            CompactionState placement = repairStateOf(inputs).atLevel(task.level());
            List<SSTable> outputs = write(kept, TableLayout.of(inputs), placement, task.maxBytes());
            // Once this has begun, nothing removes the outputs: inputs may be marked, if another's marking fails.
            if (incoming.replaceUnlessExpected(kept.purged(), () -> live.replace(inputs, outputs))) {
                LOG.info(
                        "{}: compacted {} into {}, purged {} tombstones",
                        ref,
                        inputs,
                        outputs,
                        kept.purged().count());
            } else {
                LOG.info("{}: repeating a compaction that purged tombstones where older rows may arrive", ref);
                removeFiles(outputs);
            }
        }
    }

    /** Partitions that end with an exception when the store is closed. */
    private record UntilClosed(PartitionSource source, BooleanSupplier isClosed) implements PartitionSource {
        @Override
        public Optional<Partition> next() throws IOException {
            if (isClosed.getAsBoolean()) {
                throw new InterruptedIOException("a compaction is abandoned, its inputs stay: the store is closed");
            }
            return source.next();
        }

        @Override
        public void close() throws IOException {
            source.close();
        }
    }

    /** Data that a tombstone deletes may be on a volume that is temporarily missing: no tombstone is purged then. */
    private synchronized long graceEndSeconds() {
        return gcGraceSeconds.isPresent() && folders.directories().isWhole()
                ? clock.instant().getEpochSecond() - gcGraceSeconds.getAsInt()
                : Long.MIN_VALUE;
    }

    /**
     * Removes all rows as of now; no flush, compaction or install runs meanwhile. Durable when this returns.
     *
     * @param unanswered installs that may be committed: they are discarded when the store is asked to activate them
     */
    void truncate(Set<UUID> unanswered) throws IOException {
        if (folders.directories().unknown().isPresent()) {
            requireWhole(); // what lies there would come back
        }
        List<SSTable> all = live.sstables();
        List<Descriptor> names = all.stream().map(SSTable::descriptor).toList();
        synchronized (this) {
            Removals noted = removals.plus(names, unanswered);
            noted.write(folders.home());
            removals = noted;
        }
        live.replace(all, List.of());
        LOG.info("{}: truncated, {} SSTables are obsolete", ref, all.size());
    }

    /** Removes all files except those being read or sent; the next start removes the folder. */
    void drop() throws IOException {
        isDropped = true;
        synchronized (this) {
            current = null;
            flushing.clear();
        }
        live.replace(live.sstables(), List.of());
    }

    /** Compaction may use the SSTables of an install from now on. */
    void activated(UUID installId) {
        incoming.activated(installId);
        unsettled.remove(installId);
        LiveSSTables.Lease lease = held.remove(installId);
        if (lease != null) {
            lease.close();
        }
        synchronized (this) {
            removals = removals.without(installId);
        }
    }

    private boolean isUnsettled(Descriptor descriptor) {
        return unsettled.values().stream().anyMatch(install -> install.contains(descriptor));
    }

    private List<SSTable> write(PartitionSource source, TableLayout rows, CompactionState placement, long maxBytes)
            throws IOException {
        List<SSTable> written = new ArrayList<>();
        WriterOptions options = rows.options().withPlacement(placement);
        Path folder = folders.roomiest();
        try {
            Optional<Partition> next = source.next();
            while (next.isPresent()) {
                folder = folders.roomiest();
                Descriptor descriptor = new Descriptor(rows.version(), ids.get());
                try (SSTableWriter writer = SSTableWriter.create(folder, descriptor, rows.header(), options)) {
                    while (next.isPresent() && writer.dataLengthBytes() < maxBytes) {
                        writer.append(next.get());
                        next = source.next();
                    }
                    if (!writer.isEmpty()) { // it skips partitions without content
                        written.add(writer.finish());
                    }
                }
            }
            return written;
        } catch (IOException | RuntimeException failed) {
            folders.suspect(folder);
            removeFiles(written);
            throw failed;
        }
    }

    private void removeFiles(List<SSTable> sstables) throws IOException {
        for (SSTable sstable : sstables) {
            LiveSSTables.removeFiles(sstable.directory(), Set.of(sstable.descriptor()));
        }
    }

    /** Repaired when the first of them was. */
    private static CompactionState repairStateOf(List<SSTable> inputs) {
        return inputs.stream()
                .map(sstable -> sstable.statistics().stats().placement())
                .min(Comparator.comparing(CompactionState::repairedAtMillis))
                .map(CompactionState.NEW::repairedAs)
                .orElse(CompactionState.NEW);
    }
}
