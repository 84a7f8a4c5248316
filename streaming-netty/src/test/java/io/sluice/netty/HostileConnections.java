package io.sluice.netty;

import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Connections to a node that never complete a handshake, from as many loopback addresses as are wanted. One that the
 * node closes is made again at once, so that there are always as many. One thread for all.
 */
final class HostileConnections implements AutoCloseable {
    /** What such a connection sends. */
    enum Kind {
        /** Nothing. */
        SILENT,
        /** A byte a second. */
        DRIPPING,
        /** Random bytes, as many as are taken. */
        GARBAGE,
        /** The first half of a TLS ClientHello. */
        HALF_CLIENT_HELLO,
        /** The first half of a Sluice Hello: the header, and a piece of the body. */
        HALF_HELLO
    }

    private static final byte[] HALF_CLIENT_HELLO = clientHello(300);
    /** "SL", version 3, type 1, 200 bytes of body: the header's checksum is not right, and not looked at yet. */
    private static final byte[] HALF_HELLO = {0x53, 0x4c, 3, 1, 0, 0, 0};

    private final Selector selector = Selector.open();
    private final InetSocketAddress target;
    private final Kind[] kinds;
    private final AtomicLong made = new AtomicLong();
    private final AtomicInteger open = new AtomicInteger();
    private final Thread thread;
    private volatile boolean isClosing;
    private volatile @Nullable Throwable failure;

    private static final class Attacker {
        final Kind kind;
        final String from;
        long nextDripNanos;

        Attacker(Kind kind, String from) {
            this.kind = kind;
            this.from = from;
        }
    }

    /** Begins with {@code count} connections from {@code addresses} addresses; what they send goes in turn. */
    HostileConnections(Address target, int count, int addresses, Kind... kinds) throws IOException {
        this.target = new InetSocketAddress(target.host(), target.port());
        this.kinds = kinds.clone();
        this.thread = new Thread(() -> run(count, addresses), "hostile-connections");
        thread.start();
    }

    /** How many were made so far. */
    long made() {
        return made.get();
    }

    /** How many are open, as far as this end knows. */
    int open() {
        return open.get();
    }

    /** Why it has ended too soon, if it has. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    private void run(int count, int addresses) {
        try {
            for (int i = 0; i < count && !isClosing; i++) {
                int n = i % addresses;
                connect(new Attacker(kinds[i % kinds.length], "127.1." + n / 250 + "." + (1 + n % 250)));
                if (i % 16 == 0) {
                    serve(0);
                }
            }
            while (!isClosing) {
                serve(100);
            }
        } catch (IOException | RuntimeException e) {
            failure = e;
        } finally {
            closeAll();
        }
    }

    private void serve(long millis) throws IOException {
        if (millis == 0) {
            selector.selectNow();
        } else {
            selector.select(millis);
        }
        long now = System.nanoTime();
        for (SelectionKey key : List.copyOf(selector.keys())) {
            Attacker attacker = (Attacker) key.attachment();
            if (!key.isValid() || attacker == null) {
                continue;
            }
            boolean isOver = selector.selectedKeys().contains(key) && !attack(key, attacker);
            if (!isOver && attacker.kind == Kind.DRIPPING && now > attacker.nextDripNanos) {
                attacker.nextDripNanos = now + TimeUnit.SECONDS.toNanos(1);
                isOver = !write(key, new byte[] {0x53});
            }
            if (isOver) {
                key.attach(null);
                key.cancel();
                key.channel().close();
                open.decrementAndGet();
                connect(attacker);
            }
        }
        selector.selectedKeys().clear();
    }

    private void connect(Attacker attacker) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.bind(new InetSocketAddress(attacker.from, 0));
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_CONNECT, attacker);
        channel.connect(target);
        made.incrementAndGet();
        open.incrementAndGet();
    }

    /** Returns whether the connection goes on. */
    private boolean attack(SelectionKey key, Attacker attacker) {
        SocketChannel channel = (SocketChannel) key.channel();
        try {
            if (key.isConnectable()) {
                channel.finishConnect();
                key.interestOps(SelectionKey.OP_READ | (attacker.kind == Kind.GARBAGE ? SelectionKey.OP_WRITE : 0));
                return switch (attacker.kind) {
                    case SILENT, DRIPPING, GARBAGE -> true;
                    case HALF_CLIENT_HELLO -> write(key, HALF_CLIENT_HELLO);
                    case HALF_HELLO -> write(key, HALF_HELLO);
                };
            }
            if (key.isWritable()) {
                byte[] garbage = new byte[4 << 10];
                new Random(made.get()).nextBytes(garbage);
                channel.write(ByteBuffer.wrap(garbage));
            }
            return !key.isReadable() || channel.read(ByteBuffer.allocate(256)) >= 0;
        } catch (IOException e) {
            return false; // the node has reset it
        }
    }

    private static boolean write(SelectionKey key, byte[] bytes) {
        try {
            SocketChannel channel = (SocketChannel) key.channel();
            return !channel.isConnected() || channel.write(ByteBuffer.wrap(bytes)) >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    private void closeAll() {
        try {
            for (SelectionKey key : List.copyOf(selector.keys())) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            failure = e;
        }
    }

    /** A handshake record that announces {@code length} bytes, and has half of them. */
    private static byte[] clientHello(int length) {
        byte[] bytes = new byte[5 + length / 2];
        bytes[0] = 22;
        bytes[1] = 3;
        bytes[2] = 1;
        bytes[3] = (byte) (length >> 8);
        bytes[4] = (byte) length;
        bytes[5] = 1; // ClientHello
        bytes[7] = (byte) ((length - 4) >> 8);
        bytes[8] = (byte) (length - 4);
        bytes[9] = 3;
        bytes[10] = 3;
        return bytes;
    }

    @Override
    public void close() {
        isClosing = true;
        selector.wakeup();
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
