package io.sluice.bench.transfer;

import io.sluice.streaming.ring.Address;
import io.sluice.tools.Relay;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A process in front of a node: what comes to its port goes on to the node's, and back, but later, as over a long
 * cable. It keeps order, and holds up to 64 MiB for each direction of a connection, so that it does not limit how much
 * is on its way. Ends when its standard input does.
 */
final class DelayProxy implements Relay.Rule {
    private static final int PIECE_BYTES = 64 << 10;
    private static final int MAX_PIECES = 1024;
    private static final ByteBuffer END = ByteBuffer.allocate(0);

    private final long delayNanos;

    private DelayProxy(long delayNanos) {
        this.delayNanos = delayNanos;
    }

    /** What was read, and when it may go on. */
    private record DelayedBytes(ByteBuffer bytes, long dueNanos) {}

    /** Arguments: address to listen on, address of the node, milliseconds each way. */
    public static void main(String[] arguments) throws IOException {
        Relay.Rule later = new DelayProxy(TimeUnit.MILLISECONDS.toNanos(Long.parseLong(arguments[2])));
        Relay relay = Relay.start(socketAddress(arguments[0]), socketAddress(arguments[1]), later);
        System.out.println("ready");
        System.in.transferTo(OutputStream.nullOutputStream());
        relay.close();
    }

    private static InetSocketAddress socketAddress(String text) {
        Address address = Address.parse(text);
        return new InetSocketAddress(address.host(), address.port());
    }

    @Override
    public void pass(Relay.Way way, Socket from, Socket to) throws InterruptedException {
        BlockingQueue<DelayedBytes> onItsWay = new ArrayBlockingQueue<>(MAX_PIECES);
        Thread writer = new Thread(() -> write(to, onItsWay), "delay");
        writer.setDaemon(true);
        writer.start();
        read(from, onItsWay);
        writer.join();
    }

    private void read(Socket from, BlockingQueue<DelayedBytes> onItsWay) throws InterruptedException {
        byte[] buffer = new byte[PIECE_BYTES];
        int length = 0;
        while (length >= 0) {
            try {
                InputStream in = from.getInputStream();
                length = in.read(buffer);
            } catch (IOException e) {
                length = -1; // the other end is notified of it as of any end
            }
            ByteBuffer bytes = length < 0 ? END : ByteBuffer.wrap(Arrays.copyOf(buffer, length));
            onItsWay.put(new DelayedBytes(bytes, System.nanoTime() + delayNanos));
        }
    }

    /** Goes on taking what comes after the connection broke, so that who reads need not wait. */
    private static void write(Socket to, BlockingQueue<DelayedBytes> onItsWay) {
        boolean isBroken = false;
        try {
            for (DelayedBytes piece = onItsWay.take(); piece.bytes().hasRemaining(); piece = onItsWay.take()) {
                if (!isBroken) {
                    TimeUnit.NANOSECONDS.sleep(piece.dueNanos() - System.nanoTime());
                    isBroken = !isWritten(piece, to);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isWritten(DelayedBytes piece, Socket to) {
        try {
            to.getOutputStream().write(piece.bytes().array());
            return true;
        } catch (IOException e) {
            System.err.println("delay: " + e.getMessage());
            return false;
        }
    }
}
