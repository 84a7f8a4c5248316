package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.install.Fence;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * Checks messages between nodes and calls of their databases at the moment at which they are made: when a message is
 * sent, its claims must be durable on the simulated disk, or pinned at the source; when a database is called, its
 * preconditions must hold. Reads messages, calls and disks only, and knows nothing of the code that makes them. Long
 * because each promise of the protocol has its check here.
 */
final class ProtocolInvariants {
    private static final String DATA_FILE = "-Data.db";

    private final World world;
    private final Map<Wire, Conversation> conversations = new LinkedHashMap<>();
    /** By receiver, plan and table: the SSTables that became live. */
    private final Map<List<Object>, Set<List<ComponentManifest>>> live = new HashMap<>();

    /** By receiver, plan and table: which conversation brought each SSTable and had it acknowledged. */
    private final Map<List<Object>, Map<List<ComponentManifest>, Set<Conversation>>> staged = new HashMap<>();

    /** By folder of a set: what no acknowledgement was found to be about yet. */
    private final Map<SimulatedDirectory, Unclaimed> unclaimed = new HashMap<>();

    /** By source and folder: the slices in the folder. */
    private final Map<String, Map<Path, SSTableOffer>> slices = new HashMap<>();

    private final Map<UUID, Permit> permits = new HashMap<>();
    private final Map<UUID, List<Fence>> fences = new HashMap<>();
    /** By node: the volumes on which each fence is recorded. */
    private final Map<String, Map<Fence, Set<Path>>> admitted = new HashMap<>();

    /** By node: the volumes that were present when it started. */
    private final Map<String, Set<Path>> present = new HashMap<>();

    private final Set<UUID> answered = new HashSet<>();
    private final Set<UUID> settled = new HashSet<>();
    private final Set<UUID> revoked = new HashSet<>();
    /** Permits that were returned before the answer was recorded, with the number of the event. */
    private final Map<UUID, Long> returned = new HashMap<>();

    /** An SSTable in the folder of a set. */
    private record Staged(Path folder, String dataFile) {
        Descriptor descriptor() {
            return Descriptor.parse(dataFile).orElseThrow().descriptor();
        }

        Path path(Component component) {
            return folder.resolve(descriptor().fileName(component));
        }
    }

    /** SSTables of a folder that no acknowledgement was about, without reading the names again that were read. */
    private static final class Unclaimed {
        private final SimulatedDirectory folder;
        private final Set<String> dataFiles = new LinkedHashSet<>();
        private int read;

        Unclaimed(SimulatedDirectory folder) {
            this.folder = folder;
        }

        List<String> now() {
            List<String> added = folder.added();
            added.subList(read, added.size()).stream()
                    .filter(name -> name.endsWith(DATA_FILE))
                    .forEach(dataFiles::add);
            read = added.size();
            return List.copyOf(dataFiles);
        }
    }

    /** What was sent on one control connection. */
    private static final class Conversation {
        final long firstStep;
        final List<SSTableOffer> offers = new ArrayList<>();
        final Map<Integer, SSTableOffer> byNumber = new HashMap<>();
        boolean isLie;
        final Set<Integer> acknowledged = new HashSet<>();
        long acknowledgedBytes;
        /** Acknowledged offers of which the source knows. */
        final Set<Integer> landed = new HashSet<>();
        /** By table: the receiver's schema version. */
        final Map<UUID, Long> asked = new HashMap<>();

        final Map<UUID, TokenRanges> wanted = new HashMap<>();
        /** Offers that the source may unpin, or that it has refused. */
        final Set<UUID> done = new HashSet<>();
        /** Tables that the receiver has abandoned, with the number of the event. */
        final Map<UUID, Long> releasedTables = new HashMap<>();

        Conversation(long firstStep) {
            this.firstStep = firstStep;
        }

        /** What the receiver has once it has received an offer. */
        List<ComponentManifest> received(Oracle oracle, SSTableOffer offer) {
            return oracle.received(offer, wanted.getOrDefault(offer.tableId(), TokenRanges.NONE));
        }
    }

    /** @param step the event in which it was requested */
    private record Permit(String node, UUID plan, TableRef table, boolean isReplaced, long step) {}

    ProtocolInvariants(World world) {
        this.world = world;
    }

    private Conversation conversation(Wire wire) {
        return conversations.computeIfAbsent(wire, session -> new Conversation(world.scheduler.steps()));
    }

