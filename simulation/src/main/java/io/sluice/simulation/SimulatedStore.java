package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.InstallPermit;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** The database of a receiving node: what is visible, and what it was told. */
final class SimulatedStore implements TableStore {
    private final World world;
    private final UUID nodeId;
    private final String node;
    private final SimulatedDisk disk;
    private final Runnable onDiskFailure;
    /** Survives crashes, as a database's own generator does. */
    private int lastId;
    /** By install: what went live with it. Survives crashes: the oracle's memory, not the database's. */
    private final Map<UUID, List<Descriptor>> installs = new HashMap<>();
    /** SSTables that compaction has replaced. */
    private final Set<Path> compactedAway = new HashSet<>();

    private Map<UUID, Set<Descriptor>> visible = new TreeMap<>();
    private Set<UUID> answered = new HashSet<>();
    private Set<Descriptor> unsettled = new HashSet<>();

    /** What the database remembers for good. */
    private final Set<UUID> dropped = new HashSet<>();

    private final Map<UUID, Long> truncatedAt = new HashMap<>();
    private final Map<UUID, Long> schemas = new HashMap<>();
    private final Map<UUID, Long> permittedAt = new HashMap<>();
    /** By plan and table: when it began, and what the schema was then. */
    private final Map<List<UUID>, Arrivals> arrivals = new HashMap<>();

    private long changes;

    private record Arrivals(long sinceNanos, long schema) {}

    SimulatedStore(World world, UUID nodeId, String node, SimulatedDisk disk, Runnable onDiskFailure) {
        this.onDiskFailure = onDiskFailure;
        this.world = world;
        this.nodeId = nodeId;
        this.node = node;
        this.disk = disk;
    }

    /** The process has died; a new one finds what lies in the live folders with a TOC. After recovery. */
    void restart() throws IOException {
        changes++;
        Map<UUID, Set<Descriptor>> found = new TreeMap<>();
        for (TableRef table : world.tables) {
            Path live = liveDirectory(table);
            if (disk.isDirectory(live)) {
                removeObsolete(table);
                for (Path file : live(live)) {
                    Descriptor.parse(file.getFileName().toString())
                            .filter(named -> named.component() == Component.TOC)
                            .ifPresent(named -> found.computeIfAbsent(table.id(), id -> newSet())
                                    .add(named.descriptor()));
                }
            }
        }
        visible = found;
    }

    /** The memory of the process is gone. */
    void die() {
        changes++;
        visible = new TreeMap<>();
        answered = new HashSet<>();
        unsettled = new HashSet<>();
        world.promises.dies(node);
        if (world.is(Mutant.REUSE_ID)) {
            lastId = 0;
        }
    }

    private List<Path> live(Path directory) throws IOException {
        return disk.listQuietly(directory);
    }

