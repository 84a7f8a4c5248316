package io.sluice.streaming.runtime;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.transfer.SourceRegion;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * One connection to a peer, after its handshake: messages and regions of files leave in the order in which they were
 * sent. It has a thread of its own, on which its {@link Listener} is called. Thread-safe.
 */
public interface PeerChannel {
    /** Sends one message; a failure, or no memory for it, ends the channel. */
    default void send(Message message) {
        send(message, sent -> {});
    }

    /** The same; {@code end} is notified once, on any thread, whether the message has left or never will. */
    void send(Message message, Consumer<Boolean> end);

    /**
     * Sends a region of a file, as it is.
     *
     * @param end is notified once, on any thread: of the reason why not all of it has left, or of nothing
     */
    void send(SourceRegion region, Consumer<Optional<Throwable>> end);

    /** Whether messages may still arrive and leave. */
    boolean isOpen();

    /** Whether to read what the peer sends; it waits until then. */
    void read(boolean isWanted);

    /** From now on {@code peer} pays for what is on its way here, or waits to leave. On the thread of the channel. */
    void charge(PeerMemory peer);

    /**
     * Runs {@code task} once, {@code nanos} from now, on the thread of the channel; what it throws ends the channel.
     */
    Timer after(long nanos, Runnable task);

    /** Ends the channel because of an error at this end, or a violation by the peer. */
    void fail(Throwable cause);

    /** Ends the channel after everything that was sent has left, or had 10 s to leave. */
    void close();

    /**
     * Why the channel has ended, if this end has ended it; {@link ErrorCode#PEER_LOST} else. On the thread of the
     * channel.
     */
    ErrorCode endCode();

    /** The address of the peer, without its port. */
    String address();

    /** The peer, which says that it is the node {@code id}, with the certificates that it has shown. */
    Peer peer(UUID id);

    /** Handles what a channel brings. Called on the thread of the channel. */
    interface Listener {
        void onMessage(PeerChannel channel, Message message);

        /**
         * What the peer has sent cannot be read, or handling it has failed: nothing more is read. Unless the listener
         * says why and closes the channel, it ends here.
         */
        default void onError(PeerChannel channel, Throwable cause) {
            channel.fail(cause);
        }

        /** The channel is over; called exactly once, last. */
        void onEnd(PeerChannel channel, String reason);
    }
}
