package io.sluice.harness.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The SSTables of a table that reads see, and those that they still see although they were compacted. An SSTable's
 * files go when it is obsolete and its last reader is done. Thread-safe.
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

    private final Path directory;

    @GuardedBy("this")
    private final Map<Descriptor, Entry> entries = new LinkedHashMap<>();

    LiveSSTables(Path directory) {
        this.directory = directory;
    }

    /** The files of all live SSTables stay until this is closed. Closing twice does no harm. */
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

    /** All that are live now, kept from going. */
    synchronized Lease lease() {
        List<Entry> live = entries.values().stream()
                .filter(entry -> entry.obsolete == null)
                .toList();
        live.forEach(entry -> entry.readers++);
        return new Lease(live);
    }

    /** Makes SSTables visible, in one step, and keeps their files from going until the lease is closed. */
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

    /** Makes SSTables visible, in one step. */
    synchronized void add(Collection<SSTable> added) {
        added.forEach(sstable -> entries.putIfAbsent(sstable.descriptor(), new Entry(sstable)));
    }

    /**
     * Puts the outcome of a compaction in the place of its inputs, in one step, also if a crash comes between: all
     * inputs are marked on disk at once.
     */
    void replace(Collection<SSTable> inputs, Collection<SSTable> outputs) throws IOException {
        if (inputs.isEmpty()) {
            add(outputs);
            return;
        }
        ObsoleteSSTables obsolete = ObsoleteSSTables.mark(
                directory, inputs.stream().map(SSTable::descriptor).toList());
        synchronized (this) {
            add(outputs);
            for (SSTable input : inputs) {
                Entry entry = entries.get(input.descriptor());
                if (entry != null) {
                    entry.obsolete = obsolete;
                    removeIfUnused(entry);
                }
            }
        }
    }

    private synchronized void release(Lease lease) {
        if (!lease.isClosed) {
            lease.isClosed = true;
            for (Entry entry : lease.leased) {
                entry.readers--;
                removeIfUnused(entry);
            }
        }
    }

    @GuardedBy("this")
    private void removeIfUnused(Entry entry) {
        ObsoleteSSTables obsolete = entry.obsolete;
        if (obsolete != null && entry.readers == 0) {
            Descriptor descriptor = entry.sstable.descriptor();
            entries.remove(descriptor);
            try {
                removeFiles(directory, descriptor);
                obsolete.removed(descriptor);
            } catch (IOException e) {
                LOG.warn("cannot remove obsolete {} before the next start: {}", entry.sstable, e.toString());
            }
        }
    }

    /** Removes all components, durably. */
    static void removeFiles(Path directory, Descriptor descriptor) throws IOException {
        for (Component component : Component.values()) {
            Files.deleteIfExists(directory.resolve(descriptor.fileName(component)));
        }
        new LocalFiles().syncDirectory(directory);
    }
}
