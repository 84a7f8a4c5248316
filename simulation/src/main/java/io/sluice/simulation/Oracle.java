package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.engine.Engine;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The expected state: which rows each table must have, what was promised to whom, and what must hold after every event.
 * Deliberately simple, and independent of how streaming works.
 */
final class Oracle {
    private final World world;
    /** Table to token to value. */
    private final Map<UUID, Map<Long, Integer>> truth = new HashMap<>();
    /** The files of every SSTable that a source ever had, by manifest. */
    private final Map<List<ComponentManifest>, Map<Component, byte[]>> contents = new HashMap<>();

    /** The rows of each offer, by the manifest of the slice that holds them. */
    private final Map<List<ComponentManifest>, List<SimulatedRow>> offeredRows = new HashMap<>();

    /** When each was installed, by plan and table. */
    private final Map<List<Object>, Long> installed = new HashMap<>();

    /** By plan and source: which source has hidden offers, so that nobody can promise what it should have sent. */
    private final Set<List<Object>> withheld = new HashSet<>();

    private final Map<String, Map<UUID, List<RingSection>>> promised = new TreeMap<>();

    /** Tables that some source truncated: it is undefined what a receiver has of them. */
    private final Set<UUID> emptiedAtSources = new HashSet<>();
    /** By node and table: truncated on all nodes, so that no old row may be visible again. */
    private final Set<List<Object>> emptied = new HashSet<>();

    private final Map<List<Object>, Long> truncatedAt = new HashMap<>();
    /** By plan and table: when a source first pinned the table for the plan. */
    private final Map<List<UUID>, Long> firstPins = new HashMap<>();

    private final Map<UUID, Long> snapshots = new HashMap<>();
    private long changes;

    Oracle(World world) {
        this.world = world;
    }

    void isTrue(UUID tableId, Map<Long, Integer> values) {
        truth.computeIfAbsent(tableId, id -> new TreeMap<>()).putAll(values);
    }

    /** Records an SSTable added at a source. */
    void made(SimulatedSSTable sstable) {
        Map<Component, byte[]> copy = new HashMap<>();
        sstable.files.forEach((component, bytes) -> copy.put(component, bytes.clone()));
        contents.put(sstable.content(), copy);
    }

    /** Records rows that are offered, some of which are not wanted. */
    void madeRows(SSTableOffer offer, List<SimulatedRow> rows) {
        offeredRows.put(offer.components(), rows);
    }

    /** What a receiver makes of an offer; of rows, an SSTable of those in {@code wanted}. */
    List<ComponentManifest> received(SSTableOffer offer, TokenRanges wanted) {
        List<SimulatedRow> rows = offeredRows.get(offer.components());
        if (rows == null) {
            return offer.components();
        }
        List<RingSection> sections = RingSection.of(wanted.ranges());
        SimulatedSSTable made = SimulatedSSTable.ofRows(
                Path.of("/made"),
                offer.source(),
                offer.tableId(),
                rows.stream()
                        .filter(row -> RingSection.anyContains(sections, row.token()))
                        .toList());
        made(made);
        return made.content();
    }

    void isEmptiedAtSources(UUID tableId) {
        changes++;
        emptiedAtSources.add(tableId);
    }

    /** Records that a receiver's database truncated a table: earlier promises about it no longer hold. */
    void truncated(String node, UUID tableId, boolean isTruncatedEverywhere) {
        changes++;
        promised.getOrDefault(node, new HashMap<>()).remove(tableId);
        truncatedAt.put(List.of(node, tableId), world.scheduler.nowNanos());
        if (isTruncatedEverywhere) {
            emptied.add(List.of(node, tableId));
        }
    }

    /** Records that a plan starts to fetch a table, perhaps again after a crash. */
    void begins(UUID planId, UUID tableId) {
        firstPins.remove(List.of(planId, tableId));
    }

    /** Records that a source takes its snapshot of a table. */
    void pinned(UUID planId, UUID tableId) {
        firstPins.putIfAbsent(List.of(planId, tableId), world.scheduler.nowNanos());
    }

    void asksForPermit(UUID planId, UUID installId, UUID tableId) {
        snapshots.put(installId, firstPins.getOrDefault(List.of(planId, tableId), Long.MAX_VALUE));
    }

    /** Checks that data of before a truncation does not become live after it. */
    void goesLive(String node, UUID installId, UUID tableId) {
        long snapshot = snapshots.getOrDefault(installId, Long.MIN_VALUE);
        if (truncatedAt.getOrDefault(List.of(node, tableId), Long.MIN_VALUE) > snapshot) {
            throw world.violation(node + ": data that sources had in table " + tableId
                    + " before it was truncated becomes live after that");
        }
    }

