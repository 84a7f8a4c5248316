package io.sluice.interop;

import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.transfer.partial.PartialReader;
import io.sluice.streaming.transfer.partial.PartialWriter;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Our ways to move a part of one SSTable over a socket of loopback, durable at the end. Not thread-safe. */
final class SluiceStream implements AutoCloseable {
    private final TableRef table;
    private final SSTable sstable;
    private final Path live;
    private final Node source;
    private final StreamingNode sending;
    private final StreamingNode receiving;
    private final ServerSocketChannel server;
    private final ExecutorService sender = Executors.newSingleThreadExecutor();
    private int nextId = 1;

    private SluiceStream(TableDirectory directory, Path scratch) throws IOException {
        this.table = new TableRef(directory.id(), directory.keyspace(), directory.name());
        this.sstable = SSTable.open(directory.path(), directory.descriptors().get(0));
        this.live = Files.createDirectories(scratch.resolve("live"));
        this.source = node(1);
        StreamOptions options = StreamOptions.builder().connectionsPerHost(1).build(); // one socket, as the others have
        this.sending = StreamingNode.start(source, options, new Store(directory.path(), scratch.resolve("staging-1")));
        this.receiving = StreamingNode.start(node(2), options, new Store(live, scratch.resolve("staging-2")));
        this.server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Two nodes in this process, and a socket beside them; what arrives lies in {@code scratch}. */
    static SluiceStream open(TableDirectory directory, Path scratch) throws IOException {
        return new SluiceStream(directory, scratch);
    }

    private static Node node(int number) throws IOException {
        Address address = new Address("127.0.0.1", FreePort.onLoopback());
        return new Node(new UUID(number, number), "node" + number, address, List.of(new Token(number)));
    }

    /** Whole or as a slice, through a session: verified and installed. */
    long moveFiles(TokenRanges ranges) throws Exception {
        StreamRequest request = new StreamRequest(source, table, ranges);
        StreamPlan plan = new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request));
        PlanResult result = receiving.execute(plan).get();
        if (!result.isComplete()) {
            throw new IOException("not installed: " + result.tables());
        }
        return result.tables().get(0).bytes();
    }

    /** As rows: the codec that sessions use, straight from socket to SSTable. */
    long moveRows(TokenRanges ranges) throws Exception {
        Future<Long> sent = sender.submit(() -> {
            try (SocketChannel socket = SocketChannel.open(server.getLocalAddress())) {
                return PartialWriter.of(sstable, ranges).orElseThrow().send(socket);
            }
        });
        try (SocketChannel socket = server.accept()) {
            Descriptor name = new Descriptor(Version.NB, new SSTableId.Sequence(nextId++));
            Optional<SSTable> arrived =
                    new PartialReader(socket, ranges).receive(new LocalFiles(), live, name, options -> options);
            sent.get();
            return arrived.orElseThrow().dataLengthBytes();
        }
    }

    /** Throws away what has arrived. */
    void clear() throws IOException {
        try (Stream<Path> files = Files.list(live)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    @Override
    public void close() throws IOException {
        receiving.close();
        sending.close();
        server.close();
        sender.shutdown();
    }

    /** One table in one folder, which nobody else changes. */
    private final class Store implements TableStore {
        private final Path folder;
        private final Path staging;
        private final AtomicInteger ids = new AtomicInteger(1_000_000);

        Store(Path folder, Path staging) {
            this.folder = folder;
            this.staging = staging;
        }

        @Override
        public Optional<TableRef> table(UUID tableId) {
            return Optional.of(table).filter(known -> known.id().equals(tableId));
        }

        @Override
        public PinnedTable pin(UUID planId, TableRef wanted, TokenRanges ranges) {
            return new Pinned(table, List.of(sstable.path(Component.DATA)));
        }

        @Override
        public Path liveDirectory(TableRef wanted) {
            return folder;
        }

        @Override
        public Path stagingDirectory() {
            return staging;
        }

        @Override
        public String newId(TableRef wanted) {
            return String.valueOf(ids.incrementAndGet());
        }

        @Override
        public void activate(UUID installId, TableRef wanted, List<Path> dataFiles) {
            // The files lie in the folder: that is all a benchmark needs.
        }
    }

    private record Pinned(TableRef table, List<Path> sstables) implements PinnedTable {
        @Override
        public void close() {
            // Nothing was linked.
        }
    }
}
