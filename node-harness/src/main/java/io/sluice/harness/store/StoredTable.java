package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.PartitionSource;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.metadata.CompactionState;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
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
    private final InstantSource clock;
    private final LiveSSTables live;
    private final IncomingStreams incoming;
    /** What installs have brought: not compacted, and not removed, until they are activated. */
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

    StoredTable(TableRef ref, Path directory, Supplier<SSTableId> ids, InstantSource clock) {
        this.ref = ref;
        this.directory = directory;
        this.ids = ids;
        this.clock = clock;
        this.live = new LiveSSTables(directory);
        this.incoming = new IncomingStreams(ref);
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

    /** What streams bring. */
    IncomingStreams incoming() {
        return incoming;
    }

    /** Says what rows look like; who said it first is right. */
    synchronized void learn(TableLayout learned) {
        if (layout == null) {
            layout = learned;
        }
    }

    /** Says for how long deletions have to be remembered; until somebody does, none is ever forgotten. */
    synchronized void learnGrace(int seconds) {
        gcGraceSeconds = OptionalInt.of(seconds);
    }

    /** @throws IOException if nobody has said yet what rows look like */
    synchronized TableLayout layout() throws IOException {
        if (layout == null) {
            throw new IOException(
                    ref + ": no schema and no SSTable yet (expected: the table to be created with its CQL first)");
        }
        return layout;
    }

    /** Reads what a truncation has noted; before installs that a crash interrupted are finished. */
    void recall() throws IOException {
        Removals noted = Removals.read(directory);
        synchronized (this) {
            removals = noted;
        }
    }

    /** Opens what is there after a start; what a truncation has not removed before its crash goes now. */
    void load() throws IOException {
        for (Descriptor truncated : noted().sstables()) {
            LiveSSTables.removeFiles(directory, truncated);
        }
        live.add(opened(TableDirectory.of(directory).orElseThrow().descriptors()));
    }

    private synchronized Removals noted() {
        return removals;
    }

    /**
     * Makes what a stream has brought visible, and keeps its files until {@link #activated}.
     *
     * @throws StreamException of code {@link ErrorCode#DISCARDED} if the table was truncated after it was permitted
     */
    void install(UUID installId, List<Descriptor> sstables) throws IOException {
        if (noted().installs().contains(installId)) {
            throw new StreamException(
                    ErrorCode.DISCARDED, ref + " was truncated after install " + installId + " had begun");
        }
        unsettled.put(installId, List.copyOf(sstables));
        LiveSSTables.Lease lease = live.hold(opened(sstables));
        if (held.putIfAbsent(installId, lease) != null) {
            lease.close(); // the same once more
        }
    }

    private List<SSTable> opened(List<Descriptor> descriptors) throws IOException {
        List<SSTable> opened = new ArrayList<>();
        for (Descriptor descriptor : descriptors) {
            if (!live.contains(descriptor)) {
                opened.add(SSTable.open(directory, descriptor));
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
        if (isDropped) {
            return false;
        }
        try (TableView now = view()) {
            Optional<CompactionStrategy.Task> task = strategy.next(now.sstables().stream()
                    .filter(sstable -> !isUnsettled(sstable.descriptor()))
                    .map(CompactionStrategy.Candidate::of)
                    .toList());
            if (task.isEmpty()) {
                return false;
            }
            List<Descriptor> names = task.get().inputs().stream()
                    .map(CompactionStrategy.Candidate::descriptor)
                    .toList();
            List<SSTable> inputs = now.sstables().stream()
                    .filter(sstable -> names.contains(sstable.descriptor()))
                    .toList();
            compact(inputs, task.get(), now);
            return true;
        }
    }

    private void compact(List<SSTable> inputs, CompactionStrategy.Task task, TableView now) throws IOException {
        Purge purge = Purge.of(now, inputs, incoming.expected());
        try (MergedPartitions merged = MergedPartitions.open(inputs, TokenRanges.FULL);
                PurgingPartitions kept = new PurgingPartitions(merged, graceEndSeconds(), purge::keepFrom)) {
            List<SSTable> outputs = write(kept, TableLayout.of(inputs), task.level(), task.maxBytes());
            // Once this has begun, nothing removes the outputs: inputs may be marked, if another's marking fails.
            if (incoming.replaceUnlessExpected(kept.purged(), () -> live.replace(inputs, outputs))) {
                LOG.info(
                        "{}: compacted {} into {}, forgot {} deletions",
                        ref,
                        inputs,
                        outputs,
                        kept.purged().count());
            } else {
                LOG.info("{}: older rows may arrive where a compaction has forgotten deletions: once more", ref);
                removeFiles(outputs);
            }
        }
    }

    private synchronized long graceEndSeconds() {
        return gcGraceSeconds.isPresent()
                ? clock.instant().getEpochSecond() - gcGraceSeconds.getAsInt()
                : Long.MIN_VALUE;
    }

    /**
     * Removes all rows, as of now; no flush, compaction or install runs meanwhile. When this returns, it is durable.
     *
     * @param unanswered installs that may be committed: when the store is asked about them, it wants them no more
     */
    void truncate(Set<UUID> unanswered) throws IOException {
        List<SSTable> all = live.sstables();
        List<Descriptor> names = all.stream().map(SSTable::descriptor).toList();
        synchronized (this) {
            Removals noted = removals.plus(names, unanswered);
            noted.write(directory);
            removals = noted;
        }
        live.replace(all, List.of());
        LOG.info("{}: truncated, {} SSTables are obsolete", ref, all.size());
    }

    /** Removes all files but those that somebody reads or sends; the folder itself goes at the next start. */
    void drop() throws IOException {
        isDropped = true;
        synchronized (this) {
            current = null;
            flushing.clear();
        }
        live.replace(live.sstables(), List.of());
    }

    /** From now on compaction may have what an install has brought. */
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
            removeFiles(written);
            throw failed;
        }
    }

    private void removeFiles(List<SSTable> sstables) throws IOException {
        for (SSTable sstable : sstables) {
            LiveSSTables.removeFiles(directory, sstable.descriptor());
        }
    }

    /** Not live yet: a crash between orphans it like any other file. */
    private SSTable atLevel(int level, SSTable sstable) throws IOException {
        if (level == 0) {
            return sstable;
        }
        Statistics statistics = sstable.statistics();
        Stats stats = statistics.stats();
        CompactionState old = stats.placement();
        CompactionState placement = new CompactionState(
                level, old.repairedAtMillis(), old.pendingRepair(), old.isTransient(), old.originatingHost());
        Path file = sstable.path(Component.STATISTICS);
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        statistics.withStats(stats.withPlacement(placement)).write(temporary);
        new LocalFiles().syncFile(temporary);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        return SSTable.open(directory, sstable.descriptor());
    }
}
