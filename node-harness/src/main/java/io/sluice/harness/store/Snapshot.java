package io.sluice.harness.store;

import com.google.common.io.MoreFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pins files of a table as hard links in {@code snapshots/sluice-<plan>-<n>}, on the same volume: compaction does not
 * touch these names. Components that a database rewrites in place are copied, as a link would follow the change.
 * Immutable.
 */
record Snapshot(TableRef table, List<Path> directories, List<Path> sstables) implements PinnedTable {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshot.class);
    private static final String FOLDER = "snapshots";
    private static final String PREFIX = "sluice-";
    private static final Set<Component> MUTABLE = EnumSet.of(Component.STATISTICS, Component.SUMMARY);

    /** Pins {@code live}, whose files the caller keeps unchanged meanwhile. */
    static Snapshot take(UUID planId, TableRef table, List<SSTable> live) throws IOException {
        Map<Path, Path> directories = new LinkedHashMap<>();
        try {
            List<Path> pinned = new ArrayList<>();
            for (SSTable sstable : live) {
                Path directory = directories.get(sstable.directory());
                if (directory == null) {
                    directory = newDirectory(sstable.directory().resolve(FOLDER), planId);
                    directories.put(sstable.directory(), directory);
                }
                pinned.add(pin(sstable, directory));
            }
            return new Snapshot(table, List.copyOf(directories.values()), List.copyOf(pinned));
        } catch (IOException e) {
            directories.values().forEach(Snapshot::remove);
            throw e;
        }
    }

    /** Removes snapshots that a process orphaned when it died. */
    static void removeLeftovers(Path tableDirectory) throws IOException {
        Path folder = tableDirectory.resolve(FOLDER);
        if (!Files.isDirectory(folder)) {
            return;
        }
        LocalFiles.entries(folder).stream()
                .filter(path -> path.getFileName().toString().startsWith(PREFIX))
                .forEach(Snapshot::remove);
    }

    /** Bytes of files that only the snapshot names, because compaction has removed the live name. */
    @Override
    public long obsoleteBytes() {
        long bytes = 0;
        for (Path data : sstables) {
            try {
                Map<String, Object> known = Files.readAttributes(data, "unix:nlink,size");
                bytes += Integer.valueOf(1).equals(known.get("nlink")) ? bytesOnDisk(data) : 0;
            } catch (IOException | UnsupportedOperationException e) {
                LOG.debug("{}: cannot determine whether it is obsolete: {}", data, e.toString());
            }
        }
        return bytes;
    }

    private static long bytesOnDisk(Path data) throws IOException {
        Descriptor descriptor = Descriptor.parse(data.getFileName().toString())
                .orElseThrow(() -> new IllegalStateException(data + " is not a file of an SSTable"))
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
        directories.forEach(Snapshot::remove);
    }

    private static Path newDirectory(Path folder, UUID planId) throws IOException {
        OwnerOnly.createDirectories(folder);
        // A plan may pin a table several times: once for planning, and once for each session.
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
        for (AttachedFile attached : sstable.attached().keySet()) {
            Files.createLink(directory.resolve(descriptor.fileName(attached)), sstable.path(attached));
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
