package io.sluice.simulation;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.LandedExtent;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.Message.SessionNumber;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator;
import io.sluice.streaming.session.ReceivingSession;
import io.sluice.streaming.session.ReceivingSession.Action;
import io.sluice.streaming.session.ReceivingSession.Event;
import io.sluice.streaming.session.SessionSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Performs what a {@link ReceivingSession} decides, in the simulation. Long because each action of the session is
 * performed here, and each may be the one in which the node dies.
 */
final class ReceiverSession {
    private static final long DISK_NANOS = 40_000_000;
    static final long HANG_NANOS = 300_000_000_000L;
    private static final long DIAL_NANOS = 30_000_000;
    private static final long MESSAGE_BYTES = 100;

    private final UUID id;
    private final RunningPlan plan;
    private final ReceivingNode node;
    private final World world;
    private final SessionNumber number;
    private final SimulatedNode source;
    private final Map<UUID, TokenRanges> ranges = new HashMap<>();
    private final ReceivingSession session;
    private final Map<Integer, StagedSet.Landing> landings = new HashMap<>();
    private final Map<String, DiskFile> open = new HashMap<>();
    private final Map<Integer, Wire.End> data = new HashMap<>();
    private Wire.@Nullable End control;
    private int working = 1;
    private int hanging;
    private boolean areFilesClosed;
    private PlanCoordinator.Event.@Nullable SessionEnded end;

    ReceiverSession(RunningPlan plan, PlanCoordinator.Action.Open open) {
        this.plan = plan;
        this.node = plan.node;
        this.world = node.world;
        this.id = world.newUuid();
        this.number = new SessionNumber(open.session(), open.attempt());
        this.source = world.node(open.source());
        List<Message.TableRequest> wanted = new ArrayList<>();
        for (StreamRequest request : open.requests()) {
            ranges.put(request.table().id(), request.ranges());
            wanted.add(new Message.TableRequest(
                    request.table().id(), plan.schema(request.table().id()), request.ranges()));
        }
        int connections = 1 + world.random.nextInt(3);
        SessionSettings settings = new SessionSettings(
                connections,
                connections + world.random.nextInt(2),
                512,
                2 + world.random.nextInt(3),
                Simulation.DEADLINES);
        this.session =
                new ReceivingSession(plan.plan.operation(), source.name, wanted, settings, world.scheduler.nowNanos());
    }

    UUID id() {
        return id;
    }

    private Message.Hello hello(Message.Role role, int connection) {
        return new Message.Hello(
                Message.Cluster.named("sim"),
                node.node.id(),
                source.node.id(),
                role,
                plan.plan.id(),
                number,
                connection);
    }

    private void later(long nanos, Runnable work) {
        world.scheduler.after(nanos, node.alive(), work);
    }

    void start() {
        if (!world.is(Mutant.NO_DEADLINE_AT_RECEIVER)) {
            later(Simulation.TICK_NANOS, this::tick);
        }
        dial(
                Message.Role.CONTROL,
                0,
                opened -> {
                    control = opened;
                    opened.listen(new Control());
                    on(new Event.Connected());
                },
                why -> on(new Event.Failed(new Failure(ErrorCode.PEER_LOST, why))));
    }

    private void tick() {
        if (!session.state().isFinal()) {
            on(new Event.Tick());
            later(Simulation.TICK_NANOS, this::tick);
        }
    }

    /** Connects, says hello, and hears after a round trip whether it is welcome. */
    private void dial(
            Message.Role role,
            int connection,
            java.util.function.Consumer<Wire.End> onWelcome,
            java.util.function.Consumer<String> onRefusal) {
        later(world.random.nextLong(DIAL_NANOS), () -> {
            if (source.isDead() || world.isStalled(node, source)) {
                later(DIAL_NANOS, () -> onRefusal.accept("cannot connect to " + source.name));
                return;
            }
            Message.Hello hello = hello(role, connection);
            Wire wire = world.connect(node, source, hello);
            boolean isWelcome = role == Message.Role.CONTROL
                    ? source.accept(hello, wire.server)
                    : source.acceptData(hello, wire.server);
            later(world.random.nextLong(DIAL_NANOS), () -> {
                if (session.state().isFinal()) {
                    wire.client.close();
                } else if (isWelcome) {
                    onWelcome.accept(wire.client);
                } else {
                    onRefusal.accept(source.name + " refuses");
                }
            });
        });
    }

