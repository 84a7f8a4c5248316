package io.sluice.netty;

import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.ring.Address;
import io.sluice.tools.Relay;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiFunction;

/**
 * Stands between a receiver and its source: real sockets, and a network that does what a script says to each extent.
 * Thread-safe.
 */
final class FaultProxy implements AutoCloseable {
    /** What becomes of an extent. */
    enum Fault {
        NONE,
        /** A byte in the middle is changed. */
        FLIP,
        /** The connection ends in the middle. */
        CUT,
        /** Nothing passes from the middle on, and nobody is notified. */
        HOLD
    }

    private final Relay relay;
    private final BiFunction<Extent, Integer, Fault> script;
    private final Map<Extent, Integer> passed = new ConcurrentHashMap<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    /** Of each connection: what its first message says that it is for. */
    private final Map<Integer, CompletableFuture<Message.Role>> roles = new ConcurrentHashMap<>();

    /** @param script what becomes of an extent that passes for the n-th time, from 1 */
    FaultProxy(Address source, BiFunction<Extent, Integer, Fault> script) throws IOException {
        this.script = script;
        this.relay = Relay.start(new InetSocketAddress(source.host(), source.port()), this::pass);
    }

    Address address() {
        return new Address("127.0.0.1", relay.address().getPort());
    }

    /** Waits until something is held. */
    void awaitHeld() throws InterruptedException {
        held.await();
    }

    /** How often each extent has begun to travel. */
    Map<Extent, Integer> passed() {
        return passed;
    }

    private void pass(Relay.Way way, Socket from, Socket to) throws IOException, InterruptedException {
        CompletableFuture<Message.Role> role =
                roles.computeIfAbsent(way.connection(), connection -> new CompletableFuture<>());
        DataInputStream in = new DataInputStream(from.getInputStream());
        if (way.isToTarget()) {
            try {
                byte[] hello = frame(in);
                to.getOutputStream().write(hello);
                role.complete(((Message.Hello) MessageCodec.decode(ByteBuffer.wrap(hello))).role());
            } finally {
                role.complete(Message.Role.CONTROL); // of a connection that has ended before
            }
        }
        if (!way.isToTarget() && role.join() == Message.Role.DATA) {
            passExtents(in, to.getOutputStream());
        } else {
            in.transferTo(to.getOutputStream());
        }
    }

    private static byte[] frame(DataInputStream in) throws IOException {
        byte[] header = in.readNBytes(MessageCodec.HEADER_LENGTH_BYTES);
        if (header.length < MessageCodec.HEADER_LENGTH_BYTES) {
            throw new IOException("the end");
        }
        byte[] frame = new byte[MessageCodec.frameLength(ByteBuffer.wrap(header))];
        System.arraycopy(header, 0, frame, 0, header.length);
        in.readFully(frame, header.length, frame.length - header.length);
        return frame;
    }

    /** Frames, each of which may announce bytes. */
    private void passExtents(DataInputStream in, OutputStream out) throws IOException, InterruptedException {
        while (true) {
            byte[] frame = frame(in);
            out.write(frame);
            if (MessageCodec.decode(ByteBuffer.wrap(frame)) instanceof Message.Stream stream) {
                Extent extent = stream.extent();
                Fault fault = script.apply(extent, passed.merge(extent, 1, Integer::sum));
                int half = extent.lengthBytes() / 2;
                copy(in, out, half);
                if (fault == Fault.CUT) {
                    return;
                }
                if (fault == Fault.HOLD) {
                    held.countDown();
                    closed.await();
                    return;
                }
                int next = in.read();
                out.write(fault == Fault.FLIP ? next ^ 1 : next);
                copy(in, out, extent.lengthBytes() - half - 1);
            }
        }
    }

    private static void copy(InputStream in, OutputStream out, int bytes) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int left = bytes; left > 0; ) {
            int read = in.read(buffer, 0, Math.min(buffer.length, left));
            if (read < 0) {
                throw new IOException("the end");
            }
            out.write(buffer, 0, read);
            left -= read;
        }
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        relay.close();
    }
}
