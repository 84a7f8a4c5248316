package io.sluice.bench;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Fetches a table, or some ranges of it, from a node into files: blocking calls, one connection, no checks. A minimal
 * peer of a sender.
 */
final class PlainReceiver {
    private static final int EXTENT_BYTES = 8 << 20;
    private static final int EXTENTS_AHEAD = 8;

    private final String clusterName;
    private final Node source;
    private final UUID tableId;
    private final TokenRanges ranges;
    private final Path directory;

    PlainReceiver(String clusterName, Node source, UUID tableId, TokenRanges ranges, Path directory) {
        this.ranges = ranges;
        this.clusterName = clusterName;
        this.source = source;
        this.tableId = tableId;
        this.directory = directory;
    }

    /** Fetches everything; returns the bytes of all components. */
    long fetchAll() throws IOException {
        UUID plan = UUID.randomUUID();
        UUID self = UUID.randomUUID();
        try (PlainPeer control = connect(plan, self, Message.Role.CONTROL)) {
            control.send(new Message.StreamInit(Operation.BULK_LOAD.code()));
            control.send(new Message.PrepareSyn(List.of(new Message.TableRequest(tableId, ranges)), true));
            List<SSTableOffer> offers = new ArrayList<>();
            Message.PrepareSynAck page;
            do {
                page = control.receive(Message.PrepareSynAck.class);
                offers.addAll(page.offers());
            } while (!page.last());
            control.send(new Message.PrepareAck());
            try (PlainPeer data = connect(plan, self, Message.Role.DATA)) {
                long bytes = fetch(data, offers);
                control.send(new Message.Installed(tableId));
                control.receive(Message.Complete.class);
                return bytes;
            }
        }
    }

    private PlainPeer connect(UUID plan, UUID self, Message.Role role) throws IOException {
        SocketChannel socket = SocketChannel.open(
                new InetSocketAddress(source.address().host(), source.address().port()));
        PlainPeer peer = new PlainPeer(socket);
        peer.send(new Message.Hello(
                Message.Cluster.named(clusterName), self, source.id(), role, plan, Message.SessionNumber.FIRST, 0));
        peer.receive(Message.Welcome.class);
        return peer;
    }

    private long fetch(PlainPeer data, List<SSTableOffer> offers) throws IOException {
        List<Extent> extents = new ArrayList<>();
        for (SSTableOffer offer : offers) {
            for (ComponentManifest manifest : offer.components()) {
                for (long at = 0; at < manifest.lengthBytes(); at += EXTENT_BYTES) {
                    int length = (int) Math.min(EXTENT_BYTES, manifest.lengthBytes() - at);
                    extents.add(new Extent(offer.number(), manifest.component(), at, length));
                }
            }
        }
        Map<Path, FileChannel> files = new HashMap<>();
        int asked = 0;
        long bytes = 0;
        for (int received = 0; received < extents.size(); received++) {
            int until = Math.min(extents.size(), received + EXTENTS_AHEAD);
            if (asked < until) {
                data.send(new Message.Fetch(extents.subList(asked, until)));
                asked = until;
            }
            Extent extent = data.receive(Message.Stream.class).extent();
            FileChannel file = open(files, extent.offer(), extent.component());
            data.receiveInto(file, extent.offset(), extent.lengthBytes());
            bytes += extent.lengthBytes();
        }
        for (FileChannel file : files.values()) {
            file.close();
        }
        return bytes;
    }

    /** Removes what has been fetched. */
    void removeFiles() throws IOException {
        Scratch.empty(directory);
    }

    private FileChannel open(Map<Path, FileChannel> files, int offer, Component component) throws IOException {
        Path path = directory.resolve(offer + "-" + component.fileName());
        FileChannel open = files.get(path);
        if (open == null) {
            open = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            files.put(path, open);
        }
        return open;
    }
}
