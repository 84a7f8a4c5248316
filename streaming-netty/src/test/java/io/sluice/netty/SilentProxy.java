package io.sluice.netty;

import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Stands between a receiver and its source, and swallows what one connection carries from some byte on, one way or
 * both: neither end is told, not even that the other one has hung up. Thread-safe.
 */
final class SilentProxy implements AutoCloseable {
    /** Which way nothing comes through. */
    enum Way {
        TO_SOURCE,
        TO_RECEIVER,
        BOTH
    }

    private final ServerSocket listening;
    private final Address source;
    private final int victim;
    private final Way muted;
    private final CountDownLatch receiverGone = new CountDownLatch(1);
    private final CountDownLatch sourceGone = new CountDownLatch(1);

    // Guarded by this.
    private final List<Socket> sockets = new ArrayList<>();
    private long leftBytes;
    private int connections;

    /**
     * Nothing is swallowed before {@code leftBytes} have come to the receiver.
     *
     * @param victim which connection, in the order in which they are opened, from 0
     */
    SilentProxy(Address source, int victim, Way muted, long leftBytes) throws IOException {
        this.source = source;
        this.victim = victim;
        this.muted = muted;
        this.leftBytes = leftBytes;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Pump.start(this::accept);
    }

    Address address() {
        return new Address("127.0.0.1", listening.getLocalPort());
    }

    /** From now on nothing comes through. */
    synchronized void mute() {
        leftBytes = 0;
    }

    /** Connections that were opened. */
    synchronized int connections() {
        return connections;
    }

    /** Waits until both ends of the connection have hung up. */
    void awaitBothGone() throws InterruptedException {
        receiverGone.await();
        sourceGone.await();
    }

    private void accept() throws IOException {
        while (true) {
            Socket receiver = listening.accept();
            Socket sender = new Socket(source.host(), source.port());
            boolean isVictim;
            synchronized (this) {
                sockets.add(receiver);
                sockets.add(sender);
                isVictim = connections++ == victim;
            }
            Pump.start(() -> pass(isVictim, Way.TO_SOURCE, receiver, sender, receiverGone));
            Pump.start(() -> pass(isVictim, Way.TO_RECEIVER, sender, receiver, sourceGone));
        }
    }

    private void pass(boolean isVictim, Way way, Socket from, Socket to, CountDownLatch gone) throws IOException {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8 << 10];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!isVictim || !isMuted(way, read)) {
                    out.write(buffer, 0, read);
                }
            }
        } finally {
            if (isVictim) {
                gone.countDown();
            }
            from.close();
            if (!isVictim || !isMuted(way, 0)) {
                to.close();
            }
        }
    }

    private synchronized boolean isMuted(Way way, int bytes) {
        boolean isOver = leftBytes <= 0;
        if (way == Way.TO_RECEIVER) {
            leftBytes -= bytes;
        }
        return isOver && (muted == way || muted == Way.BOTH);
    }

    @Override
    public synchronized void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