    /** Records that a table became live, possibly long before its plan reports it. */
    void installed(UUID planId, UUID tableId) {
        installed.put(List.of(planId, tableId), world.scheduler.nowNanos());
    }

    /** The files of an SSTable that some source had; empty if none ever did. */
    Map<Component, byte[]> content(List<ComponentManifest> manifest) {
        return contents.getOrDefault(manifest, Map.of());
    }

    /** Grows whenever the expected state changes. */
    long changes() {
        return changes;
    }

    /** Checks that a plan that reports a table as installed brought all of it. */
    private void checkWhole(OrderedPlan plan, PlanResult result) {
        for (PlanResult.TableResult table : result.tables()) {
            List<RingSection> said = new ArrayList<>();
            result.ranges().stream()
                    .filter(range ->
                            range.table().equals(table.table()) && range.outcome() == PlanResult.Outcome.INSTALLED)
                    .forEach(range -> said.addAll(RingSection.of(range.ranges())));
            plan.plan.requests().stream()
                    .filter(request -> table.installed() && request.table().equals(table.table()))
                    .flatMap(request -> RingSection.of(request.ranges().ranges()).stream())
                    .filter(wanted -> !RingSection.anyContains(said, wanted.first())
                            || !RingSection.anyContains(said, wanted.last()))
                    .forEach(wanted -> {
                        throw world.violation(plan.node.name + ": " + table.table() + " is called installed, and of "
                                + wanted + " the result says nothing");
                    });
        }
    }

    /** Records that a source hides some of its offers from a plan. */
    void withheld(UUID planId, String source) {
        withheld.add(List.of(planId, source));
    }

    /** Records how a plan ended: what it reports as installed must be visible from now on, whatever happens. */
    void ended(OrderedPlan plan, PlanResult result) {
        changes++;
        checkWhole(plan, result);
        for (PlanResult.RangeResult range : result.ranges()) {
            if (range.outcome() == PlanResult.Outcome.INSTALLED
                    && !withheld.contains(List.of(plan.plan.id(), range.source().name()))
                    && !isTruncatedSince(plan, range.table())) {
                promised.computeIfAbsent(plan.node.name, name -> new HashMap<>())
                        .computeIfAbsent(range.table().id(), id -> new ArrayList<>())
                        .addAll(RingSection.of(range.ranges()));
            }
        }
    }

    /** Whether the table was truncated after it became live; the plan may end long after that. */
    private boolean isTruncatedSince(OrderedPlan plan, TableRef table) {
        long since = installed.getOrDefault(List.of(plan.plan.id(), table.id()), Long.MIN_VALUE);
        return truncatedAt.getOrDefault(List.of(plan.node.name, table.id()), Long.MIN_VALUE) > since;
    }

    /** Checks what must hold at any time for a node that is up. */
    void check(ReceivingDatabase node) {
        if (node.process.isDown()) {
            return;
        }
        node.checkWholeInstalls();
        if (node.isIncomplete()) {
            return;
        }
        for (TableRef table : world.tables) {
            check(node, table);
        }
    }

    private void check(ReceivingDatabase node, TableRef table) {
        Map<Long, Integer> expected = truth.getOrDefault(table.id(), Map.of());
        Map<Long, Integer> seen;
        try {
            seen = Rows.visible(node.rows(table));
        } catch (IOException e) {
            throw world.violation(node.name + ": a live SSTable cannot be read: " + e.getMessage());
        }
        seen.forEach((token, value) -> {
            if (node.table(table.id()).isEmpty()) {
                throw world.violation(node.name + ": " + table.name() + " was dropped, and has rows");
            }
            if (emptied.contains(List.of(node.name, table.id()))) {
                throw world.violation(node.name + ": " + table.name() + " was truncated, and has token " + token);
            }
            if (!value.equals(expected.get(token))) {
                throw world.violation(node.name + ": " + table.name() + " has " + value + " at token " + token
                        + " (expected: " + expected.get(token) + ")");
            }
            if (!RingSection.anyContains(planned(node, table), token)) {
                throw world.violation(
                        node.name + ": " + table.name() + " has token " + token + ", which no plan wants");
            }
        });
        if (emptiedAtSources.contains(table.id()) || node.table(table.id()).isEmpty()) {
            return;
        }
        List<RingSection> owed = promised.getOrDefault(node.name, Map.of()).getOrDefault(table.id(), List.of());
        expected.forEach((token, value) -> {
            if (RingSection.anyContains(owed, token) && !seen.containsKey(token)) {
                throw world.violation(
                        node.name + ": " + table.name() + " is said to be installed and lacks token " + token);
            }
        });
    }

