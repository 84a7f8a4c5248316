package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live SSTables of a table, and compacted ones that are still being read. An SSTable's files are removed when it is
 * obsolete and its last reader is done. Thread-safe.
 */
final class LiveSSTables {
    private static final Logger LOG = LoggerFactory.getLogger(LiveSSTables.class);

    private static final class Entry {
        private final SSTable sstable;
        private int readers;
        private @Nullable ObsoleteSSTables obsolete;

        Entry(SSTable sstable) {
            this.sstable = sstable;
        }
    }

    private final Path marks;

    @GuardedBy("this")
    private final Map<Descriptor, Entry> entries = new LinkedHashMap<>();

    /** @param marks folder of the records of obsolete SSTables */
    LiveSSTables(Path marks) {
        this.marks = marks;
    }

    /** Keeps the files of all live SSTables until it is closed. Closing it twice has no further effect. */
    final class Lease implements AutoCloseable {
        private final List<Entry> leased;
        private boolean isClosed;

        private Lease(List<Entry> leased) {
            this.leased = leased;
        }

        List<SSTable> sstables() {
            return leased.stream().map(entry -> entry.sstable).toList();
        }

        @Override
        public void close() {
            release(this);
        }
    }

    /** Leases all SSTables that are live now. */
    synchronized Lease lease() {
        List<Entry> live = entries.values().stream()
                .filter(entry -> entry.obsolete == null)
                .toList();
        live.forEach(entry -> entry.readers++);
        return new Lease(live);
    }

    /** Makes SSTables visible atomically, and keeps their files until the lease is closed. */
    synchronized Lease hold(Collection<SSTable> added) {
        add(added);
        List<Entry> held = new ArrayList<>();
        for (SSTable sstable : added) {
            Entry entry = entries.get(sstable.descriptor());
            if (entry != null) {
                entry.readers++;
                held.add(entry);
            }
        }
        return new Lease(held);
    }

    synchronized List<SSTable> sstables() {
        return entries.values().stream()
                .filter(entry -> entry.obsolete == null)
                .map(entry -> entry.sstable)
                .toList();
    }

    synchronized boolean contains(Descriptor descriptor) {
        return entries.containsKey(descriptor);
    }

    /** Whether an SSTable of this name is live in another folder than {@code folder}. */
    synchronized boolean isOutside(Path folder, Descriptor descriptor) {
        Entry entry = entries.get(descriptor);
        return entry != null
                && !entry.sstable
                        .directory()
                        .toAbsolutePath()
                        .normalize()
                        .equals(folder.toAbsolutePath().normalize());
    }

    /** Makes SSTables visible atomically. */
    synchronized void add(Collection<SSTable> added) {
        added.forEach(sstable -> entries.putIfAbsent(sstable.descriptor(), new Entry(sstable)));
    }

    /**
     * Replaces the inputs of a compaction with its outputs atomically, even if the node crashes: one record marks all
     * inputs.
     */
    void replace(Collection<SSTable> inputs, Collection<SSTable> outputs) throws IOException {
        if (inputs.isEmpty()) {
            add(outputs);
            return;
        }
        ObsoleteSSTables obsolete = ObsoleteSSTables.mark(
                marks, inputs.stream().map(SSTable::descriptor).toList());
        List<Gone> gone = new ArrayList<>();
        synchronized (this) {
            add(outputs);
            for (SSTable input : inputs) {
                Entry entry = entries.get(input.descriptor());
                if (entry != null) {
                    entry.obsolete = obsolete;
                    takeIfUnused(entry, gone);
                }
            }
        }
        remove(gone);
    }

    private void release(Lease lease) {
        List<Gone> gone = new ArrayList<>();
        synchronized (this) {
            if (!lease.isClosed) {
                lease.isClosed = true;
                for (Entry entry : lease.leased) {
                    entry.readers--;
                    takeIfUnused(entry, gone);
                }
            }
        }
        remove(gone);
    }

    /** An SSTable that nobody can find any more, and the mark that says so. */
    private record Gone(SSTable sstable, ObsoleteSSTables mark) {}

    @GuardedBy("this")
    private void takeIfUnused(Entry entry, List<Gone> gone) {
        ObsoleteSSTables obsolete = entry.obsolete;
        if (obsolete != null && entry.readers == 0) {
            entries.remove(entry.sstable.descriptor());
            gone.add(new Gone(entry.sstable, obsolete));
        }
    }

    /** Not under the lock, for which all reads wait. */
    private static void remove(List<Gone> gone) {
        Map<Path, List<Gone>> byFolder =
                gone.stream().collect(Collectors.groupingBy(one -> one.sstable().directory()));
        byFolder.forEach((folder, its) -> {
            try {
                removeFiles(
                        folder,
                        its.stream().map(one -> one.sstable().descriptor()).collect(Collectors.toSet()));
                for (Gone one : its) {
                    one.mark().removed(one.sstable().descriptor());
                }
            } catch (IOException e) {
                LOG.warn(
                        "{}: cannot remove {} obsolete SSTables before the next start: {}",
                        folder,
                        its.size(),
                        e.toString());
            }
        });
    }

    /** Removes all components and attached files of these SSTables durably; lists and syncs the folder once. */
    static void removeFiles(Path directory, Set<Descriptor> sstables) throws IOException {
        if (sstables.isEmpty()) {
            return;
        }
        for (Path file : LocalFiles.entries(directory)) {
            if (Descriptor.ofFile(file.getFileName().toString())
                    .filter(sstables::contains)
                    .isPresent()) {
                Files.deleteIfExists(file);
            }
        }
        new LocalFiles().syncDirectory(directory);
    }
}