    private static Set<Descriptor> newSet() {
        return new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));
    }

    /** Grows with each change of what reads see. */
    long changes() {
        return changes;
    }

    Set<Descriptor> visible(TableRef table) {
        return visible.getOrDefault(table.id(), Set.of());
    }

    /** What a crash has left of SSTables that were replaced or emptied out: a database has notes of it. */
    private void removeObsolete(TableRef table) throws IOException {
        for (Path file : live(liveDirectory(table))) {
            Optional<Descriptor> sstable = Descriptor.parse(file.getFileName().toString())
                    .map(Descriptor.Named::descriptor)
                    .filter(found -> compactedAway.contains(file.resolveSibling(found.toString())));
            if (sstable.isPresent()) {
                disk.removeDurably(liveDirectory(table), sstable.get());
            }
        }
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        return dropped.contains(tableId)
                ? Optional.empty()
                : world.tables.stream()
                        .filter(table -> table.id().equals(tableId))
                        .findFirst();
    }

    @Override
    public boolean isDropped(UUID tableId) {
        return dropped.contains(tableId) && !world.is(Mutant.KEEP_DROPPED);
    }

    @Override
    public long schemaDigest(TableRef table) {
        return schemas.getOrDefault(table.id(), SimulatedNode.FIRST_SCHEMA);
    }

    /** The table is gone, with its files. */
    void drop(TableRef table) {
        changes++;
        world.note(node, "database: drops " + table.name());
        dropped.add(table.id());
        visible.remove(table.id());
        empty(table);
    }

    /** A table of its own, also if it has the name of another that was dropped. */
    void create(TableRef table) {
        changes++;
        world.note(node, "database: creates " + table.name());
        world.tables.add(table);
        disk.makeDurably(liveDirectory(table));
    }

    /**
     * Nothing is in the table any more; files that streaming has not settled yet go when it has.
     *
     * @param isDown whether the process is not there, so that it happens when it starts
     */
    void truncate(TableRef table, boolean isTruncatedEverywhere, boolean isDown) {
        if (dropped.contains(table.id())) {
            return;
        }
        world.note(node, "database: truncates " + table.name());
        changes++;
        truncatedAt.put(table.id(), world.scheduler.nowNanos());
        world.oracle.truncated(node, table.id(), isTruncatedEverywhere);
        if (isDown) {
            empty(table);
        }
        for (Descriptor sstable : visible(table)) {
            forget(table, sstable);
            if (!unsettled.contains(sstable)) {
                remove(table, sstable);
            }
        }
        visible.remove(table.id());
    }

    /** Of a committed set that has no answer yet all files are in staging as well, and linked anew. */
    private void empty(TableRef table) {
        try {
            disk.emptyDurably(liveDirectory(table));
        } catch (IOException e) {
            throw new Violation(node + ": the folder of " + table + " is gone: " + e.getMessage());
        }
    }

    private void forget(TableRef table, Descriptor sstable) {
        compactedAway.add(liveDirectory(table).resolve(sstable.toString()));
    }

    private void remove(TableRef table, Descriptor sstable) {
        try {
            disk.removeDurably(liveDirectory(table), sstable);
        } catch (IOException e) {
            throw new Violation(node + ": the folder of " + table + " is gone: " + e.getMessage());
        }
    }

    private boolean isTruncatedSince(TableRef table, long nanos) {
        return truncatedAt.getOrDefault(table.id(), Long.MIN_VALUE) > nanos;
    }

    /** The table is read otherwise from now on. */
    void alter(TableRef table, long schema) {
        changes++;
        world.note(node, "database: alters " + table.name());
        schemas.put(table.id(), schema);
    }

    @Override
    public void expectArrivals(UUID planId, TableRef table, TokenRanges ranges) {
        arrivals.put(List.of(planId, table.id()), new Arrivals(world.scheduler.nowNanos(), schemaDigest(table)));
        world.oracle.begins(nodeId, planId, table.id());
    }

    @Override
    public InstallPermit permit(UUID planId, UUID installId, TableRef table) {
        world.oracle.asksForPermit(nodeId, planId, installId, table.id());
        world.promises.asksForPermit(node, planId, installId, table);
        if (world.happens(world.faults.of(Faults.Kind.ERROR))) {
            throw new AssertionError("injected: an assertion of the database");
        }
        if (world.is(Mutant.IGNORE_SCHEMA)) {
            return () -> {};
        }
        Arrivals begun =
                arrivals.getOrDefault(List.of(planId, table.id()), new Arrivals(Long.MIN_VALUE, schemaDigest(table)));
        if (isTruncatedSince(table, begun.sinceNanos())) {
            throw new StreamException(ErrorCode.DISCARDED, table + " was truncated meanwhile");
        }
        if (begun.schema() != schemaDigest(table) && world.random.nextBoolean()) {
            throw new StreamException(ErrorCode.SCHEMA, table + " was altered meanwhile");
        }
        permittedAt.put(installId, world.scheduler.nowNanos());
        boolean isRevoked = world.happens(world.faults.of(Faults.Kind.SCHEMA));
        if (isRevoked) {
            world.promises.revokes(installId);
        }
        return new InstallPermit() {
            @Override
            public void giveBack() { // nobody waits for it: an install is one event here
                judge(() -> world.promises.returnsPermit(node, SimulatedStore.this, disk, installId));
            }

            @Override
            public boolean isRevoked() {
                return isRevoked;
            }
        };
    }

    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
        throw new IOException("a receiving node does not send");
    }

    @Override
    public Path liveDirectory(TableRef table) {
        return Path.of("/", node, "live", table.name() + "-" + table.id());
    }

    @Override
    public Path stagingDirectory() {
        return Path.of("/", node, "staging");
    }

    @Override
    public SSTableId newId(TableRef table) {
        return new SSTableId.Sequence(++lastId);
    }

    @Override
    public void goLive(UUID installId, TableRef table, List<Descriptor> sstables) throws IOException {
        changes++;
        if (world.happens(world.faults.of(Faults.Kind.ERROR))) {
            throw new AssertionError("injected: an assertion of the database");
        }
        if (world.happens(world.faults.of(Faults.Kind.GO_LIVE_FAILS))) {
            throw new IOException("injected: the database does not answer");
        }
        if (!answered.add(installId)) {
            throw new Violation(node + ": was told twice of install " + installId);
        }
        if (dropped.contains(table.id())) {
            throw new Violation(node + ": " + table.name() + " was dropped, and is told to be live");
        }
        if (isTruncatedSince(table, permittedAt.getOrDefault(installId, Long.MAX_VALUE))) {
            throw new StreamException(ErrorCode.DISCARDED, table + " was truncated after it was committed");
        }
        world.oracle.goesLive(node, installId, table.id());
        world.promises.goesLive(node, this, disk, installId, sstables);
        world.note(node, "database: " + table.name() + " live with " + sstables);
        installs.put(installId, List.copyOf(sstables));
        visible.computeIfAbsent(table.id(), id -> newSet()).addAll(sstables);
        unsettled.addAll(sstables);
        world.promises.answers(installId);
        world.oracle.installed(nodeId, world.promises.plan(node, installId), table.id());
    }

    /** Looks at the disk. */
    private interface Judgement {
        void run() throws IOException;
    }

    private void judge(Judgement judgement) {
        try {
            judgement.run();
        } catch (IOException e) {
            throw new Violation(node + ": what should be on the disk is not there: " + e.getMessage());
        }
    }

    @Override
    public void diskFailed(Path stagingDirectory, String why) {
        onDiskFailure.run();
    }

    @Override
    public void settled(UUID installId, TableRef table) {
        changes++;
        judge(() -> world.promises.settles(node, this, disk, installId));
        List<Descriptor> sstables = installs.getOrDefault(installId, List.of());
        unsettled.removeAll(sstables);
        if (!dropped.contains(table.id())) {
            sstables.stream()
                    .filter(sstable ->
                            compactedAway.contains(liveDirectory(table).resolve(sstable.toString())))
                    .forEach(sstable -> remove(table, sstable)); // truncated meanwhile
        }
    }

    /** All SSTables of each install are visible, or none, but for those that were compacted away. */
    void checkWholeInstalls() {
        for (TableRef table : world.tables) {
            for (List<Descriptor> install : installs.values()) {
                long there = install.stream().filter(visible(table)::contains).count();
                long gone = install.stream()
                        .filter(sstable ->
                                compactedAway.contains(liveDirectory(table).resolve(sstable.toString())))
                        .count();
                if (there > 0 && there + gone < install.size()) {
                    throw new Violation(node + ": " + table.name() + " has only some SSTables of a set live");
                }
            }
        }
    }

    /** Replaces all visible SSTables of a table by one, and removes their files at once. */
    void compact(TableRef table) throws IOException {
        changes++;
        List<Descriptor> old = new ArrayList<>(visible(table));
        old.removeAll(unsettled);
        if (old.size() < 2) {
            return;
        }
        List<Row> rows = new ArrayList<>();
        for (Descriptor sstable : old) {
            rows.addAll(SimulatedSSTable.rows(
                    disk.content(liveDirectory(table).resolve(sstable.fileName(Component.DATA)))));
        }
        Descriptor merged = new Descriptor(old.get(0).version(), newId(table));
        SimulatedSSTable made = new SimulatedSSTable(merged, table.id(), rows, world.random);
        disk.placeDurably(liveDirectory(table), merged, made.files);
        visible.computeIfAbsent(table.id(), id -> newSet()).add(merged);
        for (Descriptor sstable : old) {
            compactedAway.add(liveDirectory(table).resolve(sstable.toString()));
            visible.getOrDefault(table.id(), newSet()).remove(sstable);
            disk.removeDurably(liveDirectory(table), sstable);
        }
        world.note(node, "database: compacts " + table.name() + " to " + merged);
    }

    /** Whether an SSTable came by streaming, and is not the database's own. */
    boolean isReceived(Descriptor sstable) {
        return installs.values().stream().anyMatch(install -> install.contains(sstable));
    }

    /** All rows of a table that reads would see. */
    List<Row> rows(TableRef table) throws IOException {
        List<Row> rows = new ArrayList<>();
        for (Descriptor sstable : visible(table)) {
            rows.addAll(SimulatedSSTable.rows(
                    disk.content(liveDirectory(table).resolve(sstable.fileName(Component.DATA)))));
        }
        return rows;
    }
}
