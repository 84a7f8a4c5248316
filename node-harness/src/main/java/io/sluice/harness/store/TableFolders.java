package io.sluice.harness.store;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The folders of one table, one in each data directory. Immutable.
 *
 * @param name keyspace and folder, in each data directory
 */
record TableFolders(DataDirectories directories, Path name) {
    /** That in the first data directory: schema and notes lie there. */
    Path home() {
        return directories.home().resolve(name);
    }

    /** That in a data directory. */
    Path in(Path dataDirectory) {
        return dataDirectory.resolve(name);
    }

    /** Those on volumes that have not failed. */
    List<Path> usable() {
        return directories.usable().stream().map(this::in).toList();
    }

    /** Whether a folder is on a volume that has not failed. */
    boolean isUsable(Path folder) {
        return usable().contains(folder);
    }

    /** Makes them, durably. */
    void create() throws IOException {
        directories.onEach(directory -> {
            Path folder = in(directory);
            Path keyspace = folder.resolveSibling(".").normalize();
            OwnerOnly.createDirectories(folder);
            new LocalFiles().syncDirectory(directory);
            new LocalFiles().syncDirectory(keyspace);
        });
    }

    /** Where a new SSTable finds most room. */
    Path roomiest() {
        return in(directories.roomiest());
    }

    /** An SSTable could not be written to one of them. */
    void suspect(Path folder) {
        directories.usable().stream()
                .filter(directory -> in(directory).equals(folder))
                .forEach(directories::suspect);
    }

    /**
     * The {@code Data.db} files of all SSTables in a data directory.
     *
     * @param isElsewhere whether an SSTable of that name was found in another one
     * @throws SSTableException if one is not whole, or was
     */
    List<Path> dataFiles(Path dataDirectory, Predicate<Descriptor> isElsewhere) throws IOException {
        Path folder = in(dataDirectory);
        List<Path> dataFiles = new ArrayList<>();
        for (Descriptor descriptor : TableDirectory.of(folder).orElseThrow().descriptors()) {
            if (isElsewhere.test(descriptor)) {
                throw new SSTableException(folder + ": " + descriptor
                        + " also exists in another data directory (expected: each SSTable in one): remove the copy");
            }
            dataFiles.add(folder.resolve(descriptor.fileName(Component.DATA)));
        }
        return dataFiles;
    }

    /**
     * Throws if some rows may be on a volume that has failed.
     *
     * @param live all SSTables that are known
     * @throws IOException naming the volume
     */
    void requireWhole(List<SSTable> live) throws IOException {
        Optional<Path> lost = directories
                .unknown()
                .or(() -> live.stream()
                        .map(SSTable::directory)
                        .filter(folder -> !isUsable(folder))
                        .findFirst());
        if (lost.isPresent()) {
            throw new IOException(name + ": some of its data is, or may be, on a failed volume, " + lost.get()
                    + " (read another replica until the volume is back and this node has restarted)");
        }
    }
}
