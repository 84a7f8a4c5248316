package io.sluice.harness.fault;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.streaming.ring.Address;
import io.sluice.tools.Relay;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A TCP proxy that can be cut: it then reads and forwards nothing, and nobody is notified, as with an unplugged cable.
 * Thread-safe; owns its threads.
 */
public final class FaultProxy implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;

    private final Relay relay;
    private final Gate gate;

    private FaultProxy(Relay relay, Gate gate) {
        this.relay = relay;
        this.gate = gate;
    }

    /** Starts to relay connections to {@link #address()}. */
    public static FaultProxy start(Address target) throws IOException {
        Gate gate = new Gate();
        return new FaultProxy(Relay.start(new InetSocketAddress(target.host(), target.port()), gate), gate);
    }

    /** The address to connect to instead of the target. */
    public Address address() {
        return new Address(
                relay.address().getAddress().getHostAddress(), relay.address().getPort());
    }

    /** Stops all traffic. */
    public void cut() {
        gate.set(true);
    }

    /** Resumes traffic, beginning with the bytes held back. */
    public void heal() {
        gate.set(false);
    }

    /** Holds connections, bytes and ends back while it is shut. */
    private static final class Gate implements Relay.Rule {
        @GuardedBy("this")
        private boolean isCut;

        synchronized void set(boolean cut) {
            isCut = cut;
            notifyAll();
        }

        @Override
        public void beforeConnecting() throws InterruptedException {
            awaitOpen();
        }

        private synchronized void awaitOpen() throws InterruptedException {
            while (isCut) {
                wait();
            }
        }

        @Override
        public void pass(Relay.Way way, Socket from, Socket to) throws IOException, InterruptedException {
            byte[] buffer = new byte[BUFFER_BYTES];
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            try {
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    awaitOpen();
                    out.write(buffer, 0, length);
                }
            } finally {
                awaitOpen(); // an end, too, would notify the other side
            }
        }
    }

    @Override
    public void close() throws IOException {
        relay.close();
        gate.set(false); // waiting threads find their connections closed
    }
}