    /** Records that the source made a false statement: its later statements need not be true. */
    void falseMessage(Wire wire) {
        conversation(wire).isLie = true;
    }

    /** Checks a message that is sent now. */
    void leaves(Wire wire, SimulatedNode from, Message message) {
        Conversation so = conversation(wire);
        UUID plan = wire.hello.planId();
        if (message instanceof Message.PrepareSyn m) {
            m.requests().forEach(request -> {
                so.asked.put(request.tableId(), request.schemaDigest());
                so.wanted.merge(request.tableId(), request.ranges(), TokenRanges::union);
            });
        } else if (message instanceof Message.TableRefused m) {
            so.done.add(m.tableId());
        } else if (message instanceof Message.PrepareSynAck m) {
            m.offers().forEach(offer -> checkOffered(from, plan, so, offer));
            so.offers.addAll(m.offers());
            m.offers().forEach(offer -> so.byNumber.putIfAbsent(offer.number(), offer));
        } else if (message instanceof Message.Received m) {
            SSTableOffer acknowledged = offer(so, m.offer());
            List<ComponentManifest> content = so.received(world.oracle, acknowledged);
            checkDurable(database(from), plan, acknowledged, content);
            so.acknowledgedBytes += so.acknowledged.add(m.offer()) ? acknowledged.lengthBytes() : 0;
            staged.computeIfAbsent(List.of(from.name, plan, acknowledged.tableId()), key -> new HashMap<>())
                    .computeIfAbsent(content, none -> new HashSet<>())
                    .add(so);
        } else if (message instanceof Message.Released m && m.code() != ErrorCode.TIMEOUT) {
            so.releasedTables.putIfAbsent(
                    m.tableId(),
                    world.scheduler.steps()); // an install that is late is waited for no longer, and goes live yet
        } else if (message instanceof Message.Installed m) {
            checkLive(database(from), plan, so, m.tableId());
        } else if (message instanceof Message.KeepAlive m && wire.client.node == from) {
            checkReported(from, so, m.doing());
        } else if (message instanceof Message.Complete) {
            so.asked.keySet().stream().filter(table -> !so.done.contains(table)).forEach(table -> {
                throw world.violation(from.name + ": says Complete, and nobody has said what became of table " + table);
            });
        }
    }

    /** Checks a message that has arrived at a source or a receiver. */
    void received(Wire wire, Message message) {
        if (message instanceof Message.Installed m) {
            conversation(wire).done.add(m.tableId());
        } else if (message instanceof Message.Released m) {
            conversation(wire).done.add(m.tableId());
        } else if (message instanceof Message.Received m) {
            conversation(wire).landed.add(m.offer());
        }
    }

    /** Records that a source wrote the files of a slice to a folder. */
    void prepared(SimulatedNode source, Path folder, SSTableOffer offer) {
        slices.computeIfAbsent(source.name, name -> new HashMap<>()).put(folder, offer);
    }

    /** Checks a file that a node deletes. */
    void deleted(SimulatedNode node, Path file) {
        Map<Path, SSTableOffer> prepared = slices.getOrDefault(node.name, Map.of());
        SSTableOffer slice = prepared.isEmpty() ? null : prepared.remove(file.getParent());
        if (slice != null
                && prepared.values().stream()
                        .noneMatch(other -> other.components().equals(slice.components()))) {
            requireNotWanted(node, slice, file);
        }
    }

    private void requireNotWanted(SimulatedNode source, SSTableOffer slice, Path file) {
        for (Map.Entry<Wire, Conversation> session : conversations.entrySet()) {
            Wire wire = session.getKey();
            Conversation so = session.getValue();
            if (wire.server.node == source
                    && wire.isServed()
                    && !so.isLie
                    && !so.done.contains(slice.tableId())
                    && so.offers.stream()
                            .anyMatch(offer -> offer.tableId().equals(slice.tableId())
                                    && !so.landed.contains(offer.number())
                                    && offer.components().equals(slice.components()))) {
                throw world.violation(source.name + ": removes " + file + " of a slice that the receiver neither has"
                        + " received nor has abandoned");
            }
        }
    }

