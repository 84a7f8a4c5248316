package io.sluice.harness.agent;

import com.fasterxml.jackson.core.JacksonException;
import com.google.common.io.MoreFiles;
import io.sluice.harness.agent.AgentMessages.Import;
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

    /** Bytes of the files of a table that one plan has brought, also of those beside the components. */
    synchronized long bytes(UUID planId, TableRef table) throws IOException {
        long bytes = 0;
        for (LandedSet set : of(Set.of(planId), table)) {
            bytes += bytes(set);
        }
        return bytes;
    }

    /** Wherever they are: an import that failed may have moved some. */
    private long bytes(LandedSet set) throws IOException {
        long bytes = 0;
        for (String data : set.dataFiles()) {
            Path folder = Path.of(data).resolveSibling("").normalize();
            List<Path> files = new ArrayList<>(files(folder, descriptor(Path.of(data))));
            files.addAll(files(importFolder(set.table(), homeOf(folder)), descriptor(Path.of(data))));
            if (files.stream().noneMatch(file -> file.endsWith(Path.of(data).getFileName()))) {
                throw new IOException(data + ": the file is gone (expected: it stays until the node imports "
                        + set.table() + "; run the command again: the table is fetched anew)");
            }
            for (Path file : files) {
                bytes += Files.size(file);
            }
        }
        return bytes;
    }

    /**
     * Makes the node import everything that some plans have brought of a table, in one call: a tombstone must not be
     * compacted away before the data that it deletes is there. May be repeated if it fails.
     *
     * @throws IOException also if the table was dropped, the node refuses a folder, or what is there is not what was
     *     verified: then nothing is imported
     */
    synchronized Imported importAll(Import order) throws IOException {
        TableRef table = order.table();
        requireTable(table);
        List<LandedSet> waiting = of(order.planIds(), table);
        requireVerified(order, waiting);
        for (LandedSet set : waiting) {
            for (String data : set.dataFiles()) {
                Path folder = Path.of(data).resolveSibling("").normalize();
                move(folder, descriptor(Path.of(data)), importFolder(table, homeOf(folder)));
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
        return new Imported(order.sstables(), order.bytes());
    }

    /** Another coordinator may have removed what this one has verified. */
    private void requireVerified(Import order, List<LandedSet> waiting) throws IOException {
        for (UUID plan : order.planIds()) {
            if (waiting.stream().noneMatch(set -> set.planId().equals(plan))) {
                throw new IOException(order.table() + ": nothing is there of plan " + plan
                        + ", which was verified (was it removed by another coordinator? Run the command again);"
                        + " importing nothing");
            }
        }
        int sstables = waiting.stream().mapToInt(set -> set.dataFiles().size()).sum();
        long bytes = 0;
        for (LandedSet set : waiting) {
            bytes += bytes(set);
        }
        if (sstables != order.sstables() || bytes != order.bytes()) {
            throw new IOException(
                    order.table() + ": " + sstables + " SSTables of " + bytes + " bytes are there (expected: "
                            + order.sstables() + " of " + order.bytes()
                            + ", as when they were verified; run the command again); importing nothing");
        }
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

    /** The files of an SSTable in a folder, also those beside its components. */
    private static List<Path> files(Path folder, Descriptor descriptor) throws IOException {
        return list(folder).stream()
                .filter(file -> Descriptor.ofFile(String.valueOf(file.getFileName()))
                        .filter(descriptor::equals)
                        .isPresent())
                .toList();
    }

    /** Moves the files of an SSTable, Data.db last, and skips those that were moved before. */
    private static void move(Path from, Descriptor descriptor, Path to) throws IOException {
        Files.createDirectories(to);
        LocalFiles files = new LocalFiles();
        List<Path> moving = new ArrayList<>(files(from, descriptor));
        Path data = from.resolve(descriptor.fileName(Component.DATA));
        moving.remove(data);
        if (Files.exists(data)) {
            moving.add(data);
        }
        for (Path file : moving) {
            files.rename(file, to.resolve(String.valueOf(file.getFileName())));
        }
        files.syncDirectory(to);
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
