package io.sluice.streaming.runtime;

import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.transfer.block.DataReceiver;
import java.util.UUID;

/** Opens connections to peers. Thread-safe. */
public interface Network {
    /**
     * The purpose of a connection.
     *
     * @param role control or query
     */
    record Purpose(Message.Role role, UUID planId, Message.SessionNumber session) {}

    /** The result of a dial: one of the two methods is called, once, on any thread. */
    interface Answer {
        void connected(PeerChannel channel);

        void failed(StreamException reason);
    }

    /** Opens a channel, and hands it over to {@code listener} after the peer's welcome. */
    void dial(Node peer, Purpose purpose, PeerChannel.Listener listener, Answer answer);

    /**
     * Begins to open the data connection {@code number} of a session; {@code receiver} is notified of everything that
     * happens to it.
     *
     * @param session of role {@link Message.Role#DATA}
     * @throws OutOfMemoryError if the system cannot create a thread; then nothing was begun
     * @throws io.sluice.streaming.StreamException if the embedder's factory returns no thread; then nothing was begun
     */
    DataChannel fetchFrom(Node peer, Purpose session, int number, DataReceiver receiver);
}
