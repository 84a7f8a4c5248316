package io.sluice.bench.replace;

import io.sluice.harness.content.StoredDigest;
import io.sluice.harness.content.TableFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a node of the cluster holds of the table before another one dies, as files of its own that nobody changes.
 * Immutable.
 *
 * @param table the folder of the table, in the data directory of the node
 */
record GivenNode(TableDirectory table) {
    /** A node may rewrite these in place, which must not reach the others. */
    private static final Set<Component> MUTABLE = EnumSet.of(Component.STATISTICS, Component.SUMMARY);

    /**
     * Links what a node of Cassandra holds into another data directory.
     *
     * @param data the node's data directory
     * @param other data directory to be, on the same file system
     */
    static GivenNode linked(Path data, TableDirectory wanted, Path other) throws IOException {
        TableDirectory held = of(data, wanted)
                .orElseThrow(() -> new IOException(data + ": no SSTables of " + wanted.keyspace() + "." + wanted.name()
                        + " (expected: those that were loaded into the node)"));
        Path folder = TableDirectory.in(other, held.keyspace(), held.name(), held.id());
        Files.createDirectories(folder);
        for (SSTable sstable : TableFiles.open(held)) {
            for (Component component : sstable.components()) {
                Path source = sstable.path(component);
                Path target = folder.resolve(source.getFileName());
                if (MUTABLE.contains(component)) {
                    Files.copy(source, target);
                } else {
                    Files.createLink(target, source);
                }
            }
        }
        return new GivenNode(new TableDirectory(folder, held.keyspace(), held.name(), held.id()));
    }

    /** The folder of a table in a data directory, if there are SSTables in it. */
    static Optional<TableDirectory> of(Path data, TableDirectory wanted) throws IOException {
        for (TableDirectory found : TableDirectory.find(data)) {
            boolean isIt = found.keyspace().equals(wanted.keyspace())
                    && found.name().equals(wanted.name())
                    && !found.descriptors().isEmpty();
            if (isIt) {
                return Optional.of(found);
            }
        }
        return Optional.empty();
    }

    List<SSTable> sstables() throws IOException {
        return TableFiles.open(table);
    }

    long bytes() throws IOException {
        return sstables().stream().mapToLong(SSTable::bytesOnDisk).sum();
    }

    StoredDigest stored() throws IOException {
        return StoredDigest.of(sstables(), TokenRange.FULL);
    }

    ContentDigest digest() throws IOException {
        return ContentDigest.of(sstables(), TokenRanges.FULL);
    }

    /** Reads all of it, so that it is in the page cache, as far as that is large enough. */
    void read() throws IOException {
        for (SSTable sstable : sstables()) {
            for (Component component : sstable.components()) {
                Files.copy(sstable.path(component), OutputStream.nullOutputStream());
            }
        }
    }
}
