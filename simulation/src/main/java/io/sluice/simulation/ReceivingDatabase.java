package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.send.OfferFactory;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.transfer.Offers;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The database of a receiving node: what is visible, and what it was notified of. Long because it implements every call
 * of the store, each of which may fail, and the changes of tables.
 */
final class ReceivingDatabase implements SimulatedDatabase, TableStore {
    /** A crash does most harm around the commit point, and chance seldom places one there. */
    private static final int INSTALL_OPERATIONS = 60;

    private final World world;
    final SimulatedNode process;
    final String name;
    final SimulatedDisk disk;
    private final SimulatedVolumes volumes;
    private final Map<UUID, Path> directories = new HashMap<>();
    private final Map<TableRef, List<Path>> live = new HashMap<>();
    /** Survives crashes, like the generator of a real database. */
    private int lastId;
    /**
     * By install: the SSTables that became live with it. Survives crashes: this is the oracle's memory, not the
     * database's.
     */
    private final Map<UUID, List<Descriptor>> installs = new HashMap<>();
    /** SSTables that compaction has replaced. */
    private final Set<Path> compactedAway = new HashSet<>();

    /** Where each SSTable was when it became live; the name of a revoked activation no longer shows it. */
    private final Map<Descriptor, Path> activatedIn = new HashMap<>();
    /** SSTables that it compacted itself. */
    private final Set<Descriptor> own = new HashSet<>();

    /** Volumes that streaming does not use, in this process. */
    private final Set<Path> failed = new HashSet<>();

    private boolean isIncomplete;
    private Map<UUID, Set<Descriptor>> visible = new TreeMap<>();
    private Set<UUID> answered = new HashSet<>();
    private Set<Descriptor> unsettled = new HashSet<>();

    /** What the database remembers durably. */
    private final Set<UUID> dropped = new HashSet<>();

    private final Map<UUID, Long> truncatedAt = new HashMap<>();
    private final Map<UUID, Long> schemas = new HashMap<>();
    private final Map<UUID, Long> permittedAt = new HashMap<>();
    /** By plan and table: when it began, and the schema at that time. */
    private final Map<List<UUID>, IncomingPlan> arrivals = new HashMap<>();

    private long changes;

    private record IncomingPlan(long sinceNanos, long schema) {}

    ReceivingDatabase(SimulatedNode process) {
        this.process = process;
        this.world = process.world;
        this.name = process.name;
        this.disk = process.disk;
        this.volumes = new SimulatedVolumes(name, disk, world.receiverVolumes, world.volumes);
        disk.onHeadroomTaken(file -> {
            throw world.violation(name + ": " + file + " takes headroom that its volume reserves for the database");
        });
        for (TableRef table : world.tables) {
            liveDirectories(table).forEach(disk::makeDurably);
        }
    }

    @Override
    public TableStore store() {
        return this;
    }

    @Override
    public OfferFactory offering() {
        return new OfferFactory() {
            @Override
            public Offers begin(Path sliceFolder, ReceiverFeatures receiver, Offers.Progress progress) {
                throw new IllegalStateException(name + " offers nothing");
            }

            @Override
            public long estimateBytes(OpenedTable pinned, TokenRanges ranges, Runnable progress) {
                throw new IllegalStateException(name + " offers nothing");
            }
        };
    }

    /** A new process finds the files in the live folders that have a TOC. */
    @Override
    public void restart() throws IOException {
        changes++;
        Map<UUID, Set<Descriptor>> found = new TreeMap<>();
        for (TableRef table : world.tables) {
            for (Path live : liveDirectories(table)) {
                if (!disk.isDirectory(live) || isUnavailable(live)) {
                    continue;
                }
                removeObsolete(table, live);
                for (Path file : live(live)) {
                    Descriptor.parse(file.getFileName().toString())
                            .filter(named -> named.component() == Component.TOC)
                            .ifPresent(named -> found.computeIfAbsent(table.id(), id -> newSet())
                                    .add(named.descriptor()));
                }
            }
        }
        visible = found;
        isIncomplete = volumes.isAnyGone() || !failed.isEmpty();
        requireActivated();
    }

    /**
     * Checks that it was notified of each SSTable that it finds, or made it itself; no part of a set that waits for a
     * volume may be found.
     */
    private void requireActivated() {
        Set<Descriptor> known = new HashSet<>(own);
        installs.values().forEach(known::addAll);
        visible.forEach((table, found) -> found.stream()
                .filter(sstable -> !known.contains(sstable))
                .forEach(sstable -> {
                    throw world.violation(name + ": finds " + sstable + " in a live folder, and was never notified");
                }));
    }

    /** Whether the file is on a volume that is missing, or that streaming does not use. */
    private boolean isUnavailable(Path file) {
        return volumes.isGone(file) || (!volumes.isAlone() && failed.contains(volumes.root(file)));
    }

