package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.SchemaCheck;
import io.sluice.streaming.session.SendingSession;
import io.sluice.streaming.session.SendingSession.Action;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.zip.CRC32;

/** Performs what a {@link SendingSession} decides, in the simulation. */
final class SenderSession implements Wire.Listener {
    private static final long DISK_NANOS = 30_000_000;
    private static final long REVOKE_NANOS = 5_000_000_000L;
    private static final long MESSAGE_BYTES = 100;
    /** Longer than any deadline of its peer. */
    private static final long STUCK_NANOS = 200_000_000_000L;

    private final SimulatedNode node;
    private final World world;
    private final Message.Hello hello;
    private final Wire.End control;
    private final Consumer<SenderSession> onFinish;
    private final SendingSession session;
    private final Map<Integer, Wire.End> data = new HashMap<>();
    private final Map<UUID, List<SimulatedSSTable>> pinned = new HashMap<>();
    private final List<SimulatedSSTable> offered = new ArrayList<>();
    private boolean isStuck;

    SenderSession(SimulatedNode node, Message.Hello hello, Wire.End control, Consumer<SenderSession> onFinish) {
        this.node = node;
        this.world = node.world;
        this.hello = hello;
        this.control = control;
        this.onFinish = onFinish;
        this.session = new SendingSession("receiver", Simulation.DEADLINES, world.scheduler.nowNanos());
        control.listen(this);
    }

    Message.Hello hello() {
        return hello;
    }

    void start() {
        if (world.happens(world.faults.of(Faults.Kind.STUCK))) {
            later(world.random.nextLong(REVOKE_NANOS), this::stick);
        }
        if (!world.is(Mutant.NO_DEADLINE_AT_SENDER)) {
            later(Simulation.TICK_NANOS, this::tick);
        }
    }

    private void tick() {
        if (!session.state().isFinal()) {
            on(new Event.Tick());
            later(Simulation.TICK_NANOS, this::tick);
        }
    }

    private void stick() {
        if (!session.state().isFinal()) {
            world.note(node.name, "does nothing more for " + hello.session() + ", and says that it lives");
            isStuck = true;
            beat();
            later(
                    STUCK_NANOS,
                    () -> isStuck = false); // else two ends that are stuck would wait for each other for ever
        }
    }

    private void beat() {
        if (control.wire().isOver()) {
            isStuck = false; // nobody is there to be kept waiting
        } else if (!session.state().isFinal()) {
            control.send(new Message.KeepAlive(new Message.Doing("nothing", 0, 0, 0, 0), 0), MESSAGE_BYTES);
            later(Simulation.DEADLINES.heartbeat().toNanos(), this::beat);
        }
    }

    private void later(long nanos, Runnable work) {
        world.scheduler.after(nanos, node.alive(), work);
    }

    void cancel(String why) {
        on(new Event.Failed(new Failure(ErrorCode.CANCELLED, why)));
    }

    void add(int number, Wire.End end) {
        data.put(number, end);
        end.listen(new Wire.Listener() {
            @Override
            public void onMessage(Object message) {
                if (message instanceof Message.Fetch fetch) {
                    on(new Event.Fetched(number, fetch.extents()));
                }
            }

            @Override
            public void onEnd(String reason) {
                data.remove(number);
            }
        });
    }

    @Override
    public void onMessage(Object message) {
        if (message instanceof Message m) {
            if (m instanceof Message.Received received && world.is(Mutant.UNPIN_AT_LANDED)) {
                unpinInSession(offered.get(received.offer()).tableId);
            }
            on(new Event.Received(m));
        }
    }

    @Override
    public void onEnd(String reason) {
        on(new Event.PeerLost(reason));
    }

    private void on(Event event) {
        if (isStuck && !(event instanceof Event.PeerLost) && !(event instanceof Event.Failed)) {
            return;
        }
        SendingSession.State before = session.state();
        List<Action> actions = session.on(event, world.scheduler.nowNanos());
        if (before != session.state()) {
            world.note(
                    node.name, "sends " + hello.session() + ": " + before + " -> " + session.state() + " by " + event);
        }
        actions.forEach(action -> perform(event, action));
    }

