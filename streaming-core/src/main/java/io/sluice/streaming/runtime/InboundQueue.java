package io.sluice.streaming.runtime;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageMemory;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The received messages of one connection that wait for the loop, charged to the peer. If the queue is full, the
 * connection is not read until the loop has caught up, so that a peer cannot overload the loop. Thread-safe: the thread
 * of the connection posts, and the loop handles; after either has switched the reading it looks at the number again,
 * because the other may have switched it meanwhile.
 */
public final class InboundQueue {
    /**
     * More than any session sends at once; it is exceeded only by messages that were read together with the last one.
     */
    public static final int MOST_MESSAGES = 1_000;

    private static final int FEW_MESSAGES = MOST_MESSAGES / 2;

    private final Executor loop;
    private final PeerMemory memory;
    private final AtomicInteger waiting = new AtomicInteger();

    /** Handles a message, on the loop. */
    public interface Handler {
        /**
         * Handles a message for which {@code bytes} are charged to the peer.
         *
         * @return how many of these bytes stay charged, and are released by their user; the others are released here
         */
        long handle(long bytes);
    }

    /** @param loop runs posted tasks in order */
    public InboundQueue(Executor loop, PeerMemory memory) {
        this.loop = loop;
        this.memory = memory;
    }

    /** The number of queued messages. */
    public int waiting() {
        return waiting.get();
    }

    /**
     * Queues a message of {@code channel} for {@code handler}. On the thread of the channel.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if the peer's memory is exhausted
     */
    public void post(PeerChannel channel, Message message, Handler handler) {
        long bytes = MessageMemory.bytes(message);
        if (!memory.tryTake(bytes)) {
            throw new StreamException(ErrorCode.LIMIT, memory.shortage(bytes));
        }
        stopIfFull(channel);
        loop.execute(() -> {
            long kept = 0;
            try {
                kept = handler.handle(bytes);
            } finally {
                memory.release(bytes - kept);
                readOnIfCaughtUp(channel);
            }
        });
    }

    private void stopIfFull(PeerChannel channel) {
        if (waiting.incrementAndGet() == MOST_MESSAGES) {
            channel.read(false);
            // If the loop caught up before the line above, it has asked for more already, and does not ask again.
            if (waiting.get() <= FEW_MESSAGES) {
                channel.read(true);
            }
        }
    }

    private void readOnIfCaughtUp(PeerChannel channel) {
        if (waiting.decrementAndGet() == FEW_MESSAGES) {
            channel.read(true);
            // If the queue became full before the line above, the channel does not stop again by itself.
            if (waiting.get() >= MOST_MESSAGES) {
                channel.read(false);
            }
        }
    }
}
