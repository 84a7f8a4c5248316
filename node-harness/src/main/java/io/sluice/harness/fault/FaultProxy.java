package io.sluice.harness.fault;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TCP proxy that can be cut: then it takes no byte and passes none on, and nobody is told, as when a cable is out.
 * Thread-safe; owns its threads.
 */
public final class FaultProxy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FaultProxy.class);
    private static final int BUFFER_BYTES = 64 << 10;

    private final Address target;
    private final ServerSocket listening;
    private final Object gate = new Object();

    @GuardedBy("gate")
    private boolean isCut;

    @GuardedBy("gate")
    private boolean isClosed;

    @GuardedBy("gate")
    private final List<Socket> sockets = new ArrayList<>();

    private FaultProxy(Address target, ServerSocket listening) {
        this.target = target;
        this.listening = listening;
    }

    /** Begins to pass on what comes to {@link #address()}. */
    public static FaultProxy start(Address target) throws IOException {
        FaultProxy proxy = new FaultProxy(target, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        thread(proxy::accept, "sluice-proxy-" + target.port());
        return proxy;
    }

    private static void thread(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Where to connect to in place of the target. */
    public Address address() {
        return new Address(listening.getInetAddress().getHostAddress(), listening.getLocalPort());
    }

    /** From now on nothing gets through. */
    public void cut() {
        synchronized (gate) {
            isCut = true;
        }
    }

    /** What was held back goes on its way, and all that comes after it. */
    public void heal() {
        synchronized (gate) {
            isCut = false;
            gate.notifyAll();
        }
    }

    private void accept() {
        while (true) {
            try {
                Socket client = keep(listening.accept());
                Socket server = keep(new Socket(target.host(), target.port()));
                thread(() -> pass(client, server), "sluice-proxy-out");
                thread(() -> pass(server, client), "sluice-proxy-in");
            } catch (IOException e) {
                synchronized (gate) {
                    if (isClosed) {
                        return;
                    }
                }
                LOG.info("the proxy of {} takes no connection now: {}", target, e.getMessage());
                closeAll();
            }
        }
    }

    private Socket keep(Socket socket) throws IOException {
        synchronized (gate) {
            if (isClosed) {
                socket.close();
                throw new IOException("the proxy is closed");
            }
            sockets.removeIf(Socket::isClosed);
            sockets.add(socket);
            return socket;
        }
    }

    /** One direction of one connection; its end is the end of both. */
    private void pass(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                awaitWhole();
                out.write(buffer, 0, length);
            }
        } catch (IOException e) {
            LOG.debug("a connection to {} ended: {}", target, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitWhole() throws InterruptedException {
        synchronized (gate) {
            while (isCut && !isClosed) {
                gate.wait();
            }
        }
    }

    private void closeAll() {
        List<Socket> open;
        synchronized (gate) {
            open = List.copyOf(sockets);
            sockets.clear();
        }
        for (Socket socket : open) {
            try {
                socket.close();
            } catch (IOException e) {
                LOG.debug("closing a connection to {}: {}", target, e.getMessage());
            }
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (gate) {
            isClosed = true;
            gate.notifyAll();
        }
        listening.close();
        closeAll();
    }
}
