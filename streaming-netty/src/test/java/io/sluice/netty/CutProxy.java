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
import java.util.Map;
import java.util.TreeMap;

/**
 * Stands between a receiver and its source, and ends one connection after so many bytes of one direction: once, then it
 * lets everything pass. Thread-safe.
 */
final class CutProxy implements AutoCloseable {
    /**
     * A direction of a connection.
     *
     * @param connection in the order in which they are opened, from 0
     */
    record Way(int connection, boolean isToSource) implements Comparable<Way> {
        @Override
        public int compareTo(Way other) {
            return connection != other.connection
                    ? Integer.compare(connection, other.connection)
                    : Boolean.compare(isToSource, other.isToSource);
        }
    }

    /** @param isReset whether both ends hear of a reset, not of an end */
    record Cut(Way way, long afterBytes, boolean isReset) {}

    private final ServerSocket listening;
    private final Address source;

    // Guarded by this.
    private final Map<Way, Long> passed = new TreeMap<>();
    private final List<Socket> sockets = new ArrayList<>();
    private Cut cut = new Cut(new Way(-1, false), 0, false);
    private int connections;
    private int sessions;

    CutProxy(Address source) throws IOException {
        this.source = source;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Pump.start(this::accept);
    }

    Address address() {
        return new Address("127.0.0.1", listening.getLocalPort());
    }

    /** Forgets all that has passed; of the connections from now on, one is cut. */
    synchronized void next(Cut wanted) {
        cut = wanted;
        connections = 0;
        sessions++;
        passed.clear();
    }

    /** Bytes that have passed since {@link #next}. */
    synchronized Map<Way, Long> passed() {
        return new TreeMap<>(passed);
    }

    private void accept() throws IOException {
        while (true) {
            Socket receiver = listening.accept();
            Socket sender = new Socket(source.host(), source.port());
            int number;
            int session;
            Cut of;
            synchronized (this) {
                sockets.removeIf(Socket::isClosed);
                sockets.add(receiver);
                sockets.add(sender);
                number = connections++;
                of = cut;
                session = sessions;
            }
            Pump.start(() -> pass(new Way(number, true), session, of, receiver, sender));
            Pump.start(() -> pass(new Way(number, false), session, of, sender, receiver));
        }
    }

    private void pass(Way way, int session, Cut of, Socket from, Socket to) throws IOException {
        boolean isReset = false;
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8 << 10];
            long left = of.way().equals(way) ? of.afterBytes() : Long.MAX_VALUE;
            while (left > 0) {
                int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (read < 0) {
                    return;
                }
                out.write(buffer, 0, read);
                left -= read;
                count(way, session, read);
            }
            isReset = of.isReset();
        } finally {
            for (Socket socket : new Socket[] {from, to}) {
                if (isReset) {
                    socket.setSoLinger(true, 0);
                }
                socket.close();
            }
        }
    }

    private synchronized void count(Way way, int session, int bytes) {
        if (session == sessions) { // not of a session before
            passed.merge(way, (long) bytes, Long::sum);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
