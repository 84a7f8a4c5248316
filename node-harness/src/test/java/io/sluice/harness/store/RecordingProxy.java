package io.sluice.harness.store;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Stands between two nodes that speak plain text, and keeps all that they say to each other but for the bytes of files.
 * Thread-safe; its threads end with the connections.
 */
final class RecordingProxy implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    /** Guarded by itself, as all below. */
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    private final List<Socket> open = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private long fileBytes;

    /** @param target a port of this machine */
    RecordingProxy(int target) throws IOException {
        this.target = target;
        begin(this::accept);
    }

    int port() {
        return listening.getLocalPort();
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

    private interface Work {
        void run() throws IOException;
    }

    private void begin(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (EOFException | SocketException end) {
                // of the connection: the other direction ends, too
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        synchronized (said) {
            threads.add(thread);
        }
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            synchronized (said) {
                open.addAll(List.of(client, server));
            }
            begin(() -> pass(client, server));
            begin(() -> pass(server, client));
        }
    }

    private void pass(Socket from, Socket to) throws IOException {
        try (from;
                to) {
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
    }

    @Override
    public void close() throws IOException {
        listening.close();
        List<Thread> all;
        synchronized (said) {
            for (Socket socket : open) {
                socket.close();
            }
            all = List.copyOf(threads);
        }
        try {
            for (Thread thread : all) {
                thread.join(5_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
