package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** A node that sends: its SSTables, its sessions, its process, which may die and come back. */
class SimulatedNode {
    /** What every table's schema is at first. */
    static final long FIRST_SCHEMA = 1;

    final World world;
    final String name;
    final Node node;
    private final List<SimulatedSSTable> sstables = new ArrayList<>();
    private final Map<SessionKey, SenderSession> sending = new HashMap<>();
    private final Set<UUID> dropped = new HashSet<>();
    private final Map<UUID, Long> schemas = new HashMap<>();
    private int life;
    private boolean isDead;
    private int lastId;

    private record SessionKey(UUID planId, UUID receiver, int index) {}

    SimulatedNode(World world, String name) {
        this.world = world;
        this.name = name;
        this.node = new Node(world.newUuid(), name, new Address(name, 1), List.of());
    }

    /** Whether the process that is alive now still is; false for ever once it has died. */
    final BooleanSupplier alive() {
        int now = life;
        return () -> !isDead && life == now;
    }

    final boolean isDead() {
        return isDead;
    }

    /** The process is gone; its peers hear of it, or do not. */
    void die(boolean powerToo) {
        world.note(name, powerToo ? "loses power" : "is killed");
        isDead = true;
        life++;
        sending.clear();
        sstables.forEach(sstable -> sstable.pins = 0);
        for (Wire wire : world.wires()) {
            if (wire.client.node == this || wire.server.node == this) {
                boolean hears = !powerToo && world.random.nextInt(4) > 0;
                wire.cut("connection reset by " + name, hears && wire.client.node != this, hears);
            }
        }
    }

    void restart() {
        world.note(name, "starts again");
        isDead = false;
    }

    final void add(UUID tableId, List<Row> rows) {
        if (!rows.isEmpty()) {
            Descriptor descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(++lastId));
            SimulatedSSTable made = new SimulatedSSTable(descriptor, tableId, rows, world.random);
            sstables.add(made);
            world.oracle.made(made);
        }
    }

    final List<SimulatedSSTable> pin(UUID tableId, TokenRanges ranges) {
        List<SimulatedSSTable> pinned = sstables.stream()
                .filter(sstable -> !sstable.isObsolete
                        && sstable.tableId.equals(tableId)
                        && sstable.rows.stream().anyMatch(row -> ranges.contains(token(row))))
                .toList();
        pinned.forEach(sstable -> sstable.pins++);
        return pinned;
    }

    private static io.sluice.sstable.token.Token token(Row row) {
        return new io.sluice.sstable.token.Token(row.token());
    }

    final void unpin(SimulatedSSTable sstable) {
        sstable.pins--;
        removeIfObsolete();
    }

    final boolean hasPinned(UUID tableId, List<ComponentManifest> content) {
        return sstables.stream()
                .anyMatch(sstable -> sstable.pins > 0
                        && sstable.tableId.equals(tableId)
                        && sstable.offer(0).components().equals(content));
    }

    final int pins() {
        return sstables.stream().mapToInt(sstable -> sstable.pins).sum();
    }

    private void removeIfObsolete() {
        sstables.removeIf(sstable -> sstable.isObsolete && sstable.pins <= 0);
    }

    final boolean has(SimulatedSSTable sstable) {
        return sstables.contains(sstable);
    }

    /** Compacts SSTables of one table that hold the same range, and forgets what is deleted. */
    final void compact(UUID tableId, TokenRanges range) {
        List<SimulatedSSTable> old = sstables.stream()
                .filter(sstable -> !sstable.isObsolete
                        && sstable.tableId.equals(tableId)
                        && sstable.rows.stream().allMatch(row -> range.contains(token(row))))
                .toList();
        if (old.size() < 2) {
            return;
        }
        List<Row> all = new ArrayList<>();
        old.forEach(sstable -> all.addAll(sstable.rows));
        old.forEach(sstable -> sstable.isObsolete = true);
        add(tableId, Rows.purged(all));
        removeIfObsolete();
        world.note(name, "compacts " + old.size() + " SSTables");
    }

    /** The table is gone; its files stay for as long as somebody has them pinned. */
    final void drop(UUID tableId) {
        world.note(name, "has table " + tableId + " dropped");
        dropped.add(tableId);
        empty(tableId);
    }

    /** Nothing is in the table any more; its files stay for as long as somebody has them pinned. */
    final void truncate(UUID tableId) {
        world.note(name, "has table " + tableId + " truncated");
        empty(tableId);
    }

    private void empty(UUID tableId) {
        sstables.stream()
                .filter(sstable -> sstable.tableId.equals(tableId))
                .forEach(sstable -> sstable.isObsolete = true);
        removeIfObsolete();
    }

    /** The table is read otherwise from now on. */
    final void alter(UUID tableId, long schema) {
        world.note(name, "has table " + tableId + " altered");
        schemas.put(tableId, schema);
    }

    final boolean knows(UUID tableId) {
        return !dropped.contains(tableId);
    }

    final long schema(UUID tableId) {
        return schemas.getOrDefault(tableId, FIRST_SCHEMA);
    }

    /** A byte of a live file goes bad. */
    final void rot() {
        List<SimulatedSSTable> live =
                sstables.stream().filter(sstable -> !sstable.isObsolete).toList();
        if (!live.isEmpty()) {
            SimulatedSSTable victim = live.get(world.random.nextInt(live.size()));
            byte[] data = victim.files.getOrDefault(Component.DATA, new byte[1]);
            data[world.random.nextInt(data.length)] ^= 0x10;
            world.note(name, "a byte of " + victim.descriptor + " goes bad");
        }
    }

    /** A control connection that says hello; whether it is welcome. */
    final boolean accept(Message.Hello hello, Wire.End end) {
        SessionKey key =
                new SessionKey(hello.planId(), hello.sender(), hello.session().index());
        SenderSession running = sending.get(key);
        if (running != null
                && running.hello().session().attempt() >= hello.session().attempt()) {
            return false;
        }
        if (running != null) {
            running.cancel("a newer attempt has begun");
        }
        SenderSession session = new SenderSession(this, hello, end, ended -> sending.remove(key, ended));
        sending.put(key, session);
        session.start();
        return true;
    }

    /** A data connection that says hello; whether it is welcome. */
    final boolean acceptData(Message.Hello hello, Wire.End end) {
        SenderSession session = sending.get(
                new SessionKey(hello.planId(), hello.sender(), hello.session().index()));
        if (session == null || !session.hello().session().equals(hello.session())) {
            return false;
        }
        session.add(hello.connection(), end);
        return true;
    }

    final int sessions() {
        return sending.size();
    }

    @Override
    public String toString() {
        return name;
    }
}
