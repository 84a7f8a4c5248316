package io.sluice.simulation;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.transfer.SourceRegion;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/** A channel that stays open, over which nothing comes through; tests make it fail. */
class OpenChannel implements PeerChannel {
    @Override
    public void charge(PeerMemory peer) {}

    @Override
    public Timer after(long nanos, Runnable task) {
        return () -> {};
    }

    @Override
    public void send(Message message, Consumer<Boolean> end) {
        end.accept(false);
    }

    @Override
    public void send(SourceRegion region, Consumer<Optional<Throwable>> end) {
        end.accept(Optional.empty());
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void read(boolean isWanted) {}

    @Override
    public void fail(Throwable cause) {}

    @Override
    public void close() {}

    @Override
    public ErrorCode endCode() {
        return ErrorCode.PEER_LOST;
    }

    @Override
    public String address() {
        return "peer";
    }

    @Override
    public Peer peer(UUID id) {
        return new Peer(id, address(), List.of());
    }
}
