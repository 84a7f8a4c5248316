package io.sluice.tools;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses ports for nodes that start later, at random below the ephemeral ports of systems. A chosen port is in
 * TIME_WAIT (RFC 9293, 3.3.2): for a minute on Linux no process chooses it again, and no node that binds with
 * SO_REUSEADDR, as those of the JDK and of netty do, is kept from it. Stateless.
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
            try {
                InetSocketAddress candidate = new InetSocketAddress(address, port);
                checkUntouched(candidate);
                reserve(candidate);
                return port;
            } catch (IOException e) {
                last = e;
            }
        }
        throw new IOException("no free port on " + host + " in " + ATTEMPTS + " attempts", last);
    }

    /** Without SO_REUSEADDR a port in TIME_WAIT can't be bound. */
    private static void checkUntouched(InetSocketAddress candidate) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(false);
            socket.bind(candidate);
        }
    }

    /** The end that closes a connection first stays in TIME_WAIT, and here that is the port's. */
    private static void reserve(InetSocketAddress candidate) throws IOException {
        try (ServerSocket listening = new ServerSocket()) {
            listening.setReuseAddress(true); // its connections inherit it, and would else keep the node out
            listening.bind(candidate, 1);
            try (Socket connecting = new Socket(candidate.getAddress(), candidate.getPort())) {
                listening.accept().close();
                connecting.getInputStream().read(); // until that end is closed
            }
        }
    }
}