    private void perform(Event cause, Action action) {
        if (action instanceof Action.Pin a) {
            later(world.random.nextLong(DISK_NANOS), () -> pin(a.requests()));
        } else if (action instanceof Action.Send a) {
            control.send(a.message(), MESSAGE_BYTES);
        } else if (action instanceof Action.Transmit a) {
            a.extents().forEach(extent -> transmit(a.connection(), extent));
        } else if (action instanceof Action.Sum a) {
            later(world.random.nextLong(DISK_NANOS), () -> on(new Event.Summed(sums(a))));
        } else if (action instanceof Action.Unpin a) {
            if (cause instanceof Event.Received received
                    && received.message() instanceof Message.Released
                    && world.is(Mutant.LEAK_PIN)) {
                pinned.remove(a.tableId());
            }
            unpinInSession(a.tableId());
        } else if (action instanceof Action.Finish a) {
            if (a.failure().isEmpty() || !world.is(Mutant.LEAK_PIN_ON_FAILURE)) {
                List.copyOf(pinned.keySet()).forEach(this::unpin);
            }
            control.close();
            data.values().forEach(Wire.End::close);
            onFinish.accept(this);
        }
    }

    private void unpinInSession(UUID tableId) {
        world.promises.unpins(control.wire(), tableId);
        unpin(tableId);
    }

    private void unpin(UUID tableId) {
        List<SimulatedSSTable> sstables = pinned.remove(tableId);
        if (sstables != null) {
            sstables.forEach(node::unpin);
        }
    }

    private void pin(List<Message.TableRequest> requests) {
        if (session.state().isFinal()) {
            return;
        }
        Map<UUID, Failure> refused = new HashMap<>();
        List<SSTableOffer> offers = new ArrayList<>();
        for (Message.TableRequest request : requests) {
            if (world.happens(world.faults.of(Faults.Kind.UNKNOWN_TABLE))) {
                refused.put(request.tableId(), new Failure(ErrorCode.UNKNOWN_TABLE, "injected: not known here"));
                continue;
            }
            if (!node.knows(request.tableId())) {
                refused.put(request.tableId(), new Failure(ErrorCode.UNKNOWN_TABLE, "it was dropped here"));
                continue;
            }
            Optional<Failure> otherSchema = SchemaCheck.refusal(
                    new TableRef(request.tableId(), "ks", "t"), request.schemaDigest(), node.schema(request.tableId()));
            if (otherSchema.isPresent()) {
                refused.put(request.tableId(), otherSchema.get());
                continue;
            }
            world.oracle.pinned(hello, request.tableId());
            boolean isLie = world.happens(world.faults.of(Faults.Kind.LIE));
            List<SimulatedSSTable> sstables = node.pin(request.tableId(), isLie ? TokenRanges.FULL : request.ranges());
            pinned.put(request.tableId(), sstables);
            for (SimulatedSSTable sstable : sstables) {
                offers.add(sstable.offer(offered.size()));
                offered.add(sstable);
            }
        }
        if (world.happens(world.faults.of(Faults.Kind.REVOKE))) {
            later(world.random.nextLong(REVOKE_NANOS), this::revoke);
        }
        on(new Event.Pinned(offers, refused));
    }

    private void revoke() {
        if (!pinned.isEmpty()) {
            world.note(node.name, "database: takes back what is pinned for " + hello.session());
            on(new Event.Failed(new Failure(ErrorCode.SOURCE_CHANGED, "injected: taken back")));
        }
    }

    /** Bytes of one extent, on their way. */
    static final class Payload {
        final Extent extent;
        final byte[] bytes;

        private Payload(Extent extent, byte[] bytes) {
            this.extent = extent;
            this.bytes = bytes;
        }
    }

    private void transmit(int connection, Extent extent) {
        Wire.End end = data.get(connection);
        if (end == null) {
            return;
        }
        SimulatedSSTable sstable = offered.get(extent.offer());
        if (!node.has(sstable)) {
            throw new Violation(
                    node.name + ": " + sstable.descriptor + " was removed before the receiver had it installed");
        }
        byte[] file = sstable.files.getOrDefault(extent.component(), new byte[0]);
        byte[] bytes = Arrays.copyOfRange(file, (int) extent.offset(), (int) extent.end());
        if (world.happens(world.faults.of(Faults.Kind.FLIP))) {
            bytes[world.random.nextInt(bytes.length)] ^= 1;
            world.note(node.name, "a byte of " + extent + " is changed on its way");
        }
        end.send(new Payload(extent, bytes), bytes.length);
        on(new Event.Sent(bytes.length));
    }

    private Message.FileSums sums(Action.Sum action) {
        SimulatedSSTable sstable = offered.get(action.offer());
        Component component = action.component();
        byte[] file = sstable.files.getOrDefault(component, new byte[0]);
        List<Integer> sums = new ArrayList<>();
        for (int at = 0; at < file.length; at += action.extentLengthBytes()) {
            CRC32 crc = new CRC32();
            crc.update(file, at, Math.min(action.extentLengthBytes(), file.length - at));
            sums.add((int) crc.getValue());
        }
        return new Message.FileSums(action.offer(), component, 0, sums, true);
    }
}
