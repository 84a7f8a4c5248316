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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.zip.CRC32;

/**
 * What nodes send to each other and call in their databases, judged at the moment at which they do: when a message is
 * put on the wire, what it claims is durable on the simulated disk by then, or the source has it pinned; when a
 * database is called, what it may rely on is so. It reads messages, calls and disks only, and knows nothing of who made
 * them. Long because each promise of the protocol has its judgement here.
 */
final class ProtocolInvariants {
    private final World world;
    private final Map<Wire, Conversation> conversations = new LinkedHashMap<>();
    /** By receiver, plan and table: what each SSTable was that went live with it. */
    private final Map<List<Object>, Set<List<ComponentManifest>>> live = new HashMap<>();

    /** By receiver, plan and table: who has brought what, and had it acknowledged. */
    private final Map<List<Object>, Map<List<ComponentManifest>, Set<Conversation>>> staged = new HashMap<>();

    private final Map<UUID, Permit> permits = new HashMap<>();
    private final Map<UUID, List<Fence>> fences = new HashMap<>();
    private final Map<String, Set<Fence>> admitted = new HashMap<>();
    private final Set<UUID> answered = new HashSet<>();
    private final Set<UUID> settled = new HashSet<>();
    private final Set<UUID> revoked = new HashSet<>();
    /** Permits that came back before the answer was noted, and in which event. */
    private final Map<UUID, Long> returned = new HashMap<>();

    /** What was said on one control connection. */
    private static final class Conversation {
        final long firstStep;
        final List<SSTableOffer> offers = new ArrayList<>();
        boolean isLie;
        final Set<Integer> acknowledged = new HashSet<>();
        /** By table: the schema that the receiver has. */
        final Map<UUID, Long> asked = new HashMap<>();

        final Map<UUID, TokenRanges> wanted = new HashMap<>();
        /** Of which the source was notified that it may unpin them, or which it has refused. */
        final Set<UUID> done = new HashSet<>();
        /** What the receiver has abandoned, and in which event. */
        final Map<UUID, Long> releasedTables = new HashMap<>();

        Conversation(long firstStep) {
            this.firstStep = firstStep;
        }

        /** What the receiver has when it has received an offer. */
        List<ComponentManifest> received(Oracle oracle, SSTableOffer offer) {
            return oracle.received(offer, wanted.getOrDefault(offer.tableId(), TokenRanges.NONE));
        }
    }

    /** @param step the event in which it was asked for */
    private record Permit(String node, UUID plan, TableRef table, boolean isReplaced, long step) {}

    ProtocolInvariants(World world) {
        this.world = world;
    }

    private Conversation conversation(Wire wire) {
        return conversations.computeIfAbsent(wire, session -> new Conversation(world.scheduler.steps()));
    }

    /** What the source says is not true: nothing that it says later has to be. */
    void falseMessage(Wire wire) {
        conversation(wire).isLie = true;
    }