    /** Whether it started without one of its volumes: reads then see only what the others have. */
    boolean isIncomplete() {
        return isIncomplete || volumes.isAnyGone();
    }

    SimulatedVolumes simulatedVolumes() {
        return volumes;
    }

    @Override
    public void die() {
        changes++;
        visible = new TreeMap<>();
        answered = new HashSet<>();
        unsettled = new HashSet<>();
        failed.clear();
        world.invariants.dies(name);
    }

    private List<Path> live(Path directory) throws IOException {
        return disk.listQuietly(directory);
    }

    private static Set<Descriptor> newSet() {
        return new LinkedHashSet<>();
    }

    @Override
    public long changes() {
        return changes;
    }

    Set<Descriptor> visible(TableRef table) {
        return visible.getOrDefault(table.id(), Set.of());
    }

    /**
     * Removes what a crash left of SSTables that were compacted or truncated, which a real database has a record of.
     */
    private void removeObsolete(TableRef table, Path live) throws IOException {
        for (Path file : live(live)) {
            Optional<Descriptor> sstable = Descriptor.parse(file.getFileName().toString())
                    .map(Descriptor.Named::descriptor)
                    .filter(found -> compactedAway.contains(liveDirectory(table).resolve(found.toString())));
            if (sstable.isPresent()) {
                disk.removeDurably(live, sstable.get());
            }
        }
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        disk.requireAlive();
        return dropped.contains(tableId)
                ? Optional.empty()
                : world.tables.stream()
                        .filter(table -> table.id().equals(tableId))
                        .findFirst();
    }

    @Override
    public boolean isDropped(UUID tableId) {
        disk.requireAlive();
        return dropped.contains(tableId);
    }

    @Override
    public long schemaDigest(TableRef table) {
        disk.requireAlive();
        return schemas.getOrDefault(table.id(), World.FIRST_SCHEMA);
    }

    /** Drops the table with its files. */
    void drop(TableRef table) {
        changes++;
        world.note(name, "database: drops " + table.name());
        dropped.add(table.id());
        visible.remove(table.id());
        empty(table);
    }

    /** Creates a table, a different one even if it has the name of a dropped table. */
    void create(TableRef table) {
        changes++;
        world.note(name, "database: creates " + table.name());
        world.tables.add(table);
        liveDirectories(table).forEach(disk::makeDurably);
    }

    /**
     * Truncates the table; files that streaming has not settled yet are removed when it has.
     *
     * @param isDown whether the process is down, so that it happens at its start
     */
    void truncate(TableRef table, boolean isTruncatedEverywhere, boolean isDown) {
        if (dropped.contains(table.id())) {
            return;
        }
        world.note(name, "database: truncates " + table.name());
        changes++;
        truncatedAt.put(table.id(), world.scheduler.nowNanos());
        world.oracle.truncated(name, table.id(), isTruncatedEverywhere);
        if (isDown) {
            empty(table);
        }
        forgetUnavailable(table);
        for (Descriptor sstable : visible(table)) {
            forget(table, sstable);
            if (!unsettled.contains(sstable)) {
                remove(table, sstable);
            }
        }
        visible.remove(table.id());
    }

    /** Files of a committed set without an answer are in staging as well, and are linked anew. */
    private void empty(TableRef table) {
        try {
            for (Path live : liveDirectories(table)) {
                disk.emptyDurably(live);
            }
        } catch (IOException e) {
            throw world.violation(name + ": the folder of " + table + " is gone: " + e.getMessage());
        }
    }

    private void forget(TableRef table, Descriptor sstable) {
        compactedAway.add(liveDirectory(table).resolve(sstable.toString()));
    }

    /** Those on volumes that are missing or not used: a real database compares their times with the truncation. */
    private void forgetUnavailable(TableRef table) {
        List<Path> unavailable =
                liveDirectories(table).stream().filter(this::isUnavailable).toList();
        activatedIn.forEach((sstable, live) -> {
            if (unavailable.contains(live)) {
                forget(table, sstable);
            }
        });
    }

    private void remove(TableRef table, Descriptor sstable) {
        try {
            disk.removeDurably(directory(table, sstable), sstable);
        } catch (IOException e) {
            throw world.violation(name + ": the folder of " + table + " is gone: " + e.getMessage());
        }
    }

    private boolean isTruncatedSince(TableRef table, long nanos) {
        return truncatedAt.getOrDefault(table.id(), Long.MIN_VALUE) > nanos;
    }

    /** Changes the schema of the table. */
    void alter(TableRef table, long schema) {
        changes++;
        world.note(name, "database: alters " + table.name());
        schemas.put(table.id(), schema);
    }

