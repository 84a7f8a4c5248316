package io.sluice.harness.cluster;

import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Addresses of this machine that only this machine reaches. Stateless. */
public final class Loopback {
    private static final int LOWEST_PORT = 12_000;
    private static final int HIGHEST_PORT = 32_000;
    private static final int ATTEMPTS = 50;

    private Loopback() {}

    /**
     * A free port on the {@code n}-th loopback address, 127.0.0.n; on 127.0.0.1 where the platform has only that one.
     *
     * @param n 1 to 254
     */
    public static Address freeAddress(int n) throws IOException {
        String own = "127.0.0." + n;
        try {
            return new Address(own, freePort(own));
        } catch (IOException e) {
            return new Address("127.0.0.1", freePort("127.0.0.1"));
        }
    }

    /**
     * A port of {@code host} that nobody listens on now, below those that systems give to outgoing connections: it is
     * still free when the node comes to bind it.
     */
    static int freePort(String host) throws IOException {
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