    /** Checks that a source's database has got files of a table back, perhaps during sessions. */
    void unpinned(SimulatedNode source, UUID plan, UUID tableId) {
        for (Map.Entry<Wire, Conversation> session : conversations.entrySet()) {
            Wire wire = session.getKey();
            Conversation so = session.getValue();
            if (wire.server.node == source
                    && wire.hello.planId().equals(plan)
                    && wire.isServed()
                    && !so.isLie
                    && !so.done.contains(tableId)) {
                so.offers.stream()
                        .filter(offer -> offer.tableId().equals(tableId))
                        .filter(offer -> !source(source).hasPinned(tableId, offer.components()))
                        .forEach(offer -> {
                            throw world.violation(source.name + ": gives " + offer.source() + " of table " + tableId
                                    + " back that the receiver neither has installed nor has abandoned");
                        });
            }
        }
    }

    private ReceivingDatabase database(SimulatedNode node) {
        return (ReceivingDatabase) node.database();
    }

    private SourceDatabase source(SimulatedNode node) {
        return (SourceDatabase) node.database();
    }

    private SSTableOffer offer(Conversation so, int number) {
        return Optional.ofNullable(so.byNumber.get(number))
                .orElseThrow(() -> world.violation("offer " + number + " is acknowledged, and was never made"));
    }

    private void checkOffered(SimulatedNode source, UUID plan, Conversation so, SSTableOffer offer) {
        if (so.isLie) {
            return;
        }
        long schema = so.asked.getOrDefault(offer.tableId(), 0L);
        if (schema != 0 && !source(source).hasPinnedWith(plan, offer.tableId(), schema)) {
            throw world.violation(source.name + ": offers " + offer.source() + " to a receiver that would read it by"
                    + " another schema");
        }
        if (!source(source).hasPinned(offer.tableId(), offer.components())) {
            throw world.violation(source.name + ": offers " + offer.source() + ", and has not pinned it");
        }
    }

    private void checkReported(SimulatedNode receiver, Conversation so, Message.Doing doing) {
        if (doing.durableBytes() > so.acknowledgedBytes) {
            throw world.violation(receiver.name + ": says that " + doing.durableBytes() + " bytes are durable, and has"
                    + " acknowledged " + so.acknowledgedBytes);
        }
    }

    /** Checks that what is acknowledged is stored as it was sent, and would survive a power loss. */
    private void checkDurable(ReceivingDatabase node, UUID plan, SSTableOffer offer, List<ComponentManifest> content) {
        Map<Component, byte[]> right = world.oracle.content(content);
        try {
            List<Path> folders = set(node, plan, offer.tableId());
            boolean isThere = false;
            for (Staged candidate : candidates(node.disk, folders)) {
                if (isContent(node.disk, candidate, right)) {
                    if (isDurable(node.disk, candidate, right.keySet())) {
                        unclaimed(node.disk, candidate.folder()).dataFiles.remove(candidate.dataFile());
                        return;
                    }
                    isThere = true;
                }
            }
            throw world.violation(node.name + ": " + offer.source() + " is acknowledged, and "
                    + (isThere ? "is not durable" : "is not what was sent"));
        } catch (IOException e) {
            throw world.violation(
                    node.name + ": " + offer.source() + " is acknowledged, and is not there: " + e.getMessage());
        }
    }

    private boolean isContent(SimulatedDisk disk, Staged sstable, Map<Component, byte[]> right) throws IOException {
        for (Map.Entry<Component, byte[]> file : right.entrySet()) {
            Path path = sstable.path(file.getKey());
            if (!disk.exists(path) || !Arrays.equals(disk.content(path), file.getValue())) {
                return false;
            }
        }
        return !right.isEmpty();
    }

    private boolean isDurable(SimulatedDisk disk, Staged sstable, Set<Component> components) throws IOException {
        List<Path> files = new ArrayList<>(List.of(sstable.path(Component.TOC)));
        components.forEach(component -> files.add(sstable.path(component)));
        for (Path file : files) {
            if (!isDurable(disk, file)) {
                return false;
            }
        }
        return isNoted(disk, sstable.folder().resolve("journal"), sstable.descriptor());
    }

    private boolean isDurable(SimulatedDisk disk, Path file) throws IOException {
        return disk.exists(file) && disk.isDurable(file) && disk.isNameDurable(file);
    }

