package io.sluice.harness.cli.sstable;

import io.sluice.harness.config.ConfigException;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds what a person means by a path. Stateless. */
final class Targets {
    private Targets() {}

    /** One SSTable that lies in a folder; it may be damaged. */
    record Found(Path folder, Descriptor descriptor) {
        SSTable open() throws IOException {
            return SSTable.open(folder, descriptor);
        }

        /** Makes {@code <keyspace>/<table>-<id>/} of the same names in {@code target}. */
        Path folderIn(Path target) throws IOException {
            Path keyspace = folder.toAbsolutePath().normalize().getParent();
            return Files.createDirectories(target.resolve(keyspace == null ? Path.of("") : keyspace.getFileName())
                    .resolve(folder.getFileName()));
        }

        @Override
        public String toString() {
            return folder.getFileName() + "/" + descriptor;
        }
    }

    /**
     * The SSTables below {@code path}: a Data.db, the folder of a table, of a keyspace, or a data directory; at least
     * one, by table and id.
     */
    static List<Found> find(Path path) throws IOException {
        List<Found> found =
                Files.isDirectory(path) ? inFolder(path) : ofFile(path).stream().toList();
        if (found.isEmpty()) {
            throw new ConfigException(path + ": no SSTables found (expected: a Data.db, the folder of a table as"
                    + " <keyspace>/<table>-<id>/, or a data directory)");
        }
        return found;
    }

    private static Optional<Found> ofFile(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        return folder == null || !Files.isRegularFile(file)
                ? Optional.empty()
                : Descriptor.parse(file.getFileName().toString())
                        .filter(named -> named.component() == Component.DATA)
                        .map(named -> new Found(folder, named.descriptor()));
    }

    private static List<Found> inFolder(Path folder) throws IOException {
        List<Found> found = new ArrayList<>();
        for (TableDirectory table : TableDirectory.find(folder)) {
            for (Descriptor descriptor : table.descriptors()) {
                found.add(new Found(table.path(), descriptor));
            }
        }
        return found;
    }

    /** The same, opened, by the folder of their table. */
    static Map<Path, List<SSTable>> openByTable(Path path) throws IOException {
        Map<Path, List<SSTable>> tables = new LinkedHashMap<>();
        for (Found sstable : find(path)) {
            tables.computeIfAbsent(sstable.folder(), folder -> new ArrayList<>())
                    .add(sstable.open());
        }
        return tables;
    }
}
