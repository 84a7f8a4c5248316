package io.sluice.streaming.runtime;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageMemory;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The messages of one connection that were read and not handled yet. The peer pays for each until it is handled. A peer
 * that sends faster than this node handles is not read from until it has caught up; so the thread that decides is never
 * buried. Thread-safe.
 */
public final class InboundQueue {
    /** More than any session says at once; beyond it come only those messages that were read with the last ones. */
    public static final int MOST_MESSAGES = 1_000;

    private final Executor loop;
    private final PeerMemory memory;
    private final AtomicInteger waiting = new AtomicInteger();

    /** Handles a message, on the loop. */
    public interface Handler {
        /**
         * Handles a message that the peer has paid {@code bytes} for.
         *
         * @return how many of them are kept, and released by whom they serve; the others are released here
         */
        long handle(long bytes);
    }

    /** @param loop runs what is posted, in order */
    public InboundQueue(Executor loop, PeerMemory memory) {
        this.loop = loop;
        this.memory = memory;
    }

    /** Messages that wait. */
    public int waiting() {
        return waiting.get();
    }

    /**
     * Has a message of {@code channel} handled.
     *
     * @throws StreamException of code {@link ErrorCode#LIMIT} if the peer has no memory left for it
     */
    public void post(PeerChannel channel, Message message, Handler handler) {
        long bytes = MessageMemory.bytes(message);
        if (!memory.tryTake(bytes)) {
            throw new StreamException(ErrorCode.LIMIT, memory.shortage(bytes));
        }
        if (waiting.incrementAndGet() == MOST_MESSAGES) {
            channel.read(false);
        }
        loop.execute(() -> {
            long kept = 0;
            try {
                kept = handler.handle(bytes);
            } finally {
                memory.release(bytes - kept);
                if (waiting.decrementAndGet() == MOST_MESSAGES / 2) {
                    channel.read(true);
                }
            }
        });
    }
}
