package io.sluice.bench;

import io.sluice.harness.content.TableFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.transfer.channel.ChannelInput;
import io.sluice.streaming.transfer.partial.PartialReader;
import io.sluice.streaming.transfer.partial.PartialWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Moves half of a table as rows, with either end replaced by a minimal one: a receiver that writes bytes to a file, or
 * a sender that sends recorded bytes by {@code transferTo}. One connection for each move. Not thread-safe.
 */
final class PartialBench implements TwoEnds {
    private static final int BUFFER_BYTES = 256 << 10;

    private final List<SSTable> sources;
    private final TokenRanges ranges;
    private final Path scratch;
    private final Path target;
    private final ServerSocketChannel server;
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    private PartialBench(List<SSTable> sources, TokenRanges ranges, Path scratch, ServerSocketChannel server)
            throws IOException {
        this.sources = sources;
        this.ranges = ranges;
        this.scratch = scratch;
        this.target = Files.createDirectory(scratch.resolve("received"));
        this.server = server;
    }

    static PartialBench start(String table) throws IOException {
        Path scratch = Scratch.directory();
        TableDirectory directory = PublishedTable.of(table, scratch);
        List<SSTable> sources = TableFiles.open(directory);
        var server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        PartialBench bench = new PartialBench(sources, PublishedTable.halves(directory), scratch, server);
        try (FileChannel record =
                FileChannel.open(bench.recorded(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (SSTable source : sources) {
                Optional<PartialWriter> writer = PartialWriter.of(source, bench.ranges);
                if (writer.isPresent()) {
                    writer.get().send(record);
                }
            }
        }
        return bench;
    }

    private Path recorded() {
        return scratch.resolve("recorded");
    }

    /** The measured sender finds the sections and sends them; returns uncompressed bytes. */
    long sendOnce() throws IOException, InterruptedException, ExecutionException {
        Future<Long> receiving = other.submit(this::receivePlainly);
        long bytes = 0;
        try (SocketChannel socket = SocketChannel.open(server.getLocalAddress())) {
            for (SSTable source : sources) {
                Optional<PartialWriter> writer = PartialWriter.of(source, ranges);
                if (writer.isPresent()) {
                    writer.get().send(socket);
                    bytes += writer.get().dataBytes();
                }
            }
        }
        receiving.get();
        return bytes;
    }

    private long receivePlainly() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        Path file = target.resolve("plain");
        long bytes = 0;
        try (SocketChannel socket = server.accept();
                FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            while (socket.read(buffer.clear()) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    bytes += out.write(buffer);
                }
            }
        }
        return bytes;
    }

    /** The measured receiver decodes all rows and writes SSTables durably; returns uncompressed bytes. */
    long receiveOnce() throws IOException, InterruptedException, ExecutionException {
        Future<Long> sending = other.submit(this::sendPlainly);
        long bytes = 0;
        int id = 1;
        try (SocketChannel socket = SocketChannel.open(server.getLocalAddress())) {
            ChannelInput in = new ChannelInput(socket);
            while (!in.isAtEnd()) {
                Descriptor name = new Descriptor(Version.NB, new SSTableId.Sequence(id++));
                Optional<SSTable> arrived =
                        new PartialReader(in, ranges).receive(new LocalFiles(), target, name, options -> options);
                bytes += arrived.map(SSTable::dataLengthBytes).orElse(0L);
            }
        }
        sending.get();
        return bytes;
    }

    private long sendPlainly() throws IOException {
        try (SocketChannel socket = server.accept();
                FileChannel file = FileChannel.open(recorded())) {
            long at = 0;
            while (at < file.size()) {
                at += file.transferTo(at, file.size() - at, socket);
            }
            return at;
        }
    }

    @Override
    public void removeArrived() throws IOException {
        Scratch.empty(target);
    }

    @Override
    public void close() throws IOException {
        server.close();
        other.shutdown();
        Scratch.delete(scratch);
    }
}
