package io.sluice.tools;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A TCP relay: connects each client of its port to a target; a {@link Rule} decides which bytes of each direction pass.
 * Thread-safe; owns its threads, two for each connection.
 */
public final class Relay implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Relay.class.getName());

    private final InetSocketAddress target;
    private final Rule rule;
    private final ServerSocket listening;

    // Guarded by this.
    private final List<Socket> sockets = new ArrayList<>();
    private int connections;
    private boolean isClosed;

    /**
     * One direction of a connection.
     *
     * @param connection in the order in which they are opened, from 0
     */
    public record Way(int connection, boolean isToTarget) implements Comparable<Way> {
        private static final Comparator<Way> ORDER =
                Comparator.comparingInt(Way::connection).thenComparing(Way::isToTarget);

        @Override
        public int compareTo(Way other) {
            return ORDER.compare(this, other);
        }
    }

    /** Decides what happens to the bytes. Called for all directions at once, each on its own thread. */
    @FunctionalInterface
    public interface Rule {
        /** Passes all bytes. */
        Rule PASS = (way, from, to) -> from.getInputStream().transferTo(to.getOutputStream());

        /**
         * Relays one direction; when it returns or fails, the connection ends in both directions.
         *
         * @throws InterruptedException never thrown by the relay; ends the connection as an error does
         */
        void pass(Way way, Socket from, Socket to) throws IOException, InterruptedException;

        /**
         * Called before the relay connects to the target for a client; other clients wait meanwhile.
         *
         * @throws InterruptedException never thrown by the relay; it accepts no more clients then
         */
        default void beforeConnecting() throws InterruptedException {}
    }

    private Relay(InetSocketAddress target, Rule rule, ServerSocket listening) {
        this.target = target;
        this.rule = rule;
        this.listening = listening;
    }

    /** Starts to relay from a free port of the loopback address. */
    public static Relay start(InetSocketAddress target, Rule rule) throws IOException {
        return start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), target, rule);
    }

    /** Starts to relay from {@code own}. */
    public static Relay start(InetSocketAddress own, InetSocketAddress target, Rule rule) throws IOException {
        ServerSocket listening = new ServerSocket();
        try {
            listening.bind(own);
        } catch (IOException e) {
            listening.close();
            throw e;
        }
        Relay relay = new Relay(target, rule, listening);
        relay.thread(relay::accept, "accept");
        return relay;
    }

    /** The address to connect to instead of the target. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** Number of connections so far. */
    public synchronized int connections() {
        return connections;
    }

    private void thread(Runnable work, String name) {
        Thread thread = new Thread(work, "relay-" + listening.getLocalPort() + "-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                relay(client, connectedFor(client));
            } catch (IOException e) {
                LOG.log(Level.DEBUG, "relay to " + target + ": " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Connects to the target; if that fails, the client's connection is closed. */
    private Socket connectedFor(Socket client) throws IOException, InterruptedException {
        try {
            rule.beforeConnecting();
            return new Socket(target.getAddress(), target.getPort());
        } catch (IOException | InterruptedException e) {
            client.close();
            throw e;
        }
    }

    private void relay(Socket client, Socket server) throws IOException {
        int number;
        synchronized (this) {
            if (isClosed) {
                client.close();
                server.close();
                return;
            }
            sockets.removeIf(Socket::isClosed);
            sockets.addAll(List.of(client, server));
            number = connections++;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        thread(() -> pass(new Way(number, true), client, server), number + "-out");
        thread(() -> pass(new Way(number, false), server, client), number + "-in");
    }

    private void pass(Way way, Socket from, Socket to) {
        try (from;
                to) {
            rule.pass(way, from, to);
        } catch (IOException end) {
            LOG.log(Level.DEBUG, "relay to " + target + ", connection " + way.connection() + ": " + end.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes all connections and accepts no more. */
    public synchronized void closeConnections() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            isClosed = true;
        }
        listening.close();
        closeConnections();
    }
}