    @Override
    public void expectArrivals(UUID planId, TableRef table, TokenRanges ranges) {
        disk.requireAlive();
        arrivals.put(List.of(planId, table.id()), new IncomingPlan(world.scheduler.nowNanos(), schemaDigest(table)));
        world.oracle.begins(planId, table.id());
        world.invariants.admitted(name, planId, process.trustedVolumes());
    }

    @Override
    public Permit permit(UUID planId, UUID installId, TableRef table) {
        disk.requireAlive();
        world.oracle.asksForPermit(planId, installId, table.id());
        world.invariants.asksForPermit(name, planId, installId, table);
        if (world.happens(world.faults.of(FaultRates.Kind.RECEIVER_DIES))) {
            disk.crashAfter(1 + world.random.nextInt(INSTALL_OPERATIONS));
        }
        if (world.failsSyncOfInstall()) {
            disk.failSyncAfter(1 + world.loops.nextInt(INSTALL_OPERATIONS));
        }
        if (world.happens(world.faults.of(FaultRates.Kind.ERROR))) {
            throw new Injected.Defect("an assertion of the database");
        }
        IncomingPlan begun = arrivals.getOrDefault(
                List.of(planId, table.id()), new IncomingPlan(Long.MIN_VALUE, schemaDigest(table)));
        if (isTruncatedSince(table, begun.sinceNanos())) {
            throw new StreamException(ErrorCode.DISCARDED, table + " was truncated meanwhile");
        }
        if (begun.schema() != schemaDigest(table) && world.random.nextBoolean()) {
            throw new StreamException(ErrorCode.SCHEMA, table + " was altered meanwhile");
        }
        permittedAt.put(installId, world.scheduler.nowNanos());
        boolean isRevoked = world.happens(world.faults.of(FaultRates.Kind.SCHEMA));
        if (isRevoked) {
            world.invariants.revokes(installId);
        }
        return new Permit() {
            @Override
            public void release() { // nobody waits for it: an install is one event here
                disk.requireAlive();
                judge(() -> world.invariants.returnsPermit(name, ReceivingDatabase.this, disk, installId));
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

    /** On the first volume; also names an SSTable, whichever volume it is on. */
    @Override
    public Path liveDirectory(TableRef table) {
        return directories.computeIfAbsent(
                table.id(), id -> volumes.roots().get(0).resolve("live").resolve(table.name() + "-" + id));
    }

    @Override
    public Path liveDirectory(TableRef table, Volume volume) {
        return volumes.root(volume.stagingDirectory()).resolve("live").resolve(table.name() + "-" + table.id());
    }

    private List<Path> liveDirectories(TableRef table) {
        return live.computeIfAbsent(
                table,
                any -> volumes.all().stream()
                        .map(volume -> liveDirectory(table, volume))
                        .toList());
    }

    /** Where an SSTable is; an id is on one volume only. */
    Path directory(TableRef table, Descriptor sstable) {
        return liveDirectories(table).stream()
                .filter(live -> disk.exists(live.resolve(sstable.fileName(Component.TOC))))
                .findFirst()
                .orElseGet(() -> liveDirectory(table));
    }

    @Override
    public Path stagingDirectory() {
        return volumes.all().get(0).stagingDirectory();
    }

    @Override
    public List<Volume> volumes() {
        return volumes.all();
    }

    @Override
    public String newId(TableRef table) {
        disk.requireAlive();
        return String.valueOf(++lastId);
    }

    @Override
    public void activate(UUID installId, TableRef table, List<Path> dataFiles) throws IOException {
        disk.requireAlive();
        changes++;
        List<Descriptor> sstables =
                dataFiles.stream().map(file -> descriptor(table, file)).toList();
        if (world.happens(world.faults.of(FaultRates.Kind.ERROR))) {
            throw new Injected.Defect("an assertion of the database");
        }
        if (world.happens(world.faults.of(FaultRates.Kind.GO_LIVE_FAILS))) {
            throw new Injected.Fault("the database does not answer");
        }
        if (!answered.add(installId)) {
            throw world.violation(name + ": was notified twice of install " + installId);
        }
        if (dropped.contains(table.id())) {
            throw world.violation(name + ": " + table.name() + " was dropped, and is reported as live");
        }
        if (isTruncatedSince(table, permittedAt.getOrDefault(installId, Long.MAX_VALUE))) {
            throw new StreamException(ErrorCode.DISCARDED, table + " was truncated after it was committed");
        }
        world.oracle.goesLive(name, installId, table.id());
        world.invariants.goesLive(name, this, disk, installId, sstables);
        world.note(name, "database: " + table.name() + " live with " + sstables);
        installs.put(installId, List.copyOf(sstables));
        sstables.forEach(sstable -> activatedIn.put(sstable, directory(table, sstable)));
        // It may have found them when it started, before it was notified, and have compacted them: they are there
        // again.
        sstables.forEach(sstable -> compactedAway.remove(liveDirectory(table).resolve(sstable.toString())));
        visible.computeIfAbsent(table.id(), id -> newSet()).addAll(sstables);
        unsettled.addAll(sstables);
        world.invariants.answers(installId);
        world.oracle.installed(world.invariants.plan(name, installId), table.id());
    }

    /** The SSTable of {@code file}, which must be a data file in a live folder. */
    private Descriptor descriptor(TableRef table, Path file) {
        List<Path> live = liveDirectories(table);
        return Descriptor.parse(String.valueOf(file.getFileName()))
                .filter(named -> named.component() == Component.DATA
                        && live.stream().anyMatch(each -> each.equals(file.getParent())))
                .orElseThrow(() -> world.violation(name + ": " + file + " is no Data.db in " + live))
                .descriptor();
    }

    /** A check of the disk. */
    private interface Judgement {
        void run() throws IOException;
    }

    private void judge(Judgement judgement) {
        try {
            judgement.run();
        } catch (IOException e) {
            throw world.violation(name + ": what should be on the disk is not there: " + e.getMessage());
        }
    }

    @Override
    public void diskFailed(Path stagingDirectory, String why) {
        disk.requireAlive();
        failed.add(volumes.root(stagingDirectory));
        process.diskFailed();
    }

    @Override
    public void activated(UUID installId, TableRef table) {
        disk.requireAlive();
        changes++;
        judge(() -> world.invariants.settles(name, this, disk, installId));
        List<Descriptor> sstables = installs.getOrDefault(installId, List.of());
        unsettled.removeAll(sstables);
        if (!dropped.contains(table.id())) {
            sstables.stream()
                    .filter(sstable ->
                            compactedAway.contains(liveDirectory(table).resolve(sstable.toString())))
                    .forEach(sstable -> remove(table, sstable)); // truncated meanwhile
        }
    }

    /** Checks that all SSTables of each install are visible, or none, except those that were compacted away. */
    void checkWholeInstalls() {
        for (TableRef table : world.tables) {
            for (List<Descriptor> all : installs.values()) {
                List<Descriptor> install = all.stream()
                        .filter(sstable -> !isIncomplete
                                || !isUnavailable(activatedIn.getOrDefault(sstable, directory(table, sstable))))
                        .toList();
                long there = install.stream().filter(visible(table)::contains).count();
                long gone = install.stream()
                        .filter(sstable ->
                                compactedAway.contains(liveDirectory(table).resolve(sstable.toString())))
                        .count();
                if (there > 0 && there + gone < install.size()) {
                    throw world.violation(name + ": " + table.name() + " has only some SSTables of a set live: of "
                            + install + " only " + visible(table));
                }
            }
        }
    }

    /** Replaces all visible SSTables of a table by one, and removes their files at once. */
    void compact(TableRef table) throws IOException {
        changes++;
        List<Descriptor> old = new ArrayList<>(visible(table));
        old.removeAll(unsettled);
        if (old.size() < 2 || isIncomplete()) {
            return;
        }
        List<SimulatedRow> rows = new ArrayList<>();
        for (Descriptor sstable : old) {
            rows.addAll(SimulatedSSTable.rows(
                    disk.content(directory(table, sstable).resolve(sstable.fileName(Component.DATA)))));
        }
        Descriptor merged = new Descriptor(old.get(0).version(), new SSTableId.Sequence(++lastId));
        SimulatedSSTable made = new SimulatedSSTable(liveDirectory(table), merged, table.id(), rows, world.random);
        disk.placeDurably(liveDirectory(table), merged, made.files);
        own.add(merged);
        activatedIn.put(merged, liveDirectory(table));
        visible.computeIfAbsent(table.id(), id -> newSet()).add(merged);
        for (Descriptor sstable : old) {
            compactedAway.add(liveDirectory(table).resolve(sstable.toString()));
            visible.getOrDefault(table.id(), newSet()).remove(sstable);
            disk.removeDurably(directory(table, sstable), sstable);
        }
        world.note(name, "database: compacts " + table.name() + " to " + merged);
    }

    /** Whether an SSTable was received by streaming, and is not the database's own. */
    boolean isReceived(Descriptor sstable) {
        return installs.values().stream().anyMatch(install -> install.contains(sstable));
    }

    /** All rows of a table that reads would see. */
    List<SimulatedRow> rows(TableRef table) throws IOException {
        List<SimulatedRow> rows = new ArrayList<>();
        for (Descriptor sstable : visible(table)) {
            rows.addAll(SimulatedSSTable.rows(
                    disk.content(directory(table, sstable).resolve(sstable.fileName(Component.DATA)))));
        }
        return rows;
    }
}
