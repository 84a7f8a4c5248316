package io.sluice.bench.transfer;

import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
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
final class DelayProxy {
    private static final int PIECE_BYTES = 64 << 10;
    private static final int MAX_PIECES = 1024;
    private static final ByteBuffer END = ByteBuffer.allocate(0);

    private final Address target;
    private final long delayNanos;

    private DelayProxy(Address target, long delayNanos) {
        this.target = target;
        this.delayNanos = delayNanos;
    }

    /** What was read, and when it may go on. */
    private record Piece(ByteBuffer bytes, long dueNanos) {}

    /** Arguments: address to listen on, address of the node, milliseconds each way. */
    public static void main(String[] arguments) throws IOException {
        Address own = Address.parse(arguments[0]);
        DelayProxy proxy = new DelayProxy(
                Address.parse(arguments[1]), TimeUnit.MILLISECONDS.toNanos(Long.parseLong(arguments[2])));
        try (ServerSocket listening = new ServerSocket()) {
            listening.bind(new InetSocketAddress(own.host(), own.port()));
            thread(() -> proxy.accept(listening));
            System.out.println("ready");
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static void thread(Runnable work) {
        Thread thread = new Thread(work, "delay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept(ServerSocket listening) {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket server = new Socket(target.host(), target.port());
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                pass(client, server);
                pass(server, client);
            }
        } catch (IOException e) {
            System.err.println("delay: " + e.getMessage());
        }
    }

    private void pass(Socket from, Socket to) {
        BlockingQueue<Piece> onItsWay = new ArrayBlockingQueue<>(MAX_PIECES);
        thread(() -> read(from, onItsWay));
        thread(() -> write(to, onItsWay));
    }

    private void read(Socket from, BlockingQueue<Piece> onItsWay) {
        try {
            byte[] buffer = new byte[PIECE_BYTES];
            int length = 0;
            while (length >= 0) {
                try {
                    InputStream in = from.getInputStream();
                    length = in.read(buffer);
                } catch (IOException e) {
                    length = -1; // the other end hears of it as of any end
                }
                ByteBuffer bytes = length < 0 ? END : ByteBuffer.wrap(Arrays.copyOf(buffer, length));
                onItsWay.put(new Piece(bytes, System.nanoTime() + delayNanos));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Goes on taking what comes after the connection broke, so that who reads need not wait. */
    private void write(Socket to, BlockingQueue<Piece> onItsWay) {
        try (to) {
            OutputStream out = to.getOutputStream();
            for (Piece piece = onItsWay.take(); piece.bytes().hasRemaining(); piece = onItsWay.take()) {
                TimeUnit.NANOSECONDS.sleep(piece.dueNanos() - System.nanoTime());
                out.write(piece.bytes().array());
            }
        } catch (IOException e) {
            System.err.println("delay: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