    void on(Event event) {
        ReceivingSession.State before = session.state();
        List<Action> actions = session.on(event, world.scheduler.nowNanos());
        if (before != session.state()) {
            world.note(
                    node.name,
                    "session with " + source.name + " " + number + ": " + before + " -> " + session.state() + " by "
                            + event);
        }
        actions.forEach(this::perform);
    }

    private void perform(Action action) {
        if (action instanceof Action.Send a) {
            if (control != null) {
                control.send(a.message(), MESSAGE_BYTES);
            }
        } else if (action instanceof Action.Prepare a) {
            onDisk(() -> on(new Event.Prepared(prepare(a.offers()))));
        } else if (action instanceof Action.OpenDataConnection a) {
            dial(
                    Message.Role.DATA,
                    a.connection(),
                    opened -> {
                        data.put(a.connection(), opened);
                        opened.listen(new Data(a.connection()));
                        on(new Event.DataConnected(a.connection()));
                    },
                    why -> on(new Event.DataLost(a.connection(), why)));
        } else if (action instanceof Action.Fetch a) {
            Wire.End link = data.get(a.connection());
            if (link != null) {
                link.send(new Message.Fetch(a.extents()), MESSAGE_BYTES);
            }
        } else if (action instanceof Action.Forget a) {
            StagedSet.Landing landing = landing(a.offer());
            landing.set().forget(landing.descriptor(), a.component());
        } else if (action instanceof Action.Stage a) {
            if (world.is(Mutant.ACKNOWLEDGE_BEFORE_STAGING)) {
                on(new Event.Staged(a.offer().number()));
                onDisk(() -> stage(a.offer()));
            } else {
                onDisk(() -> {
                    if (stage(a.offer())) {
                        on(new Event.Staged(a.offer().number()));
                        if (world.is(Mutant.INSTALL_TOO_EARLY)) {
                            tell(new PlanCoordinator.Event.TableLanded(
                                    number.index(), a.offer().tableId()));
                        }
                    }
                });
            }
        } else if (action instanceof Action.TableLanded a) {
            tell(new PlanCoordinator.Event.TableLanded(number.index(), a.tableId()));
        } else if (action instanceof Action.TableFailed a) {
            tell(new PlanCoordinator.Event.TableFailed(number.index(), a.tableId(), a.why()));
        } else if (action instanceof Action.Warn a) {
            world.note(node.name, "warning: " + a.what());
        } else if (action instanceof Action.Finish a) {
            finish(a.failure());
        }
    }

    private void tell(PlanCoordinator.Event event) {
        later(1, () -> plan.on(event));
    }

    private StagedSet.Landing landing(int offer) {
        StagedSet.Landing landing = landings.get(offer);
        if (landing == null) {
            throw new IllegalStateException("no landing for offer " + offer);
        }
        return landing;
    }

    /** Something that the disk may refuse. */
    private interface DiskWork {
        void run() throws IOException;
    }

    /** Whether the disk does not answer it. */
    boolean isHanging() {
        return hanging > 0;
    }

    private void onDisk(DiskWork work) {
        working++;
        boolean hangs = world.happens(world.faults.of(Faults.Kind.DISK_HANGS));
        hanging += hangs ? 1 : 0;
        later(
                world.random.nextLong(hangs ? HANG_NANOS : DISK_NANOS),
                () -> node.work(() -> {
                    hanging -= hangs ? 1 : 0;
                    try {
                        work.run();
                    } catch (IOException | RuntimeException e) {
                        world.note(node.name, "disk: " + e.getMessage());
                        on(new Event.Failed(Failure.of(e)));
                    }
                    workDone();
                }));
    }

    private List<LandedExtent> prepare(List<SSTableOffer> offers) throws IOException {
        List<LandedExtent> held = new ArrayList<>();
        Set<UUID> gone = new HashSet<>();
        for (SSTableOffer offer : offers) {
            StagedSet.Landing landing;
            try {
                StagedSet set = plan.set(plan.table(offer.tableId()));
                landing = set.land(
                        id, offer, () -> new Descriptor(offer.source().version(), node.store.newId(set.table())));
            } catch (StreamException e) {
                if (e.code() == ErrorCode.DISK_FULL) {
                    throw e;
                }
                if (gone.add(offer.tableId())) {
                    giveUp(offer.tableId(), Failure.of(e));
                }
                continue;
            }
            landings.put(offer.number(), landing);
            held.addAll(landing.held());
        }
        return held;
    }

