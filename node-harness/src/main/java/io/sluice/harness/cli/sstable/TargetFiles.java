package io.sluice.harness.cli.sstable;

import io.sluice.harness.config.ConfigException;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.TableDirectory.Unread;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds what a person means by a path. Stateless. */
final class TargetFiles {
    private TargetFiles() {}

    /** One SSTable that lies in a folder; it may be damaged. */
    record Found(Path folder, Descriptor descriptor) {
        SSTable open() throws IOException {
            return SSTable.open(folder, descriptor);
        }

        /** Itself, which is left out. */
        Unread leftOut(SSTableException why) {
            return new Unread(folder.resolve(descriptor.toString()), why);
        }

        /** {@code <keyspace>/<table>-<id>/} of the same names in {@code target}. */
        Path folderIn(Path target) {
            Path table = folder.toAbsolutePath().normalize();
            Path keyspace = table.getParent();
            if (keyspace == null || keyspace.getFileName() == null) {
                throw new ConfigException(folder + ": is in no folder of a keyspace (expected: "
                        + "<keyspace>/<table>-<id>/ above the files of an SSTable)");
            }
            return target.resolve(keyspace.getFileName()).resolve(table.getFileName());
        }

        @Override
        public String toString() {
            return folder.toAbsolutePath().normalize().getFileName() + "/" + descriptor;
        }
    }

    /** A found SSTable that could be opened. */
    record Opened(Found found, SSTable sstable) {}

    /**
     * The SSTables below {@code path}: a Data.db, the folder of a table, of a keyspace, or a data directory; by table
     * and id.
     *
     * @throws ConfigException if there is none, not even one that is left out
     */
    static Selection<Found> find(Path path) throws IOException {
        Selection<Found> selection = Files.isDirectory(path) ? inFolder(path) : ofFile(path);
        if (selection.isEmpty()) {
            throw new ConfigException(path + ": no SSTables found (expected: a Data.db, the folder of a table as"
                    + " <keyspace>/<table>-<id>/, or a data directory)");
        }
        return selection;
    }

    /**
     * The same, opened; those of which the partitioner is not supported are left out.
     *
     * @throws SSTableException if none can be read, or one is damaged
     */
    static Selection<Opened> open(Path path) throws IOException {
        Selection<Found> selection = find(path);
        Selection<Opened> opened = new Selection<>();
        selection.leftOut().forEach(opened::leaveOut);
        for (Found found : selection.sstables()) {
            try {
                opened.add(new Opened(found, found.open()));
            } catch (SSTableException unreadable) {
                if (!unreadable.isUnsupported()) {
                    throw unreadable;
                }
                opened.leaveOut(found.leftOut(unreadable));
            }
        }
        return opened.requireAny();
    }

    private static Selection<Found> ofFile(Path file) {
        Selection<Found> selection = new Selection<>();
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && Files.isRegularFile(file)) {
            Descriptor.parse(file.getFileName().toString())
                    .filter(named -> named.component() == Component.DATA)
                    .ifPresent(named -> selection.add(new Found(folder, named.descriptor())));
            TableDirectory.unsupported(file).ifPresent(selection::leaveOut);
        }
        return selection;
    }

    private static Selection<Found> inFolder(Path folder) throws IOException {
        Selection<Found> selection = new Selection<>();
        for (TableDirectory table : TableDirectory.find(folder)) {
            TableDirectory.Contents contents = table.contents();
            contents.sstables().forEach(descriptor -> selection.add(new Found(table.path(), descriptor)));
            contents.leftOut().forEach(selection::leaveOut);
        }
        return selection;
    }
}
