package io.sluice.tools;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses ports for nodes that start later, at random below the ephemeral ports of systems. It is unlikely, though not
 * impossible, that another process binds the port before the node does. Stateless.
 */
public final class FreePort {
    private static final int LOWEST_PORT = 12_000;
    private static final int HIGHEST_PORT = 32_000;
    private static final int ATTEMPTS = 50;

    private FreePort() {}

    /** A port of 127.0.0.1 on which nobody listens now. */
    public static int onLoopback() throws IOException {
        return on("127.0.0.1");
    }

    /**
     * A port of {@code host} on which nobody listens now, 12,000 to 31,999.
     *
     * @throws IOException if the host is not an address of this machine, or 50 ports were taken
     */
    public static int on(String host) throws IOException {
        InetAddress address = InetAddress.getByName(host);
        IOException last = new IOException("no attempt was made");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(address, port));
                return port;
            } catch (IOException e) {
                last = e;
            }
        }
        throw new IOException("no free port on " + host + " in " + ATTEMPTS + " attempts", last);
    }
}