    /** Whether the journal's record of an SSTable would survive a power loss. */
    private boolean isNoted(SimulatedDisk disk, Path journal, Descriptor sstable) throws IOException {
        if (!disk.exists(journal)) {
            return false; // what a start without this volume has left here: the SSTable is on another one
        }
        // As bytes: what is durable and what is there are compared, not read.
        if (disk.isDurable(journal)) {
            return disk.isNameDurable(journal);
        }
        String kept = new String(disk.durable(journal), StandardCharsets.ISO_8859_1);
        String all = new String(disk.content(journal), StandardCharsets.ISO_8859_1);
        String name = sstable.toString();
        for (int at = all.indexOf(name); at >= 0; at = all.indexOf(name, at + 1)) {
            int end = all.indexOf('\n', at);
            String line = all.substring(all.lastIndexOf('\n', at) + 1, end < 0 ? all.length() : end);
            if (!kept.contains(line)) {
                return false;
            }
        }
        return disk.isNameDurable(journal);
    }

    /** The folders of a set, on all volumes. */
    private List<Path> set(ReceivingDatabase store, UUID plan, UUID tableId) {
        return store.volumes().stream()
                .map(volume ->
                        volume.stagingDirectory().resolve(plan.toString()).resolve(tableId.toString()))
                .filter(store.disk::isDirectory)
                .toList();
    }

    private Unclaimed unclaimed(SimulatedDisk disk, Path folder) throws IOException {
        return unclaimed.computeIfAbsent(disk.directory(folder), Unclaimed::new);
    }

    /** SSTables of a set: those that no acknowledgement was about first, as one of them is looked for; then all. */
    private Iterable<Staged> candidates(SimulatedDisk disk, List<Path> folders) throws IOException {
        List<Staged> fresh = new ArrayList<>();
        for (Path folder : folders) {
            unclaimed(disk, folder).now().forEach(name -> fresh.add(new Staged(folder, name)));
        }
        return () -> Stream.concat(fresh.stream(), folders.stream().flatMap(folder -> all(disk, folder)))
                .iterator();
    }

