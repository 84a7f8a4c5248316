package io.sluice.harness.store;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.tools.Relay;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/**
 * Stands between two nodes that speak plain text, and keeps all that they say to each other but for the bytes of files.
 * Thread-safe.
 */
final class RecordingProxy implements AutoCloseable {
    private final Relay relay;
    /** Guarded by itself, as what follows. */
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    private long fileBytes;

    /** @param target a port of this machine */
    RecordingProxy(int target) throws IOException {
        relay = Relay.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), target), this::pass);
    }

    int port() {
        return relay.address().getPort();
    }

    /** Every frame of both directions. */
    byte[] said() {
        synchronized (said) {
            return said.toByteArray();
        }
    }

    /** How many bytes of files were left out. */
    long fileBytes() {
        synchronized (said) {
            return fileBytes;
        }
    }

    private void pass(Relay.Way way, Socket from, Socket to) throws IOException {
        DataInputStream in = new DataInputStream(from.getInputStream());
        while (true) {
            byte[] header = in.readNBytes(MessageCodec.HEADER_LENGTH_BYTES);
            if (header.length < MessageCodec.HEADER_LENGTH_BYTES) {
                return;
            }
            int length = MessageCodec.frameLength(ByteBuffer.wrap(header));
            byte[] frame = ByteBuffer.allocate(length).put(header).array();
            in.readFully(frame, header.length, length - header.length);
            synchronized (said) {
                said.write(frame);
            }
            to.getOutputStream().write(frame);
            if (MessageCodec.decode(ByteBuffer.wrap(frame)) instanceof Message.Stream stream) {
                byte[] file = new byte[stream.extent().lengthBytes()];
                in.readFully(file);
                synchronized (said) {
                    fileBytes += file.length;
                }
                to.getOutputStream().write(file);
            }
        }
    }

    @Override
    public void close() throws IOException {
        relay.close();
    }
}
