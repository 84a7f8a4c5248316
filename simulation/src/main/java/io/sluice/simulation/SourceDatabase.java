package io.sluice.simulation;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.engine.send.OfferFactory;
import io.sluice.streaming.message.ComponentManifest;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The database of a source: SSTables that it pins, compacts, loses and forgets. */
final class SourceDatabase implements SimulatedDatabase, TableStore {
    private static final long REVOKE_NANOS = 5_000_000_000L;
    private static final long RETURN_NANOS = 30_000_000_000L;

    private final World world;
    private final SimulatedNode node;
    private final List<SimulatedSSTable> sstables = new ArrayList<>();
    private final Set<UUID> dropped = new HashSet<>();
    private final Map<UUID, Long> schemas = new HashMap<>();
    /** By plan and table: the schema at the time of each pin that is not released. */
    private final Map<List<UUID>, List<Long>> pinnedSchemas = new HashMap<>();

    private final Map<List<ComponentManifest>, Set<SimulatedSSTable>> derived = new HashMap<>();
    private final Map<Path, SimulatedOfferFactory.Pin> pins = new HashMap<>();
    private final Set<UUID> damaged = new HashSet<>();
    private final Map<UUID, Path> directories = new HashMap<>();
    private int lastId;
    private int life;

    SourceDatabase(SimulatedNode node) {
        this.node = node;
        this.world = node.world;
    }

    SimulatedNode process() {
        return node;
    }

    @Override
    public TableStore store() {
        return this;
    }

    @Override
    public OfferFactory offering() {
        return new SimulatedOfferFactory(node, this);
    }

    @Override
    public void restart() {}

    @Override
    public void die() {
        life++;
        pinnedSchemas.clear();
        sstables.forEach(sstable -> sstable.pins = 0);
        removeObsolete();
    }

    @Override
    public long changes() {
        return 0;
    }

