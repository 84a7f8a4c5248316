package io.sluice.bench;

import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves one table to any receiver, with blocking calls and {@code transferTo}. A minimal peer of a receiver. */
final class PlainSender implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(PlainSender.class);

    private final ServerSocketChannel server;
    private final UUID id;
    private final List<SSTableOffer> offers;
    private final Function<Extent, Path> fileOf;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<Path, FileChannel> files = new HashMap<>();

    /**
     * Listens on a free loopback port.
     *
     * @param fileOf the file that contains an extent
     */
    PlainSender(UUID id, List<SSTableOffer> offers, Function<Extent, Path> fileOf) throws IOException {
        this.id = id;
        this.offers = offers;
        this.fileOf = fileOf;
        this.server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        threads.execute(this::accept);
    }

    int port() throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private void accept() {
        try {
            while (server.isOpen()) {
                PlainPeer peer = new PlainPeer(server.accept());
                threads.execute(() -> serve(peer));
            }
        } catch (IOException e) {
            LOG.debug("stopped accepting connections: {}", e.toString());
        }
    }

    private void serve(PlainPeer peer) {
        try (peer) {
            Message.Hello hello = peer.receive(Message.Hello.class);
            peer.send(new Message.Welcome(id, 0));
            if (hello.role() == Message.Role.CONTROL) {
                control(peer);
            } else {
                data(peer);
            }
        } catch (EOFException e) {
            LOG.debug("receiver disconnected: {}", e.toString());
        } catch (IOException e) {
            LOG.warn("cannot serve a receiver: {}", e.toString());
        }
    }

    private void control(PlainPeer peer) throws IOException {
        while (true) {
            Message message = peer.receive();
            if (message instanceof Message.PrepareSyn) {
                peer.send(new Message.PrepareSynAck(offers, true));
            } else if (message instanceof Message.Installed) {
                peer.send(new Message.Complete());
            }
        }
    }

    private void data(PlainPeer peer) throws IOException {
        while (true) {
            Message.Fetch fetch = peer.receive(Message.Fetch.class);
            for (Extent extent : fetch.extents()) {
                peer.send(new Message.Stream(extent));
                peer.sendFrom(file(extent), extent.offset(), extent.lengthBytes());
            }
        }
    }

    private FileChannel file(Extent extent) throws IOException {
        synchronized (files) {
            Path path = fileOf.apply(extent);
            FileChannel file = files.get(path);
            if (file == null) {
                file = FileChannel.open(path, StandardOpenOption.READ);
                files.put(path, file);
            }
            return file;
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdown();
        synchronized (files) {
            for (FileChannel file : files.values()) {
                file.close();
            }
        }
    }
}
