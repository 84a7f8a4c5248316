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
 * One connection to a peer, after its handshake: messages and file regions are sent in order. It has its own thread, on
 * which its {@link Listener} is called. Thread-safe.
 */
public interface PeerChannel {
    /** Sends one message; a failure, or a lack of memory, ends the channel. */
    default void send(Message message) {
        send(message, sent -> {});
    }

    /** Sends one message; {@code end} is called once, on any thread, with whether the message was sent. */
    void send(Message message, Consumer<Boolean> end);

    /**
     * Sends a region of a file unchanged.
     *
     * @param end called once, on any thread: with the failure, or with empty if the whole region was sent
     */
    void send(SourceRegion region, Consumer<Optional<Throwable>> end);

    /** Whether messages can still be received and sent. */
    boolean isOpen();

    /** Starts or stops reading from the peer, which waits meanwhile. */
    void read(boolean isWanted);

    /** From now on messages in flight in both directions are charged to {@code peer}. On the thread of the channel. */
    void charge(PeerMemory peer);

    /**
     * Runs {@code task} once, {@code nanos} from now, on the thread of the channel; an exception of the task ends the
     * channel.
     */
    Timer after(long nanos, Runnable task);

    /** Ends the channel because of an error at this end, or a violation by the peer. */
    void fail(Throwable cause);

    /**
     * Ends the channel after all queued messages are sent, but within 10 s, and after the peer has closed it, too, but
     * within 2 s; what the peer sends meanwhile is thrown away.
     */
    void close();

    /** Why this end closed the channel; {@link ErrorCode#PEER_LOST} if the peer did. On the thread of the channel. */
    ErrorCode endCode();

    /** The address of the peer, without its port. */
    String address();

    /** The peer, which claims to be the node {@code id}, with its certificates. */
    Peer peer(UUID id);

    /** Handles the events of a channel. Called on the thread of the channel. */
    interface Listener {
        void onMessage(PeerChannel channel, Message message);

        /**
         * A received message cannot be decoded, or handling it has failed: nothing more is read. By default this ends
         * the channel.
         */
        default void onError(PeerChannel channel, Throwable cause) {
            channel.fail(cause);
        }

        /** The channel is over; called exactly once, last. */
        void onEnd(PeerChannel channel, String reason);
    }
}
