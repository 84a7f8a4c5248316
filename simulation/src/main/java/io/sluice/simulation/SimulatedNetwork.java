package io.sluice.simulation;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.ProtocolVersions;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.DataChannel;
import io.sluice.streaming.runtime.Network;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.session.ConnectionLiveness;
import io.sluice.streaming.transfer.block.DataReceiver;
import io.sluice.streaming.transfer.block.ExtentStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The connections that one process opens, over wires that may be slow, cut or stalled. */
final class SimulatedNetwork implements Network {
    private static final long DIAL_NANOS = 30_000_000;

    private final World world;
    private final SimulatedNode node;
    private final Life life;

    SimulatedNetwork(Life life) {
        this.life = life;
        this.world = life.world();
        this.node = life.node();
    }

    @Override
    public void dial(Node peer, Purpose purpose, PeerChannel.Listener listener, Answer answer) {
        dial(
                peer,
                purpose,
                ProtocolVersions.OURS.offer(),
                welcomed -> {
                    welcomed.listen(listener);
                    answer.connected(welcomed);
                },
                answer::failed);
    }

    @Override
    public DataChannel fetchFrom(Node peer, Purpose session, int number, DataReceiver receiver) {
        Data data = new Data(peer, receiver);
        dial(peer, session, number, data::welcomed, why -> data.lost(String.valueOf(why.getMessage())));
        return data;
    }

    /** Connects, sends hello, and learns after a round trip whether it was accepted. */
    private void dial(
            Node peer, Purpose purpose, int number, Consumer<Wire.End> onWelcome, Consumer<StreamException> onRefusal) {
        life.later(world.random.nextLong(DIAL_NANOS), () -> {
            SimulatedNode source = world.node(peer);
            if (source.isDown() || world.isStalled(node, source)) {
                life.later(
                        DIAL_NANOS,
                        () -> onRefusal.accept(new StreamException(ErrorCode.PEER_LOST, "cannot connect to " + peer)));
                return;
            }
            Message.Hello hello = new Message.Hello(
                    Message.Cluster.named("sim"),
                    node.node.id(),
                    peer.id(),
                    purpose.role(),
                    purpose.planId(),
                    purpose.session(),
                    number);
            Wire wire = world.connect(node, source, hello);
            Optional<StreamException> refusal = source.accept(wire);
            life.later(world.random.nextLong(DIAL_NANOS), () -> {
                if (refusal.isPresent()) {
                    wire.client.close();
                    onRefusal.accept(refusal.get());
                } else if (!wire.client.isOpen()) {
                    onRefusal.accept(new StreamException(ErrorCode.PEER_LOST, "the connection to " + peer + " ended"));
                } else {
                    onWelcome.accept(wire.client);
                }
            });
        });
    }

    /** The receiving end of a data connection. */
    private final class Data implements DataChannel, Wire.Receiver {
        private final DataReceiver receiver;
        private final ExtentStream extents;
        private final ConnectionLiveness liveness;
        private final List<List<Extent>> early = new ArrayList<>();
        private Wire.@Nullable End wire;
        private boolean isOver;
        /** Whether a disk write hangs: nothing more is read until the disk answers. */
        private boolean isHanging;

        Data(Node peer, DataReceiver receiver) {
            this.receiver = receiver;
            this.extents = new ExtentStream(receiver);
            this.liveness = new ConnectionLiveness(Simulation.DEADLINES, peer.name(), world.scheduler.nowNanos());
        }

        void welcomed(Wire.End opened) {
            if (isOver) {
                opened.close();
                return;
            }
            wire = opened;
            opened.receiveBy(this);
            liveness.received(world.scheduler.nowNanos());
            receiver.opened();
            early.forEach(this::ask);
            life.later(Simulation.TICK_NANOS, this::look);
        }

        private void look() {
            long now = world.scheduler.nowNanos();
            Wire.End open = Objects.requireNonNull(wire);
            if (isOver) {
                return;
            }
            Optional<String> silence = liveness.silence(now);
            if (silence.isPresent()) {
                lost(silence.get());
                open.close();
                return;
            }
            if (liveness.isHeartbeatDue(now)) {
                liveness.sent(now);
                Message.Doing doing = new Message.Doing("extents", 0, 0, 0, extents.outstanding());
                open.send(new Message.KeepAlive(doing, extents.arrivingBytes()));
            }
            life.later(Simulation.TICK_NANOS, this::look);
        }

        @Override
        public void fetch(List<Extent> wanted) {
            if (wire == null) {
                early.add(wanted);
            } else {
                ask(wanted);
            }
        }

        private void ask(List<Extent> wanted) {
            if (!isOver) {
                extents.fetching(wanted);
                liveness.sent(world.scheduler.nowNanos());
                Objects.requireNonNull(wire).send(new Message.Fetch(wanted));
            }
        }

        @Override
        public void receive(ByteBuffer bytes, boolean isMessage) {
            if (isOver) {
                return;
            }
            liveness.received(world.scheduler.nowNanos());
            if (!world.seams.run(() -> land(bytes))) {
                isHanging = true;
                liveness.notReading();
                Objects.requireNonNull(wire).read(false);
            }
        }

        private void land(ByteBuffer bytes) {
            try {
                extents.consume(bytes);
            } catch (ExtentStream.FinalException e) {
                over();
                receiver.failed(Objects.requireNonNull(e.getCause()));
            } catch (IOException | StreamException e) {
                lost(String.valueOf(e.getMessage()));
            } catch (RuntimeException e) {
                over();
                receiver.failed(e);
            } finally {
                if (isHanging) {
                    answered();
                }
            }
        }

        /** The disk has answered: continues, or releases what was kept while it hung. */
        private void answered() {
            isHanging = false;
            if (isOver) {
                extents.close();
            } else {
                liveness.received(world.scheduler.nowNanos());
                Objects.requireNonNull(wire).read(true);
            }
        }

        @Override
        public void ended(String reason) {
            lost(reason);
        }

        void lost(String reason) {
            if (!isOver) {
                over();
                receiver.lost(reason);
            }
        }

        private void over() {
            isOver = true;
            if (!isHanging) { // else its buffer is in use
                extents.close();
            }
            if (wire != null) {
                wire.close();
            }
        }

        @Override
        public long arrivingBytes() {
            return extents.arrivingBytes();
        }

        @Override
        public void close() {
            if (!isOver) {
                over();
            }
        }
    }
}
