package io.sluice.bench.compare;

import io.sluice.bench.mutation.DirectReader;
import io.sluice.bench.mutation.MemtableReader;
import io.sluice.bench.tablet.TabletReader;
import io.sluice.netty.transport.SocketBuffers;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.transfer.channel.ChannelInput;
import io.sluice.streaming.transfer.partial.PartialReader;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** Fetches ranges of a table in the modes that decode rows, into a folder beside the live one. Not thread-safe. */
final class RowReceiver {
    private static final long TENTH_OF_HEAP = Runtime.getRuntime().maxMemory() / 10;

    private final int port;
    private final TokenRanges ranges;
    private final Version version;
    private final WriterOptions options;
    private final Path staging;
    private final Path live;
    private final Executor flusher;
    private int nextId = 1;

    /** @param like an SSTable of the source: its version and options are the target's too */
    RowReceiver(int port, TokenRanges ranges, SSTable like, Path target, Executor flusher) throws IOException {
        this.port = port;
        this.ranges = ranges;
        this.version = like.descriptor().version() == Version.NB ? Version.NB : Version.OA;
        this.options = WriterOptions.like(like);
        this.staging = Files.createDirectory(target.resolve("rows"));
        this.live = target.resolve("live");
        this.flusher = flusher;
    }

    private Descriptor name() {
        return new Descriptor(version, new SSTableId.Sequence(nextId++));
    }

    /** Fetches everything; returns the bytes that went over the socket. */
    long fetch(Mode mode) throws IOException {
        try (SocketChannel socket = SocketChannel.open()) {
            new SocketTuning(SocketBuffers.defaultBytes(), "").applyTo(socket); // as nodes have
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            CountingChannel counted = new CountingChannel(socket);
            write(request(mode), counted);
            switch (mode) {
                case PARTIAL -> receiveParts(counted);
                case MEMTABLE -> new MemtableReader(counted, counted, ranges, target()).receive();
                case DIRECT, DIRECT_FIXED ->
                    new DirectReader(counted, counted, ranges).receive(staging, name(), options);
                case TABLET, TABLET_STRICT ->
                    new TabletReader(counted, counted, RowSender.SESSION)
                            .receive(staging, same -> new Descriptor(same, new SSTableId.Sequence(nextId++)));
                case FILES, FILES_SINGLE -> throw new IllegalArgumentException("files do not go this way");
            }
            install();
            if (mode == Mode.PARTIAL) {
                write(ByteBuffer.wrap(new byte[] {1}), counted);
            }
            return counted.bytes();
        }
    }

    private MemtableReader.Target target() {
        long memtable = Math.min(MemtableReader.DEFAULT_MEMTABLE_BYTES, TENTH_OF_HEAP);
        return new MemtableReader.Target(staging, this::name, options, memtable, flusher);
    }

    private void receiveParts(CountingChannel channel) throws IOException {
        ChannelInput in = new ChannelInput(channel);
        while (!in.isAtEnd()) {
            new PartialReader(in, ranges).receive(new LocalFiles(), staging, name(), any -> options);
        }
    }

    private ByteBuffer request(Mode mode) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.writeUTF(mode.name());
        List<TokenRange> list = ranges.ranges();
        out.writeInt(list.size());
        for (TokenRange range : list) {
            out.writeLong(range.start().value());
            out.writeLong(range.end().value());
        }
        return ByteBuffer.wrap(bytes.toByteArray());
    }

    private static void write(ByteBuffer bytes, CountingChannel to) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    /** All are durable already; they become live together, table of contents last. */
    private void install() throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(staging)) {
            all.sorted().forEach(files::add); // "TOC.txt" sorts behind the others of its SSTable
        }
        for (Path file : files) {
            Files.move(file, live.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
        }
        new LocalFiles().syncDirectory(staging);
        new LocalFiles().syncDirectory(live);
    }
}