    void add(UUID tableId, List<SimulatedRow> rows) {
        if (rows.isEmpty()) {
            return;
        }
        Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(++lastId));
        Path directory = directory(tableId);
        SimulatedSSTable made = new SimulatedSSTable(directory, descriptor, tableId, rows, world.random);
        node.disk.makeDurably(directory);
        try {
            node.disk.placeDurably(directory, descriptor, made.files);
        } catch (IOException e) {
            throw world.violation(node.name + ": the folder of table " + tableId + " is gone: " + e.getMessage());
        }
        sstables.add(made);
        world.oracle.made(made);
    }

    private Path directory(UUID tableId) {
        return directories.computeIfAbsent(tableId, id -> Path.of("/", node.name, "live", id.toString()));
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        node.disk.requireAlive();
        return dropped.contains(tableId) || world.happens(world.faults.of(FaultRates.Kind.UNKNOWN_TABLE))
                ? Optional.empty()
                : world.tables.stream()
                        .filter(table -> table.id().equals(tableId))
                        .findFirst();
    }

    @Override
    public long schemaDigest(TableRef table) {
        node.disk.requireAlive();
        return schema(table.id());
    }

    @Override
    public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) {
        node.disk.requireAlive();
        if (world.happens(world.faults.of(FaultRates.Kind.ERROR))) {
            throw new Injected.Defect("an assertion of the database");
        }
        if (dropped.contains(table.id())) {
            throw new StreamException(ErrorCode.UNKNOWN_TABLE, "it was dropped here");
        }
        world.oracle.pinned(planId, table.id());
        long schema = schema(table.id());
        List<Long> live = pinnedSchemas.computeIfAbsent(List.of(planId, table.id()), none -> new ArrayList<>());
        live.add(schema);
        boolean isLie = world.happens(world.faults.of(FaultRates.Kind.LIE));
        List<SimulatedSSTable> pinned = pin(table.id(), isLie ? TokenRanges.FULL : ranges);
        if (world.happens(world.faults.of(FaultRates.Kind.REVOKE))) {
            world.scheduler.after(world.random.nextLong(REVOKE_NANOS), node.alive(), () -> revoke(table));
        }
        int now = life;
        Path name = Path.of("pin-" + pins.size());
        SimulatedOfferFactory.Pin pin = new SimulatedOfferFactory.Pin(name, table, pinned, isLie, () -> {
            if (life == now && !node.disk.isCrashed()) {
                live.remove(schema);
                pinned.forEach(this::unpin);
                world.invariants.unpinned(node, planId, table.id());
            }
        });
        pins.put(name, pin);
        return pin;
    }

    /** The pin, open or closed, that named this file. */
    SimulatedOfferFactory.Pin pinned(Path name) {
        return Objects.requireNonNull(pins.get(name), () -> "nothing is pinned as " + name);
    }

    /** Does not pin: a query leaves no record. */
    @Override
    public Optional<List<LiveSSTable>> inspect(TableRef table, TokenRanges ranges) {
        node.disk.requireAlive();
        if (world.happens(world.faults.of(FaultRates.Kind.ERROR))) {
            throw new Injected.Defect("an assertion of the database");
        }
        List<LiveSSTable> live = new ArrayList<>();
        for (SimulatedSSTable sstable : sstables) {
            boolean isWanted = !sstable.isObsolete
                    && sstable.tableId.equals(table.id())
                    && sstable.rows.stream().anyMatch(row -> ranges.contains(token(row)));
            if (isWanted) {
                live.add(new LiveSSTable(
                        token(sstable.rows.get(0)),
                        token(sstable.rows.get(sstable.rows.size() - 1)),
                        sstable.files.values().stream()
                                .mapToLong(bytes -> bytes.length)
                                .sum()));
            }
        }
        return Optional.of(live);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // that nothing stays pinned is checked at the end
    private void revoke(TableRef table) {
        world.note(node.name, "database: takes back what is pinned of " + table.name());
        node.engine().ifPresent(engine -> {
            CompletableFuture<Void> returned = engine.pins().revoke(table.id(), "injected: taken back");
            world.scheduler.after(RETURN_NANOS, node.alive(), () -> checkReturned(table, returned));
        });
    }

    /** Checks that revoked files are returned soon, unless the node makes no progress at all. */
    private void checkReturned(TableRef table, CompletableFuture<Void> returned) {
        if (!returned.isDone() && !node.isHanging() && node.stuckNanos() == 0) {
            throw world.violation(node.name + ": files of " + table.name() + " were wanted back, and stay pinned");
        }
    }

    private List<SimulatedSSTable> pin(UUID tableId, TokenRanges ranges) {
        List<SimulatedSSTable> pinned = sstables.stream()
                .filter(sstable -> !sstable.isObsolete
                        && sstable.tableId.equals(tableId)
                        && sstable.rows.stream().anyMatch(row -> ranges.contains(token(row))))
                .toList();
        pinned.forEach(sstable -> sstable.pins++);
        return pinned;
    }

    private static Token token(SimulatedRow row) {
        return new Token(row.token());
    }

    private void unpin(SimulatedSSTable sstable) {
        sstable.pins--;
        removeObsolete();
    }

    /** Registers {@code content} as an offer of some rows of {@code sstable}. */
    void derived(SimulatedSSTable sstable, List<ComponentManifest> content) {
        derived.computeIfAbsent(content, none -> new HashSet<>()).add(sstable);
    }

    boolean hasPinned(UUID tableId, List<ComponentManifest> content) {
        return sstables.stream()
                .anyMatch(sstable -> sstable.pins > 0
                        && sstable.tableId.equals(tableId)
                        && (sstable.content().equals(content)
                                || derived.getOrDefault(content, Set.of()).contains(sstable)));
    }

    int pins() {
        return sstables.stream().mapToInt(sstable -> sstable.pins).sum();
    }

    private void removeObsolete() {
        for (SimulatedSSTable sstable : List.copyOf(sstables)) {
            if (sstable.isObsolete && sstable.pins <= 0) {
                sstables.remove(sstable);
                try {
                    node.disk.removeDurably(sstable.directory, sstable.descriptor);
                } catch (IOException e) {
                    throw world.violation(node.name + ": " + sstable.directory + " is gone: " + e.getMessage());
                }
            }
        }
    }

    /** Compacts SSTables of one table in the same range, and purges deleted rows. */
    void compact(UUID tableId, TokenRanges range) {
        List<SimulatedSSTable> old = sstables.stream()
                .filter(sstable -> !sstable.isObsolete
                        && sstable.tableId.equals(tableId)
                        && sstable.rows.stream().allMatch(row -> range.contains(token(row))))
                .toList();
        if (old.size() < 2) {
            return;
        }
        List<SimulatedRow> all = new ArrayList<>();
        old.forEach(sstable -> all.addAll(sstable.rows));
        old.forEach(sstable -> sstable.isObsolete = true);
        add(tableId, Rows.purged(all));
        removeObsolete();
        world.note(node.name, "compacts " + old.size() + " SSTables");
    }

    /** Drops the table; its files stay while they are pinned. */
    void drop(UUID tableId) {
        world.note(node.name, "has table " + tableId + " dropped");
        dropped.add(tableId);
        empty(tableId);
    }

    /** Truncates the table; its files stay while they are pinned. */
    void truncate(UUID tableId) {
        world.note(node.name, "has table " + tableId + " truncated");
        empty(tableId);
    }

    private void empty(UUID tableId) {
        sstables.stream()
                .filter(sstable -> sstable.tableId.equals(tableId))
                .forEach(sstable -> sstable.isObsolete = true);
        removeObsolete();
    }

    /** Changes the schema of the table. */
    void alter(UUID tableId, long schema) {
        world.note(node.name, "has table " + tableId + " altered");
        schemas.put(tableId, schema);
    }

    private long schema(UUID tableId) {
        return schemas.getOrDefault(tableId, World.FIRST_SCHEMA);
    }

    /** Whether a plan has a pin of the table from when it had this schema. */
    boolean hasPinnedWith(UUID planId, UUID tableId, long schema) {
        return pinnedSchemas.getOrDefault(List.of(planId, tableId), List.of()).contains(schema);
    }

    /** Changes a byte of a live file. */
    void damage() {
        List<SimulatedSSTable> live =
                sstables.stream().filter(sstable -> !sstable.isObsolete).toList();
        if (!live.isEmpty()) {
            SimulatedSSTable victim = live.get(world.random.nextInt(live.size()));
            try {
                node.disk.damage(victim.directory.resolve(
                        victim.descriptor.fileName(io.sluice.sstable.component.Component.DATA)));
            } catch (IOException e) {
                throw world.violation(node.name + ": " + victim.descriptor + " is gone: " + e.getMessage());
            }
            damaged.add(victim.tableId);
            world.note(node.name, "a byte of " + victim.descriptor + " goes bad");
        }
    }

    /** Whether a file of the table was ever damaged. */
    boolean isDamaged(UUID tableId) {
        return damaged.contains(tableId);
    }

    @Override
    public Path liveDirectory(TableRef table) {
        return directory(table.id());
    }

    @Override
    public Path stagingDirectory() {
        return Path.of("/", node.name, "staging");
    }

    @Override
    public String newId(TableRef table) {
        return String.valueOf(++lastId);
    }

    @Override
    public void activate(UUID installId, TableRef table, List<Path> installed) throws IOException {
        throw new IOException("a source receives nothing");
    }

    @Override
    public String toString() {
        return node.name;
    }
}
