package io.sluice.harness.store;

import com.google.common.io.MoreFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of a table pinned as hard links in {@code snapshots/sluice-<plan>-<n>}: a name of their own that compaction
 * does not touch. Components that a database rewrites in place are copied, as a link would follow the change.
 * Immutable.
 */
record Snapshot(TableRef table, Path directory, List<Path> sstables) implements PinnedTable {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshot.class);
    private static final String FOLDER = "snapshots";
    private static final String PREFIX = "sluice-";
    private static final Set<Component> MUTABLE = EnumSet.of(Component.STATISTICS, Component.SUMMARY);

    /** Pins {@code live}, files of {@code tableDirectory}; the caller sees to it that they do not change meanwhile. */
    static Snapshot take(UUID planId, TableRef table, Path tableDirectory, List<SSTable> live) throws IOException {
        Path directory = newDirectory(tableDirectory.resolve(FOLDER), planId);
        try {
            List<Path> pinned = new ArrayList<>();
            for (SSTable sstable : live) {
                pinned.add(pin(sstable, directory));
            }
            return new Snapshot(table, directory, List.copyOf(pinned));
        } catch (IOException e) {
            remove(directory);
            throw e;
        }
    }

    /** Removes snapshots that a process orphaned when it died. */
    static void removeLeftovers(Path tableDirectory) throws IOException {
        Path folder = tableDirectory.resolve(FOLDER);
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> found = Files.list(folder)) {
            found.filter(path -> path.getFileName().toString().startsWith(PREFIX))
                    .forEach(Snapshot::remove);
        }
    }

    /** Of files whose only name is that of the snapshot: compaction has removed the live one. */
    @Override
    public long obsoleteBytes() {
        long bytes = 0;
        for (Path data : sstables) {
            try {
                Map<String, Object> known = Files.readAttributes(data, "unix:nlink,size");
                bytes += Integer.valueOf(1).equals(known.get("nlink")) ? bytesOnDisk(data) : 0;
            } catch (IOException | UnsupportedOperationException e) {
                LOG.debug("{}: whether it is obsolete cannot be said: {}", data, e.toString());
            }
        }
        return bytes;
    }

    private static long bytesOnDisk(Path data) throws IOException {
        Descriptor descriptor = Descriptor.parse(data.getFileName().toString())
                .orElseThrow(() -> new IllegalStateException(data + " is no file of an SSTable"))
                .descriptor();
        long bytes = 0;
        for (Component component : Component.ofSSTables()) {
            Path file = data.resolveSibling(descriptor.fileName(component));
            bytes += Files.exists(file) ? Files.size(file) : 0;
        }
        return bytes;
    }

    @Override
    public void close() {
        remove(directory);
    }

    private static Path newDirectory(Path folder, UUID planId) throws IOException {
        OwnerOnly.createDirectories(folder);
        // A plan may pin a table several times: once to be asked what there is, once for each session.
        for (int n = 1; ; n++) {
            Path directory = folder.resolve(PREFIX + planId + "-" + n);
            try {
                return OwnerOnly.createDirectory(directory);
            } catch (FileAlreadyExistsException e) {
                LOG.debug("snapshot {} exists, taking the next number", directory);
            }
        }
    }

    private static Path pin(SSTable sstable, Path directory) throws IOException {
        Descriptor descriptor = sstable.descriptor();
        for (Component component : sstable.components()) {
            Path source = sstable.path(component);
            Path target = directory.resolve(descriptor.fileName(component));
            if (MUTABLE.contains(component)) {
                Files.copy(source, target);
            } else {
                Files.createLink(target, source);
            }
        }
        return directory.resolve(descriptor.fileName(Component.DATA));
    }

    private static void remove(Path directory) {
        try {
            MoreFiles.deleteRecursively(directory);
        } catch (IOException e) {
            LOG.warn("cannot remove snapshot {}: {}", directory, e.toString());
        }
    }
}
