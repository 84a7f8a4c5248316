package io.sluice.harness.agent;

import com.fasterxml.jackson.core.JacksonException;
import com.google.common.io.MoreFiles;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.json.Json;
import io.sluice.harness.store.DurableFile;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Received SSTables beside a node's tables, until the node imports them. Each set is a file that names its SSTables; it
 * is removed when they are imported or discarded. Thread-safe: guarded by itself.
 *
 * <pre>
 * DATA/.sluice/landed/TABLE ID/      SSTables of waiting sets
 * DATA/.sluice/import/KEYSPACE/TABLE-ID/  those that the node is importing now
 * FIRST DATA/.sluice/sets/ID.json    a set
 * </pre>
 */
final class Landings {
    private final ImportTarget node;
    private final List<Path> homes;
    private final Path sets;

    /**
     * SSTables of one table that one plan has brought. Immutable.
     *
     * @param dataFiles their {@code Data.db} files, in the folders that received them
     */
    record LandedSet(UUID installId, UUID planId, TableRef table, List<String> dataFiles) {
        LandedSet {
            dataFiles = List.copyOf(dataFiles);
        }
    }

    /** @param homes {@code .sluice} in each data directory */
    Landings(ImportTarget node, List<Path> homes) throws IOException {
        this.node = node;
        this.homes = List.copyOf(homes);
        this.sets = Files.createDirectories(homes.get(0).resolve("sets"));
    }

    /** Folder for received SSTables of a table on a volume; created if missing. */
    Path folder(TableRef table, Path home) throws IOException {
        return Files.createDirectories(home.resolve("landed").resolve(table.id().toString()));
    }

    private static Path importFolder(TableRef table, Path home) {
        // Cassandra silently imports nothing if the parent folders do not have the names of the table.
        return TableDirectory.in(home.resolve("import"), table.keyspace(), table.name(), table.id());
    }

    /** Adds a received set; durable when this returns. */
    synchronized void add(LandedSet set) throws IOException {
        DurableFile.write(file(set), Json.MAPPER.writeValueAsString(set));
    }

    private Path file(LandedSet set) {
        return sets.resolve(set.installId() + ".json");
    }

    private List<LandedSet> all() throws IOException {
        List<LandedSet> all = new ArrayList<>();
        for (Path file : list(sets)) {
            if (file.toString().endsWith(".json")) {
                try {
                    all.add(Json.MAPPER.readValue(file.toFile(), LandedSet.class));
                } catch (JacksonException e) {
                    throw new IOException(
                            file + ": malformed (expected: a file written by an agent; remove the file, and"
                                    + " restart the operation): " + e.getMessage(),
                            e);
                }
            }
        }
        return all;
    }

    private List<LandedSet> of(Collection<UUID> plans, TableRef table) throws IOException {
        return all().stream()
                .filter(set -> plans.contains(set.planId()) && set.table().equals(table))
                .toList();
    }

    /** The received SSTables of a table, of one plan. */
    synchronized List<SSTable> open(UUID planId, TableRef table) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (LandedSet set : of(Set.of(planId), table)) {
            for (String data : set.dataFiles()) {
                sstables.add(SSTable.open(Path.of(data).resolveSibling("").normalize(), descriptor(Path.of(data))));
            }
        }
        return sstables;
    }

    private static Descriptor descriptor(Path data) throws IOException {
        return Descriptor.parse(String.valueOf(data.getFileName()))
                .orElseThrow(() -> new IOException(data + ": not the name of a component of an SSTable"))
                .descriptor();
    }

    /**
     * Makes the node import everything that some plans have brought of a table, in one call: a tombstone must not be
     * compacted away before the data that it deletes is there. Repeating it has no further effect.
     *
     * @throws IOException also if the table was dropped, or the node refuses a folder
     */
    synchronized Imported importAll(Collection<UUID> plans, TableRef table) throws IOException {
        requireTable(table);
        List<LandedSet> waiting = of(plans, table);
        int sstables = 0;
        long bytes = 0;
        for (LandedSet set : waiting) {
            for (String data : set.dataFiles()) {
                Path folder = Path.of(data).resolveSibling("").normalize();
                bytes += move(folder, descriptor(Path.of(data)), importFolder(table, homeOf(folder)));
                sstables++;
            }
        }
        Set<Path> full = new LinkedHashSet<>();
        for (Path home : homes) { // also what an earlier call has moved
            Path folder = importFolder(table, home);
            if (Files.isDirectory(folder) && !list(folder).isEmpty()) {
                full.add(folder);
            }
        }
        if (!full.isEmpty()) {
            List<String> refused = node.importSSTables(table, full);
            if (!refused.isEmpty()) {
                throw new IOException(table + ": the node refused to import " + refused
                        + " (see its log; the received files are kept)");
            }
            for (Path folder : full) {
                requireTaken(table, folder);
            }
            LocalFiles files = new LocalFiles();
            for (Path folder : node.folders(table)) {
                if (Files.isDirectory(folder)) {
                    files.syncDirectory(folder); // the import renames without a sync
                }
            }
        }
        for (LandedSet set : waiting) {
            Files.deleteIfExists(file(set));
        }
        return new Imported(sstables, bytes);
    }

    /** A node that finds nothing to import does not report it. */
    private static void requireTaken(TableRef table, Path folder) throws IOException {
        List<Path> left = list(folder).stream()
                .filter(file -> file.toString().endsWith("-Data.db"))
                .toList();
        if (!left.isEmpty()) {
            throw new IOException(table + ": the node did not import " + left + " (its log" + " may say why)");
        }
    }

    private void requireTable(TableRef table) throws IOException {
        if (!node.tables().contains(table)) {
            throw new IOException(table + " with id " + table.id() + " was dropped at this node; importing nothing");
        }
    }

    private Path homeOf(Path folder) throws IOException {
        return homes.stream()
                .filter(folder::startsWith)
                .findFirst()
                .orElseThrow(() -> new IOException(folder + ": not on a volume of this node"));
    }

    /**
     * Moves the files of an SSTable, also those beside its components, Data.db last, and skips existing ones. Returns
     * their bytes.
     */
    private static long move(Path from, Descriptor descriptor, Path to) throws IOException {
        Files.createDirectories(to);
        LocalFiles files = new LocalFiles();
        long bytes = 0;
        List<Path> moving = new ArrayList<>();
        for (Path file : list(from)) {
            if (Descriptor.ofFile(String.valueOf(file.getFileName()))
                    .filter(descriptor::equals)
                    .isPresent()) {
                moving.add(file);
            }
        }
        Path data = from.resolve(descriptor.fileName(Component.DATA));
        moving.remove(data);
        if (Files.exists(data)) {
            moving.add(data);
        }
        for (Path file : moving) {
            bytes += Files.size(file);
            files.rename(file, to.resolve(String.valueOf(file.getFileName())));
        }
        files.syncDirectory(to);
        return bytes;
    }

    /** Removes all waiting sets: their operation will not continue. */
    synchronized void discardAll() throws IOException {
        for (LandedSet set : all()) {
            Files.deleteIfExists(file(set));
        }
        for (Path home : homes) {
            for (String kind : List.of("landed", "import")) {
                for (Path table : list(home.resolve(kind))) {
                    MoreFiles.deleteRecursively(table);
                }
            }
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        }
    }
}
