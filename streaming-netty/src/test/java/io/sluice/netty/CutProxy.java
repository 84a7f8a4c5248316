package io.sluice.netty;

import io.sluice.streaming.ring.Address;
import io.sluice.tools.Relay;
import io.sluice.tools.Relay.Way;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.TreeMap;

/**
 * Stands between a receiver and its source, and ends one connection after so many bytes of one direction: once, then it
 * lets everything pass. Thread-safe.
 */
final class CutProxy implements AutoCloseable {
    /** @param isReset whether both ends are notified of a reset, not of an end */
    record Cut(Way way, long afterBytes, boolean isReset) {}

    private final Relay relay;

    // Guarded by this.
    private final Map<Way, Long> passed = new TreeMap<>();
    private Cut cut = new Cut(new Way(-1, false), 0, false);
    private int connectionsBefore;

    CutProxy(Address source) throws IOException {
        this.relay = Relay.start(new InetSocketAddress(source.host(), source.port()), this::pass);
    }

    Address address() {
        return new Address("127.0.0.1", relay.address().getPort());
    }

    /** Forgets all that has passed; of the connections from now on, one is cut: they count from 0 again. */
    synchronized void next(Cut wanted) {
        cut = wanted;
        connectionsBefore = relay.connections();
        passed.clear();
    }

    /** Bytes that have passed since {@link #next}. */
    synchronized Map<Way, Long> passed() {
        return new TreeMap<>(passed);
    }

    private void pass(Way way, Socket from, Socket to) throws IOException {
        Cut of = of(way);
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        byte[] buffer = new byte[8 << 10];
        for (long left = of.afterBytes(); left > 0; ) {
            int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                return;
            }
            out.write(buffer, 0, read);
            left -= read;
            count(way, read);
        }
        if (of.isReset()) {
            from.setSoLinger(true, 0);
            to.setSoLinger(true, 0);
        }
    }

    /** When and how this direction ends. */
    private synchronized Cut of(Way way) {
        return cut.way().equals(sinceNext(way)) ? cut : new Cut(way, Long.MAX_VALUE, false);
    }

    /** Negative for a connection of before. */
    private Way sinceNext(Way way) {
        return new Way(way.connection() - connectionsBefore, way.isToTarget());
    }

    private synchronized void count(Way way, int bytes) {
        if (way.connection() >= connectionsBefore) {
            passed.merge(sinceNext(way), (long) bytes, Long::sum);
        }
    }

    @Override
    public void close() throws IOException {
        relay.close();
    }
}
