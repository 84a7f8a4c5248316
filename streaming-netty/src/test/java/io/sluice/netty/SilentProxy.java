package io.sluice.netty;

import io.sluice.streaming.ring.Address;
import io.sluice.tools.Relay;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;

/**
 * Stands between a receiver and its source, and swallows what one connection carries from some byte on, one way or
 * both: neither end is notified, not even that the other one has hung up. Thread-safe.
 */
final class SilentProxy implements AutoCloseable {
    /** Which way nothing comes through. */
    enum Way {
        TO_SOURCE,
        TO_RECEIVER,
        BOTH
    }

    private final Relay relay;
    private final int victim;
    private final Way muted;
    private final CountDownLatch bothGone = new CountDownLatch(2);
    private final CountDownLatch closed = new CountDownLatch(1);

    // Guarded by this.
    private long leftBytes;

    /**
     * Nothing is swallowed before {@code leftBytes} have come to the receiver.
     *
     * @param victim which connection, in the order in which they are opened, from 0
     */
    SilentProxy(Address source, int victim, Way muted, long leftBytes) throws IOException {
        this.victim = victim;
        this.muted = muted;
        this.leftBytes = leftBytes;
        this.relay = Relay.start(new InetSocketAddress(source.host(), source.port()), this::pass);
    }

    Address address() {
        return new Address("127.0.0.1", relay.address().getPort());
    }

    /** From now on nothing comes through. */
    synchronized void mute() {
        leftBytes = 0;
    }

    /** Connections that were opened. */
    int connections() {
        return relay.connections();
    }

    /** Waits until both ends of the connection have hung up. */
    void awaitBothGone() throws InterruptedException {
        bothGone.await();
    }

    private void pass(Relay.Way direction, Socket from, Socket to) throws IOException, InterruptedException {
        boolean isVictim = direction.connection() == victim;
        Way way = direction.isToTarget() ? Way.TO_SOURCE : Way.TO_RECEIVER;
        try (from) {
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
                bothGone.countDown();
                if (isMuted(way, 0)) {
                    closed.await(); // or the relay would end the other way, too
                }
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
    public void close() throws IOException {
        closed.countDown();
        relay.close();
    }
}
