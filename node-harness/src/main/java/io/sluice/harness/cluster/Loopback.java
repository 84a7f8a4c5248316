package io.sluice.harness.cluster;

import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Addresses of this machine that only this machine reaches. Stateless. */
public final class Loopback {
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

    /** A port of {@code host} that nobody listens on now. */
    static int freePort(String host) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(host), 0));
            return socket.getLocalPort();
        }
    }
}
