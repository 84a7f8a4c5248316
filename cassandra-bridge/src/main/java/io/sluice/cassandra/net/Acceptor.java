package io.sluice.cassandra.net;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes connections of Cassandra nodes until it is closed, each on a thread of its own. Thread-safe: its connections
 * are guarded by it.
 */
public final class Acceptor implements AutoCloseable {
    private static final int MOST_CONNECTIONS = 64;

    private final Map<Thread, Channel> connections = new HashMap<>();
    private @Nullable Channel listener;
    private boolean isClosing;

    Acceptor() {}

    void listensOn(Channel channel) {
        listener = channel;
    }

    /** Starts the thread of a connection; refuses it if there are too many. */
    synchronized boolean start(Channel channel, Runnable connection) {
        connections.keySet().removeIf(thread -> !thread.isAlive());
        if (isClosing || connections.size() >= MOST_CONNECTIONS) {
            return false;
        }
        Thread thread = new Thread(connection, "cassandra-receive-" + connections.size());
        thread.setDaemon(true);
        connections.put(thread, channel);
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

    /** Takes no more connections, ends those that it took, and waits for their threads, 10 s at most for each. */
    @Override
    public void close() {
        if (listener != null) {
            listener.close().awaitUninterruptibly();
        }
        Map<Thread, Channel> all;
        synchronized (this) {
            isClosing = true;
            all = Map.copyOf(connections);
        }
        all.values().forEach(channel -> {
            var unused = channel.close();
        });
        try {
            for (Thread thread : all.keySet()) {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
