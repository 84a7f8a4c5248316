package io.sluice.netty;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.block.OpenedTable;
import io.sluice.streaming.transfer.block.WholeSSTables;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.zip.CRC32;

/**
 * A source that has real SSTables and knows the protocol, but says whatever a {@link Lie} makes of what an honest one
 * would say. Thread-safe.
 */
final class HostileSource implements AutoCloseable {
    private static final int SIGN_MILLIS = 200;

    /** What is said, and sent, instead. */
    interface Lie {
        /** Says something instead of {@code honest}: that, nothing, or much. */
        void say(Message honest, Line line) throws IOException;

        /** What is sent as the bytes of an extent. */
        default byte[] bytes(Extent extent, byte[] honest) {
            return honest;
        }
    }

    private final UUID id = UUID.randomUUID();
    private final ServerSocket listening;
    private final DirectoryStore store;
    private volatile Lie lie = (honest, line) -> line.send(honest);

    // Guarded by this.
    private final List<Socket> sockets = new ArrayList<>();
    private List<SSTableOffer> offered = List.of();
    private List<SSTable> files = List.of();

    HostileSource(DirectoryStore store) throws IOException {
        this.store = store;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Pump.start(this::accept);
    }

    Node node() {
        return new Node(id, "hostile", new Address("127.0.0.1", listening.getLocalPort()), List.of());
    }

    /** From now on it lies like this; connections of the lie before are closed. */
    synchronized void tell(Lie next) throws IOException {
        lie = next;
        closeAll();
    }

    private void accept() throws IOException {
        while (true) {
            Socket socket = listening.accept();
            synchronized (this) {
                sockets.removeIf(Socket::isClosed);
                sockets.add(socket);
            }
            Pump.start(() -> serve(socket));
        }
    }

    private void serve(Socket socket) throws IOException {
        try (Line line = new Line(socket)) {
            Message.Hello hello = line.read(Message.Hello.class);
            lie.say(new Message.Welcome(id, 0), line);
            if (hello.role() == Message.Role.CONTROL) {
                control(line);
            } else if (hello.role() == Message.Role.DATA) {
                data(line);
            } else {
                line.read(Message.SpansQuery.class);
                lie.say(new Message.Spans(List.of(), true), line);
            }
        } catch (StreamException e) {
            // what the other end says is as an honest source would find it: it ends the connection
        }
    }

    private void control(Line line) throws IOException {
        Set<UUID> open = new HashSet<>();
        List<Message.TableRequest> requests = new ArrayList<>();
        boolean isLast = false;
        while (!isLast) {
            Message.PrepareSyn page = line.read(Message.PrepareSyn.class);
            requests.addAll(page.requests());
            isLast = page.last();
        }
        for (Message.TableRequest request : requests) {
            open.add(request.tableId());
        }
        lie.say(new Message.PrepareSynAck(pin(requests), true), line);
        while (!open.isEmpty()) {
            Optional<Message> heard = line.poll(SIGN_MILLIS);
            if (heard.isEmpty()) {
                lie.say(new Message.KeepAlive(new Message.Doing("a fetch", 0, 0, 0, 0), 0), line);
            } else if (heard.get() instanceof Message.Installed installed) {
                open.remove(installed.tableId());
            } else if (heard.get() instanceof Message.Released released) {
                open.remove(released.tableId());
            } else if (heard.get() instanceof Message.CheckFile check) {
                lie.say(sums(check), line);
            } else if (heard.get() instanceof Message.SessionFailed) {
                return;
            }
        }
        lie.say(new Message.Complete(), line);
        line.awaitEnd();
    }

    private List<SSTableOffer> pin(List<Message.TableRequest> requests) throws IOException {
        List<SSTableOffer> offers = new ArrayList<>();
        List<SSTable> sstables = new ArrayList<>();
        for (Message.TableRequest request : requests) {
            TableRef table = store.table(request.tableId()).orElseThrow();
            try (PinnedTable pinned = store.pin(id, table, TokenRanges.FULL)) {
                OpenedTable opened = new OpenedTable(pinned);
                offers.addAll(WholeSSTables.offers(opened, TokenRanges.FULL, offers.size()));
                sstables.addAll(opened.sstables(helper -> {}, () -> {}));
            }
        }
        synchronized (this) {
            offered = offers;
            files = sstables;
        }
        return offers;
    }

    private void data(Line line) throws IOException {
        while (true) {
            for (Extent extent : line.read(Message.Fetch.class).extents()) {
                lie.say(new Message.Stream(extent), line);
                line.send(lie.bytes(extent, bytes(extent)));
            }
        }
    }

    private Message.FileSums sums(Message.CheckFile check) throws IOException {
        List<Integer> sums = new ArrayList<>();
        long length = lengthBytes(check.offer(), check.component());
        for (long at = 0; at < length; at += check.extentLengthBytes()) {
            int bytes = (int) Math.min(check.extentLengthBytes(), length - at);
            CRC32 crc = new CRC32();
            crc.update(bytes(new Extent(check.offer(), check.component(), at, bytes)));
            sums.add((int) crc.getValue());
        }
        return new Message.FileSums(check.offer(), check.component(), 0, sums, true);
    }

    private synchronized long lengthBytes(int offer, Component component) {
        return offer >= offered.size()
                ? 0
                : offered.get(offer)
                        .manifest(component)
                        .map(ComponentManifest::lengthBytes)
                        .orElse(0L);
    }

    /** As many as are asked for; zeros where the file has none, or there is no such file. */
    private byte[] bytes(Extent extent) throws IOException {
        Path file;
        synchronized (this) {
            SSTable sstable = files.get(extent.offer() % files.size());
            boolean isThere = sstable.components().contains(extent.component());
            file = sstable.path(isThere ? extent.component() : Component.DATA);
        }
        ByteBuffer bytes = ByteBuffer.allocate(extent.lengthBytes());
        try (FileChannel channel = FileChannel.open(file)) {
            int read = 0;
            while (read >= 0 && bytes.hasRemaining()) {
                read = channel.read(bytes, extent.offset() + bytes.position());
            }
        }
        return bytes.array();
    }

    private synchronized void closeAll() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        closeAll();
    }
}