    private List<RingSection> planned(ReceivingDatabase node, TableRef table) {
        return world.planned.getOrDefault(node.name, Map.of()).getOrDefault(table.id(), List.of());
    }

    /** Checks what must hold at the end of a run. */
    void checkNothingIsLeft(ReceivingDatabase node) {
        checkDiskIsIdle(node.process);
        node.process.engine().ifPresent(engine -> checkIdle(node.name, engine));
    }

    private void checkDiskIsIdle(SimulatedNode node) {
        OptionalLong reserved = node.staging().stream()
                .mapToLong(staging -> staging.reservedBytes())
                .findFirst();
        if (reserved.isPresent() && reserved.getAsLong() != 0) {
            throw world.violation(node.name + ": " + reserved.getAsLong() + " bytes are still reserved");
        }
        if (!node.disk.openFiles().isEmpty()) {
            throw world.violation(node.name + ": still open: " + node.disk.openFiles());
        }
    }

    /** Checks what must hold for a node that has just restarted. */
    void checkNothingIsLeftOfDroppedTables(ReceivingDatabase node) throws IOException {
        for (TableStore.Volume volume : node.volumes()) {
            for (Path plan : node.disk.listQuietly(volume.stagingDirectory())) {
                for (TableRef table : world.tables) {
                    if (node.table(table.id()).isEmpty()
                            && node.disk.isDirectory(plan.resolve(table.id().toString()))) {
                        throw world.violation(node.name + ": " + table.name()
                                + " was dropped, and something of it lies in " + plan + " for ever");
                    }
                }
            }
        }
    }

    /** Checks what must hold at the end of a run. */
    void checkNothingIsLeft(SimulatedNode node, SourceDatabase source) {
        if (source.pins() != 0) {
            throw world.violation(node.name + ": " + source.pins() + " SSTables are still pinned");
        }
        checkDiskIsIdle(node);
        node.engine().ifPresent(engine -> {
            if (engine.pins().open() != 0) {
                throw world.violation(node.name + ": " + engine.pins().open() + " pins are still open");
            }
            checkIdle(node.name, engine);
        });
    }

    /** Checks that temporary files of sessions were removed. */
    void checkNoSlices(SourceDatabase source) throws IOException {
        SimulatedDisk disk = source.process().disk;
        Path staging = source.stagingDirectory();
        for (Path file : disk.isDirectory(staging) ? disk.listQuietly(staging) : List.<Path>of()) {
            if (file.getFileName().toString().startsWith("slices-")) {
                throw world.violation(source + ": when all is over, " + file + " is left");
            }
        }
    }

    /** Checks that all memory and permits shared by sessions are free. */
    private void checkIdle(String node, Engine engine) {
        engine.queues().forEach(queue -> {
            if (queue.used() != 0) {
                throw world.violation(node + ": when all is over, " + queue);
            }
        });
    }

    /**
     * Checks that live files of a node are byte for byte those of some source, except files that the node compacted
     * itself.
     */
    void checkLiveFiles(ReceivingDatabase node) throws IOException {
        // Of tens of thousands each would be compared with each otherwise.
        Map<Integer, List<Map<Component, byte[]>>> byData = contents.values().stream()
                .collect(Collectors.groupingBy(files -> Arrays.hashCode(files.get(Component.DATA))));
        for (TableRef table : world.tables) {
            for (Descriptor sstable : node.visible(table)) {
                if (node.isReceived(sstable)) {
                    Path data = node.directory(table, sstable).resolve(sstable.fileName(Component.DATA));
                    Path index = node.directory(table, sstable).resolve(sstable.fileName(Component.INDEX));
                    byte[] bytes = node.disk.content(data);
                    byte[] indexBytes = node.disk.content(index);
                    boolean isKnown = byData.getOrDefault(Arrays.hashCode(bytes), List.of()).stream()
                            .anyMatch(files -> Arrays.equals(files.get(Component.DATA), bytes)
                                    && Arrays.equals(files.get(Component.INDEX), indexBytes));
                    if (!isKnown) {
                        throw world.violation(node.name + ": " + data + " is live, and no source ever had it");
                    }
                }
            }
        }
    }
}
