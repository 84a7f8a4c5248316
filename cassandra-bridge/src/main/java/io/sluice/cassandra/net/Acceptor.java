package io.sluice.cassandra.net;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes connections of Cassandra nodes until it is closed, each on a thread of its own. Thread-safe: its list is
 * guarded by it.
 */
public final class Acceptor implements AutoCloseable {
    private static final int MOST_CONNECTIONS = 64;

    private final List<Thread> threads = new ArrayList<>();
    private @Nullable Channel listener;

    Acceptor() {}

    void listensOn(Channel channel) {
        listener = channel;
    }

    /** Starts the thread of a connection; refuses it if there are too many. */
    synchronized boolean start(Runnable connection) {
        threads.removeIf(thread -> !thread.isAlive());
        if (threads.size() >= MOST_CONNECTIONS) {
            return false;
        }
        Thread thread = new Thread(connection, "cassandra-receive-" + threads.size());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return true;
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        if (listener == null) {
            throw new IllegalStateException("acceptor: not bound");
        }
        return (InetSocketAddress) listener.localAddress();
    }

    /** Takes no more connections, and waits, 10 s at most for each, until those that it took have ended. */
    @Override
    public void close() {
        if (listener != null) {
            listener.close().awaitUninterruptibly();
        }
        List<Thread> all;
        synchronized (this) {
            all = List.copyOf(threads);
        }
        try {
            for (Thread thread : all) {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