    private boolean stage(SSTableOffer offer) throws IOException {
        StagedSet.Landing landing = landing(offer.number());
        for (ComponentManifest manifest : offer.components()) {
            DiskFile file = open.remove(key(offer.number(), manifest.component()));
            if (file == null) {
                file = landing.set().open(landing.descriptor(), manifest.component());
            }
            file.close();
        }
        try {
            landing.set()
                    .stage(id, landing.descriptor(), offer, ranges.getOrDefault(offer.tableId(), TokenRanges.NONE));
        } catch (StreamException e) {
            giveUp(offer.tableId(), Failure.of(e));
            return false;
        }
        return true;
    }

    private void giveUp(UUID tableId, Failure why) {
        on(new Event.TableGivenUp(tableId, why));
        tell(new PlanCoordinator.Event.TableFailed(number.index(), tableId, why));
    }

    private static String key(int offer, Component component) {
        return offer + "-" + component;
    }

    private void write(int connection, Extent extent, byte[] bytes) throws IOException {
        if (areFilesClosed) {
            return;
        }
        StagedSet.Landing landing = landing(extent.offer());
        String key = key(extent.offer(), extent.component());
        DiskFile file = open.get(key);
        if (file == null) {
            file = landing.set().open(landing.descriptor(), extent.component());
            open.put(key, file);
        }
        file.writeFully(ByteBuffer.wrap(bytes), extent.offset());
        CRC32 crc = new CRC32();
        crc.update(bytes);
        long crc32 = world.is(Mutant.SKIP_CHECKSUM)
                ? world.oracle.rightChecksum(landing.offer(), extent).orElse(crc.getValue())
                : crc.getValue();
        landing.set().landed(landing.descriptor(), extent, crc32);
        world.fetchedBytes += bytes.length;
        on(new Event.Arrived(connection, extent, crc32));
    }

    private void finish(Optional<Failure> failure) {
        data.values().forEach(Wire.End::close);
        if (control != null) {
            control.close();
        }
        var progress = session.progress(source.node, world.scheduler.nowNanos());
        end = new PlanCoordinator.Event.SessionEnded(
                number.index(), failure, progress.bytesReceived() > progress.bytesResumed());
        workDone();
    }

    private void workDone() {
        working--;
        PlanCoordinator.Event ended = end;
        if (working > 0 || ended == null) {
            return;
        }
        later(world.random.nextLong(DISK_NANOS), () -> {
            areFilesClosed = true;
            if (!world.is(Mutant.LEAK_FILE)) {
                for (DiskFile file : open.values()) {
                    try {
                        file.close();
                    } catch (IOException e) {
                        world.note(node.name, "closing: " + e.getMessage());
                    }
                }
            }
            plan.release(id);
            if (world.is(Mutant.LEAK_RESERVATION)) {
                leakRoom();
            }
            tell(ended);
        });
    }

    /** As if a byte of this session had stayed reserved. */
    private void leakRoom() {
        try {
            node.staging().reserve(1);
        } catch (IOException | StreamException e) {
            world.note(node.name, "no room to leak: " + e.getMessage());
        }
    }

    private final class Control implements Wire.Listener {
        @Override
        public void onMessage(Object message) {
            if (message instanceof Message m) {
                on(new Event.Received(m));
            }
        }

        @Override
        public void onEnd(String reason) {
            on(new Event.PeerLost(reason));
        }
    }

    private final class Data implements Wire.Listener {
        private final int connection;

        Data(int connection) {
            this.connection = connection;
        }

        @Override
        public void onMessage(Object message) {
            if (message instanceof SenderSession.Payload payload && data.containsKey(connection)) {
                node.work(() -> {
                    try {
                        write(connection, payload.extent, payload.bytes);
                    } catch (IOException | StreamException e) {
                        world.note(node.name, "landing " + payload.extent + ": " + e.getMessage());
                        on(new Event.Failed(Failure.of(e)));
                    }
                });
            }
        }

        @Override
        public void onEnd(String reason) {
            data.remove(connection);
            on(new Event.DataLost(connection, reason));
        }
    }
}