    /** A message is put on the wire now. */
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
            m.offers().forEach(offer -> checkOffered(from, so, offer));
            so.offers.addAll(m.offers());
        } else if (message instanceof Message.Received m) {
            SSTableOffer acknowledged = offer(so, m.offer());
            List<ComponentManifest> content = so.received(world.oracle, acknowledged);
            checkDurable(database(from), plan, acknowledged, content);
            so.acknowledged.add(m.offer());
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

    /** A message has arrived at a source or a receiver. */
    void received(Wire wire, Message message) {
        if (message instanceof Message.Installed m) {
            conversation(wire).done.add(m.tableId());
        } else if (message instanceof Message.Released m) {
            conversation(wire).done.add(m.tableId());
        }
    }

    /** A source's database has got files of one table back, perhaps while sessions go on. */
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
        return so.offers.stream()
                .filter(offer -> offer.number() == number)
                .findFirst()
                .orElseThrow(() -> world.violation("offer " + number + " is acknowledged, and was never made"));
    }

    private void checkOffered(SimulatedNode source, Conversation so, SSTableOffer offer) {
        if (so.isLie) {
            return;
        }
        long schema = so.asked.getOrDefault(offer.tableId(), 0L);
        if (schema != 0 && schema != source(source).schema(offer.tableId())) {
            throw world.violation(source.name + ": offers " + offer.source() + " to a receiver that would read it by"
                    + " another schema");
        }
        if (!source(source).hasPinned(offer.tableId(), offer.components())) {
            throw world.violation(source.name + ": offers " + offer.source() + ", and has not pinned it");
        }
    }

    private void checkReported(SimulatedNode receiver, Conversation so, Message.Doing doing) {
        long acknowledged = so.offers.stream()
                .filter(offer -> so.acknowledged.contains(offer.number()))
                .mapToLong(SSTableOffer::lengthBytes)
                .sum();
        if (doing.durableBytes() > acknowledged) {
            throw world.violation(receiver.name + ": says that " + doing.durableBytes() + " bytes are durable, and has"
                    + " acknowledged " + acknowledged);
        }
    }

    /** What is acknowledged is here as it was sent, and a loss of power would not take it away. */
    private void checkDurable(ReceivingDatabase node, UUID plan, SSTableOffer offer, List<ComponentManifest> content) {
        Map<Component, byte[]> right = world.oracle.content(content);
        try {
            String why = "is not what was sent";
            for (Path file : stagedFiles(node, plan, offer.tableId())) {
                Path directory = file.resolveSibling(".").normalize();
                Descriptor found = Descriptor.parse(file.getFileName().toString())
                        .filter(named -> named.component() == Component.DATA)
                        .map(Descriptor.Named::descriptor)
                        .orElse(null);
                if (found != null && isContent(node.disk, directory, found, right)) {
                    if (isDurable(node.disk, directory, found, right.keySet())) {
                        return;
                    }
                    why = "is not durable";
                }
            }
            throw world.violation(node.name + ": " + offer.source() + " is acknowledged, and " + why);
        } catch (IOException e) {
            throw world.violation(
                    node.name + ": " + offer.source() + " is acknowledged, and is not there: " + e.getMessage());
        }
    }

    private boolean isContent(SimulatedDisk disk, Path directory, Descriptor found, Map<Component, byte[]> right)
            throws IOException {
        for (Map.Entry<Component, byte[]> file : right.entrySet()) {
            Path path = directory.resolve(found.fileName(file.getKey()));
            if (!disk.exists(path) || !Arrays.equals(disk.content(path), file.getValue())) {
                return false;
            }
        }
        return !right.isEmpty();
    }

    private boolean isDurable(SimulatedDisk disk, Path directory, Descriptor found, Set<Component> components)
            throws IOException {
        List<Path> files = new ArrayList<>(List.of(directory.resolve(found.fileName(Component.TOC))));
        components.forEach(component -> files.add(directory.resolve(found.fileName(component))));
        for (Path file : files) {
            if (!isDurable(disk, file)) {
                return false;
            }
        }
        return isNoted(disk, directory.resolve("journal"), found);
    }

    private boolean isDurable(SimulatedDisk disk, Path file) throws IOException {
        return disk.exists(file) && disk.isDurable(file) && disk.isNameDurable(file);
    }

    /** Whether what the journal says of an SSTable would outlive a loss of power. */
    private boolean isNoted(SimulatedDisk disk, Path journal, Descriptor found) throws IOException {
        String kept = new String(disk.durable(journal), StandardCharsets.UTF_8);
        return disk.isNameDurable(journal)
                && new String(disk.content(journal), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.contains(found.toString()))
                        .allMatch(kept::contains);
    }

    /** The folders of a set, on whichever volumes. */
    private List<Path> set(ReceivingDatabase store, UUID plan, UUID tableId) {
        return store.volumes().stream()
                .map(volume ->
                        volume.stagingDirectory().resolve(plan.toString()).resolve(tableId.toString()))
                .filter(store.disk::isDirectory)
                .toList();
    }

    private List<Path> stagedFiles(ReceivingDatabase store, UUID plan, UUID tableId) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path folder : set(store, plan, tableId)) {
            files.addAll(store.disk.listQuietly(folder));
        }
        return files;
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

    /** What is said to be installed was shown to the database, which has answered, for good. */
    private void checkLive(ReceivingDatabase node, UUID plan, Conversation so, UUID tableId) {
        Set<List<ComponentManifest>> shown = live.getOrDefault(List.of(node.name, plan, tableId), Set.of());
        // A set that an earlier process has committed holds all of the table, though a source may have compacted since.
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
            if (isOfIt && answered.contains(install) && !settled.contains(install)) {
                throw world.violation(node.name + ": table " + tableId
                        + " is said to be installed, and the database was" + " not told that its answer is noted");
            }
        });
    }

    /** Somebody wants a plan executed. */
    void wanted(StreamPlan plan) {
        fences.put(plan.id(), List.copyOf(Fence.of(plan).values()));
    }

    /** An operation has begun: from now on none of an older epoch may commit in its ranges. */
    void admitted(String node, UUID plan) {
        admitted.computeIfAbsent(node, name -> new LinkedHashSet<>()).addAll(fences.getOrDefault(plan, List.of()));
    }

    /** Directly before the commit point. */
    void asksForPermit(String node, UUID plan, UUID install, TableRef table) {
        boolean isReplaced = fences.getOrDefault(plan, List.of()).stream()
                .filter(fence -> fence.tableId().equals(table.id()))
                .anyMatch(fence -> admitted.getOrDefault(node, Set.of()).stream()
                        .anyMatch(other -> fence.epoch() > 0
                                && other.epoch() > fence.epoch()
                                && other.tableId().equals(fence.tableId())
                                && RingSection.anyOverlap(
                                        RingSection.of(other.ranges().ranges()),
                                        RingSection.of(fence.ranges().ranges()))));
        permits.put(install, new Permit(node, plan, table, isReplaced, world.scheduler.steps()));
    }

    /** The database takes a permit back before the commit point. */
    void revokes(UUID install) {
        revoked.add(install);
    }

    /** The database is notified, and has not answered yet. */
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

    /** The files of an SSTable that the database is shown, each of which would outlive a loss of power. */
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

    /** Whose install it is. */
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

    /** The process of a node is gone: what it was notified of by then is not repeated. */
    void dies(String node) {
        permits.forEach((install, permit) -> {
            if (permit.node().equals(node)) {
                answered.remove(install);
                returned.remove(install);
            }
        });
    }

    /** The database has answered. */
    void answers(UUID install) {
        answered.add(install);
    }

    /** The database may do with the files of an install what it likes. */
    void settles(String node, ReceivingDatabase store, SimulatedDisk disk, UUID install) throws IOException {
        Permit permit = permit(node, install);
        if (answered.contains(install) && !isNoted(store, disk, permit)) {
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

    /** A permit comes back: when the answer is noted, or the install has failed, which then does not settle it. */
    void returnsPermit(String node, ReceivingDatabase store, SimulatedDisk disk, UUID install) throws IOException {
        boolean isNoted = answered.contains(install) && isNoted(store, disk, permit(node, install));
        if (!isNoted) {
            returned.put(install, world.scheduler.steps());
        }
    }

    /** On each volume: one that is missing at the next start must not make the others forget. */
    private boolean isNoted(ReceivingDatabase store, SimulatedDisk disk, Permit permit) throws IOException {
        for (Path folder : set(store, permit.plan(), permit.table().id())) {
            if (disk.exists(folder.resolve("commit-part")) && !isDurable(disk, folder.resolve("LIVE"))) {
                return false;
            }
        }
        return isDurableInOne(store, disk, permit, "LIVE");
    }

    /** A part without the commit file says where that is: else a start without that volume would take it for live. */
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
