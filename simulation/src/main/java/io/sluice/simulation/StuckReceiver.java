package io.sluice.simulation;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.store.TableRef;
import java.util.List;

/**
 * A receiver that makes a request, gets its table pinned, and then only sends heartbeats: the source must release the
 * session within its deadlines, however regular the heartbeats are.
 */
final class StuckReceiver implements PeerChannel.Listener {
    private final World world;
    private final SimulatedNode source;
    private final TableRef table;
    private final Message.Hello hello;
    private final Wire wire;
    private boolean isOver;

    StuckReceiver(World world, SimulatedNode receiver, SimulatedNode source, TableRef table) {
        this.world = world;
        this.source = source;
        this.table = table;
        this.hello = new Message.Hello(
                Message.Cluster.named("sim"),
                receiver.node.id(),
                source.node.id(),
                Message.Role.CONTROL,
                world.newUuid(),
                Message.SessionNumber.FIRST,
                0);
        this.wire = world.connect(receiver, source, hello);
        wire.client.listen(this);
    }

    void start() {
        world.note("stuck", "asks " + source + " for " + table + ", and then makes no progress");
        source.accept(wire);
        send(new Message.StreamInit(Operation.BOOTSTRAP.code()));
        send(new Message.PrepareSyn(List.of(new Message.TableRequest(table.id(), TokenRanges.FULL)), true));
        beat();
    }

    private void send(Message message) {
        wire.client.send(message);
    }

    private void beat() {
        if (!isOver) {
            send(new Message.KeepAlive(new Message.Doing("nothing", 0, 0, 0, 0), 0));
            world.scheduler.after(Simulation.DEADLINES.heartbeat().toNanos(), () -> true, this::beat);
        }
    }

    @Override
    public void onMessage(PeerChannel channel, Message message) {
        if (message instanceof Message.PrepareSynAck) {
            send(new Message.PrepareAck());
        }
    }

    @Override
    public void onEnd(PeerChannel channel, String reason) {
        isOver = true;
    }
}
