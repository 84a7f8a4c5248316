package io.sluice.harness.agent;

import com.google.common.io.MoreFiles;
import io.sluice.harness.agent.AgentMessages.Fetch;
import io.sluice.harness.agent.AgentMessages.Import;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Landed;
import io.sluice.harness.agent.AgentMessages.Proof;
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
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Received SSTables beside a node's tables, until the node imports them. Each set is a file that names its SSTables; it
 * says so when they are imported, and is removed when they are discarded. Thread-safe: one import or discard at a time;
 * all else takes no lock, so that neither what lands nor a question waits for an import.
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
    private final Map<UUID, Fetch> orders;
    private final ImportedFiles imported;

    /**
     * Reads nothing yet.
     *
     * @param homes {@code .sluice} in each data directory
     * @param orders of the plans that were started, by their ids; thread-safe
     */
    Landings(ImportTarget node, List<Path> homes, Map<UUID, Fetch> orders, ImportedFiles imported) throws IOException {
        this.node = node;
        this.homes = List.copyOf(homes);
        this.orders = orders;
        this.imported = imported;
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

    /**
     * Adds what a plan has brought of a table; durable when this returns.
     *
     * @return whether it is known where it comes from; else nothing is added
     */
    boolean add(UUID installId, UUID planId, TableRef table, List<Path> dataFiles) throws IOException {
        Fetch order = orders.get(planId);
        if (order != null) {
            List<String> files = dataFiles.stream().map(Path::toString).toList();
            add(new LandedSet(installId, LandedSet.Origin.of(order), table, files, Optional.empty()));
        }
        return order != null;
    }

    private void add(LandedSet set) throws IOException {
        DurableFile.write(file(set), Json.MAPPER.writeValueAsString(set));
    }

    private Path file(LandedSet set) {
        return sets.resolve(set.installId() + ".json");
    }

    private List<LandedSet> all() throws IOException {
        List<LandedSet> all = new ArrayList<>();
        for (Path file : ListedFolders.list(sets)) {
            if (file.toString().endsWith(".json")) {
                AgentFile.read(file, LandedSet.class, "remove the file, and restart the operation")
                        .ifPresent(all::add);
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
    List<SSTable> open(UUID planId, TableRef table) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (LandedSet set : of(Set.of(planId), table)) {
            for (String data : set.dataFiles()) {
                sstables.add(open(Path.of(data)));
            }
        }
        return sstables;
    }

    /** Opens the SSTable with this Data.db. */
    static SSTable open(Path data) throws IOException {
        return SSTable.open(data.resolveSibling("").normalize(), descriptor(data));
    }

    private static Descriptor descriptor(Path data) throws IOException {
        return Descriptor.parse(String.valueOf(data.getFileName()))
                .orElseThrow(() -> new IOException(data + ": not the name of a component of an SSTable"))
                .descriptor();
    }

    /** Bytes of the files of a table that one plan has brought, also of those beside the components. */
    long bytes(UUID planId, TableRef table) throws IOException {
        ListedFolders folders = new ListedFolders();
        long bytes = 0;
        for (LandedSet set : of(Set.of(planId), table)) {
            bytes += bytes(set, folders);
        }
        return bytes;
    }

    /** Wherever they are: an import that failed may have moved some. */
    private long bytes(LandedSet set, ListedFolders folders) throws IOException {
        long bytes = 0;
        for (String data : set.dataFiles()) {
            Path folder = Path.of(data).resolveSibling("").normalize();
            List<Path> files = new ArrayList<>(folders.files(folder, descriptor(Path.of(data))));
            files.addAll(folders.files(importFolder(set.table(), homeOf(folder)), descriptor(Path.of(data))));
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
        ListedFolders folders = new ListedFolders();
        requireVerified(order, waiting, folders);
        move(waiting, folders);
        Set<Path> full = new LinkedHashSet<>();
        for (Path home : homes) { // also what an earlier call has moved
            Path folder = importFolder(table, home);
            if (Files.isDirectory(folder) && !ListedFolders.list(folder).isEmpty()) {
                full.add(folder);
            }
        }
        if (!full.isEmpty()) {
            List<String> refused = node.importSSTables(table, full);
            if (!refused.isEmpty()) {
                throw new IOException(table + ": the node refused to import " + refused
                        + " (its log says why; run the command again: the table is fetched anew)");
            }
            for (Path folder : full) {
                requireTaken(table, folder);
            }
            for (Path folder : node.folders(table)) {
                imported.sync(folder);
            }
        }
        for (Proof proof : order.proofs()) {
            recordImported(table, proof, waiting);
        }
        for (LandedSet set : waiting) {
            Files.deleteIfExists(file(set));
        }
        return new Imported(order.sstables(), order.bytes());
    }

    /** For a coordinator that begins again, and does not fetch it again: also that a source has nothing. */
    private void recordImported(TableRef table, Proof proof, List<LandedSet> waiting) throws IOException {
        Optional<LandedSet.Origin> origin = waiting.stream()
                .map(LandedSet::origin)
                .filter(its -> its.planId().equals(proof.planId()))
                .findFirst()
                .or(() -> Optional.ofNullable(orders.get(proof.planId())).map(LandedSet.Origin::of));
        if (origin.isPresent()) {
            add(new LandedSet(UUID.randomUUID(), origin.get(), table, List.of(), Optional.of(proof)));
        }
    }

    /** Another coordinator may have removed what this one has verified. */
    private void requireVerified(Import order, List<LandedSet> waiting, ListedFolders folders) throws IOException {
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
            bytes += bytes(set, folders);
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
        List<Path> left = ListedFolders.list(folder).stream()
                .filter(file -> file.toString().endsWith("-Data.db"))
                .toList();
        if (!left.isEmpty()) {
            throw new IOException(table + ": the node did not import " + left
                    + " (its log may say why; run the command again: the table is fetched anew)");
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

    /** Moves all files to where the node takes them, and skips those that were moved before. */
    private void move(List<LandedSet> waiting, ListedFolders folders) throws IOException {
        LocalFiles disk = new LocalFiles();
        Set<Path> full = new LinkedHashSet<>();
        for (LandedSet set : waiting) {
            for (String data : set.dataFiles()) {
                Path folder = Path.of(data).resolveSibling("").normalize();
                Path to = importFolder(set.table(), homeOf(folder));
                if (full.add(to)) {
                    Files.createDirectories(to);
                }
                move(folders.files(folder, descriptor(Path.of(data))), to, disk);
            }
        }
        for (Path to : full) {
            disk.syncDirectory(to);
        }
    }

    /** Moves the files of an SSTable, Data.db last. */
    private static void move(List<Path> files, Path to, LocalFiles disk) throws IOException {
        List<Path> moving = new ArrayList<>(files);
        moving.sort(Comparator.comparing(file -> file.toString().endsWith(Component.DATA.fileName())));
        for (Path file : moving) {
            disk.rename(file, to.resolve(String.valueOf(file.getFileName())));
        }
    }

    /** What is there of an operation, waiting or imported; what is imported or removed meanwhile may count, or not. */
    List<Landed> landed(UUID operation) throws IOException {
        ListedFolders folders = new ListedFolders();
        List<Landed> landed = new ArrayList<>();
        for (LandedSet set : all()) {
            if (set.origin().operation().equals(operation)) {
                long bytes = set.imported().map(Proof::landedBytes).orElse(0L);
                for (Path file : files(set, folders)) {
                    bytes += sizeBytes(file);
                }
                landed.add(new Landed(
                        set.planId(),
                        set.origin().source(),
                        set.table(),
                        set.origin().ranges(),
                        bytes,
                        set.imported()));
            }
        }
        return landed;
    }

    private static long sizeBytes(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException moved) {
            return 0; // since it was listed
        }
    }

    /**
     * Removes all sets whose operation will not continue, and those of which an import has moved some files.
     *
     * @param keep the operation that continues; empty if none does
     * @param isQuiet whether nothing is landing now: else a file without a set may be about to get one, and stays
     */
    synchronized void discard(Optional<UUID> keep, boolean isQuiet) throws IOException {
        ListedFolders folders = new ListedFolders();
        Set<Path> kept = new HashSet<>();
        for (LandedSet set : all()) {
            if (keep.equals(Optional.of(set.origin().operation())) && isWhole(set, folders)) {
                kept.addAll(files(set, folders));
            } else {
                Files.deleteIfExists(file(set));
                for (Path file : files(set, folders)) {
                    Files.deleteIfExists(file);
                }
            }
        }
        for (Path home : homes) {
            for (Path table : isQuiet ? ListedFolders.list(home.resolve("landed")) : List.<Path>of()) {
                discardAllBut(kept, table);
            }
            for (Path table : ListedFolders.list(home.resolve("import"))) {
                MoreFiles.deleteRecursively(table);
            }
        }
    }

    private static void discardAllBut(Set<Path> kept, Path table) throws IOException {
        if (ListedFolders.list(table).stream().noneMatch(kept::contains)) {
            MoreFiles.deleteRecursively(table);
            return;
        }
        for (Path file : ListedFolders.list(table)) {
            if (!kept.contains(file)) {
                Files.delete(file);
            }
        }
    }

    /** Where they have landed. */
    private static List<Path> files(LandedSet set, ListedFolders folders) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String data : set.dataFiles()) {
            Path folder = Path.of(data).resolveSibling("").normalize();
            files.addAll(folders.files(folder, descriptor(Path.of(data))));
        }
        return files;
    }

    private boolean isWhole(LandedSet set, ListedFolders folders) throws IOException {
        for (Path home : homes) {
            if (!set.dataFiles().isEmpty() && !folders.isEmpty(importFolder(set.table(), home))) {
                return false;
            }
        }
        return set.dataFiles().stream().allMatch(data -> Files.exists(Path.of(data)));
    }
}
