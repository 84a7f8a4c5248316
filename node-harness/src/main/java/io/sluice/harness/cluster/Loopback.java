package io.sluice.harness.cluster;

import io.sluice.streaming.ring.Address;
import io.sluice.tools.FreePort;
import java.io.IOException;

/** Addresses that only this machine can reach. Stateless. */
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
            return new Address(own, FreePort.on(own));
        } catch (IOException e) {
            return new Address("127.0.0.1", FreePort.onLoopback());
        }
    }
}
