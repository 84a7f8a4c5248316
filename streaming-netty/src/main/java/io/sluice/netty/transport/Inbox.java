package io.sluice.netty.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one connection has said and nobody has listened to yet. A peer that talks faster than this node thinks is not
 * read from until it has caught up; so the thread that decides is never buried. Thread-safe.
 */
public final class Inbox {
    /** More than any session says at once; beyond it come only those messages that were read with the last ones. */
    public static final int MOST_MESSAGES = 1_000;

    private final Executor mailbox;
    private final AtomicInteger waiting = new AtomicInteger();

    /** @param mailbox runs what is posted, in order */
    public Inbox(Executor mailbox) {
        this.mailbox = mailbox;
    }

    /** Messages that wait. */
    public int waiting() {
        return waiting.get();
    }

    /** Has what {@code connection} said handled by {@code handler}. */
    public void post(Connection connection, Runnable handler) {
        if (waiting.incrementAndGet() == MOST_MESSAGES) {
            connection.channel().config().setAutoRead(false);
        }
        mailbox.execute(() -> {
            try {
                handler.run();
            } finally {
                if (waiting.decrementAndGet() == MOST_MESSAGES / 2) {
                    connection.channel().config().setAutoRead(true);
                }
            }
        });
    }
}