    private static Stream<Staged> all(SimulatedDisk disk, Path folder) {
        try {
            return disk.namesIn(folder).stream()
                    .filter(name -> name.endsWith(DATA_FILE))
                    .map(name -> new Staged(folder, name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a file of this name is durable in one of the folders of a set. */
    private boolean isDurableInOne(ReceivingDatabase store, SimulatedDisk disk, Permit permit, String fileName)
            throws IOException {
        for (Path folder : set(store, permit.plan(), permit.table().id())) {
            if (isDurable(disk, folder.resolve(fileName))) {
                return true;
            }
        }
        return false;
    }

    /** Checks that what is reported as installed was activated by the database, durably. */
    private void checkLive(ReceivingDatabase node, UUID plan, Conversation so, UUID tableId) {
        Set<List<ComponentManifest>> shown = live.getOrDefault(List.of(node.name, plan, tableId), Set.of());
        // A set that an earlier process committed holds all of the table, though a source may have compacted since.
        boolean isOfAnEarlierProcess = permits.entrySet().stream()
                .anyMatch(entry -> answered.contains(entry.getKey())
                        && entry.getValue().plan().equals(plan)
                        && entry.getValue().table().id().equals(tableId)
                        && entry.getValue().step() < so.firstStep);
        for (SSTableOffer offer : so.offers) {
            if (offer.tableId().equals(tableId)
                    && !shown.contains(so.received(world.oracle, offer))
                    && !isOfAnEarlierProcess) {
                throw world.violation(node.name + ": table " + tableId + " is said to be installed, and "
                        + offer.source() + " of it never went live");
            }
        }
        permits.forEach((install, permit) -> {
            boolean isOfIt = permit.plan().equals(plan) && permit.table().id().equals(tableId);
            if (isOfIt
                    && answered.contains(install)
                    && !settled.contains(install)
                    && !isCommittedOnFailedVolume(node, plan, tableId)) {
                throw world.violation(node.name + ": table " + tableId
                        + " is said to be installed, and the database was" + " not told that its answer is noted");
            }
        });
    }

    /**
     * Whether a commit file of the set is on a volume that failed after the database had answered at the start: the
     * answer is noted at a later start, and the table is received again on other volumes until then.
     */
    private static boolean isCommittedOnFailedVolume(ReceivingDatabase node, UUID plan, UUID tableId) {
        Set<Path> trusted = node.process.trustedVolumes();
        return node.volumes().stream()
                .map(TableStore.Volume::stagingDirectory)
                .filter(staging -> !trusted.contains(staging))
                .anyMatch(staging -> node.disk.exists(staging.resolve(plan.toString())
                        .resolve(tableId.toString())
                        .resolve("commit")));
    }

    /** Records a plan to execute. */
    void wanted(StreamPlan plan) {
        fences.put(plan.id(), List.copyOf(Fence.of(plan).values()));
    }

    /**
     * Records that an operation began: from now on no operation of an older epoch may commit in its ranges.
     *
     * @param volumes that the node trusts; the fence is recorded on each
     */
    void admitted(String node, UUID plan, Set<Path> volumes) {
        Map<Fence, Set<Path>> known = admitted.computeIfAbsent(node, name -> new LinkedHashMap<>());
        fences.getOrDefault(plan, List.of())
                .forEach(fence ->
                        known.computeIfAbsent(fence, none -> new HashSet<>()).addAll(volumes));
    }

    /** Records that a process has recovered: all its volumes now know what one of them knew. */
    void starts(String node, Set<Path> volumes) {
        present.put(node, volumes);
        admitted.getOrDefault(node, Map.of()).values().stream()
                .filter(holders -> !Collections.disjoint(holders, volumes))
                .forEach(holders -> holders.addAll(volumes));
    }

    /**
     * The fences that the node can know: none is known if all volumes on which it was recorded were missing at the
     * start.
     */
    private List<Fence> known(String node) {
        Set<Path> volumes = present.getOrDefault(node, Set.of());
        return admitted.getOrDefault(node, Map.of()).entrySet().stream()
                .filter(entry -> !Collections.disjoint(entry.getValue(), volumes))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Checks the request for a permit, directly before the commit point. */
    void asksForPermit(String node, UUID plan, UUID install, TableRef table) {
        boolean isReplaced = fences.getOrDefault(plan, List.of()).stream()
                .filter(fence -> fence.tableId().equals(table.id()))
                .anyMatch(fence -> known(node).stream()
                        .anyMatch(other -> fence.epoch() > 0
                                && other.epoch() > fence.epoch()
                                && other.tableId().equals(fence.tableId())
                                && RingSection.anyOverlap(
                                        RingSection.of(other.ranges().ranges()),
                                        RingSection.of(fence.ranges().ranges()))));
        permits.put(install, new Permit(node, plan, table, isReplaced, world.scheduler.steps()));
    }

    /** Records that the database revokes a permit before the commit point. */
    void revokes(UUID install) {
        revoked.add(install);
    }

    /** Checks the activation, before the database answers. */
    void goesLive(String node, ReceivingDatabase store, SimulatedDisk disk, UUID install, List<Descriptor> sstables)
            throws IOException {
        Permit permit = permit(node, install);
        if (permit.isReplaced()) {
            throw world.violation(node + ": plan " + permit.plan() + " installs what a newer one has taken over");
        }
        if (revoked.contains(install)) {
            throw world.violation(node + ": " + permit.table() + " is reported as live, and its permit was revoked");
        }
        if (Long.valueOf(world.scheduler.steps()).equals(returned.get(install))) {
            throw world.violation(
                    node + ": the permit for " + permit.table() + " was released before the database" + " was asked");
        }
        if (!isDurableInOne(store, disk, permit, "commit")) {
            throw world.violation(
                    node + ": " + permit.table()
                            + " is reported as live, and its commit file is not durable: a crash now would leave it half there");
        }
        requireParts(node, store, disk, permit, sstables);
        List<Object> key = List.of(node, permit.plan(), permit.table().id());
        Set<List<ComponentManifest>> set = new HashSet<>();
        for (Descriptor sstable : sstables) {
            String claim = node + ": " + sstable + " of " + permit.table() + " is reported as live, and ";
            List<ComponentManifest> content = manifest(disk, store.directory(permit.table(), sstable), sstable);
            if (world.oracle.content(content).isEmpty()) {
                throw world.violation(claim + "no source ever had it");
            }
            if (!set.add(content)) {
                throw world.violation(claim + "the same is in its set already");
            }
            Set<Conversation> bringers = staged.getOrDefault(key, Map.of()).getOrDefault(content, Set.of());
            UUID tableId = permit.table().id();
            if (fences.containsKey(permit.plan())
                    && bringers.stream()
                            .allMatch(so -> so.releasedTables.getOrDefault(tableId, Long.MAX_VALUE) < permit.step())) {
                throw world.violation(claim + "was not acknowledged, or its source was notified that it is abandoned");
            }
        }
        live.computeIfAbsent(key, none -> new HashSet<>()).addAll(set);
    }

    /** The files of an SSTable that is being activated, each of which must survive a power loss. */
    private List<ComponentManifest> manifest(SimulatedDisk disk, Path directory, Descriptor sstable)
            throws IOException {
        List<ComponentManifest> manifest = new ArrayList<>();
        for (Component component : Component.values()) {
            Path file = directory.resolve(sstable.fileName(component));
            if (!disk.exists(file)) {
                continue;
            }
            if (!isDurable(disk, file)) {
                throw world.violation(file + " is reported as live, and is not durable");
            }
            if (component != Component.TOC) {
                byte[] bytes = disk.content(file);
                CRC32 crc = new CRC32();
                crc.update(bytes);
                manifest.add(new ComponentManifest(component, bytes.length, crc.getValue()));
            }
        }
        return manifest;
    }

    /** The plan of an install. */
    UUID plan(String node, UUID install) {
        return permit(node, install).plan();
    }

    private Permit permit(String node, UUID install) {
        Permit permit = permits.get(install);
        if (permit == null) {
            throw world.violation(node + ": install " + install + " goes live, and nobody asked for a permit");
        }
        return permit;
    }

    /** Records that the process of a node died: earlier notifications are not repeated. */
    void dies(String node) {
        permits.forEach((install, permit) -> {
            if (permit.node().equals(node)) {
                answered.remove(install);
                returned.remove(install);
            }
        });
    }

    /** Records that the database has answered. */
    void answers(UUID install) {
        answered.add(install);
    }

    /** Checks that an install is settled; from then on the database may change its files. */
    void settles(String node, ReceivingDatabase store, SimulatedDisk disk, UUID install) throws IOException {
        Permit permit = permit(node, install);
        if (answered.contains(install) && !isNoted(store, disk, permit, install)) {
            throw world.violation(
                    node + ": " + permit.table() + " is settled, and that the database has answered is not"
                            + " noted durably: after a crash it would be made live again");
        }
        if (answered.contains(install) && Long.valueOf(world.scheduler.steps()).equals(returned.get(install))) {
            throw world.violation(node + ": the permit for " + permit.table() + " was released before the answer of the"
                    + " database was noted");
        }
        settled.add(install);
    }

    /**
     * Checks that a permit is returned: when the answer is recorded, or when the install has failed without being
     * settled.
     */
    void returnsPermit(String node, ReceivingDatabase store, SimulatedDisk disk, UUID install) throws IOException {
        boolean isNoted = answered.contains(install) && isNoted(store, disk, permit(node, install), install);
        if (!isNoted) {
            returned.put(install, world.scheduler.steps());
        }
    }

    /**
     * Whether it is recorded on each volume: a volume that is missing at the next start must not make the others
     * forget. Ignores folders of another install of the same set, which this process does not know.
     */
    private boolean isNoted(ReceivingDatabase store, SimulatedDisk disk, Permit permit, UUID install)
            throws IOException {
        boolean isNotedWhereDecided = false;
        for (Path folder : set(store, permit.plan(), permit.table().id())) {
            boolean isDecidedHere = isOf(disk, folder.resolve("commit"), install);
            if (isDecidedHere || isOf(disk, folder.resolve("commit-part"), install)) {
                if (!isDurable(disk, folder.resolve("LIVE"))) {
                    return false;
                }
                isNotedWhereDecided |= isDecidedHere;
            }
        }
        return isNotedWhereDecided;
    }

    /** Whether a commit file, or the file of a part, exists and names this install. */
    private static boolean isOf(SimulatedDisk disk, Path file, UUID install) throws IOException {
        return disk.exists(file)
                && new String(disk.content(file), StandardCharsets.UTF_8)
                        .lines()
                        .anyMatch(("install " + install)::equals);
    }

    /**
     * Checks that a part without the commit file records where it is: otherwise, a start without that volume would
     * treat it as live.
     */
    private void requireParts(
            String node, ReceivingDatabase store, SimulatedDisk disk, Permit permit, List<Descriptor> sstables)
            throws IOException {
        for (Path folder : set(store, permit.plan(), permit.table().id())) {
            boolean isIn =
                    sstables.stream().anyMatch(sstable -> disk.exists(folder.resolve(sstable.fileName(Component.TOC))));
            if (isIn && !disk.exists(folder.resolve("commit")) && !isDurable(disk, folder.resolve("commit-part"))) {
                throw world.violation(node + ": " + permit.table() + " is reported as live, and nothing in " + folder
                        + " says durably that it is a part of it");
            }
        }
    }
}
