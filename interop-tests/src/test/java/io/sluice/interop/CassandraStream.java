package io.sluice.interop;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.streaming.CassandraIncomingFile;
import org.apache.cassandra.db.streaming.CassandraOutgoingFile;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.SSTableMultiWriter;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.net.AsyncStreamingInputPlus;
import org.apache.cassandra.net.AsyncStreamingOutputPlus;
import org.apache.cassandra.net.MessagingService;
import org.apache.cassandra.streaming.PreviewKind;
import org.apache.cassandra.streaming.StreamCoordinator;
import org.apache.cassandra.streaming.StreamOperation;
import org.apache.cassandra.streaming.StreamResultFuture;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.streaming.StreamSummary;
import org.apache.cassandra.streaming.async.NettyStreamingConnectionFactory;
import org.apache.cassandra.streaming.messages.StreamMessageHeader;
import org.apache.cassandra.utils.TimeUUID;

/**
 * Cassandra's own writer and reader of a stream, at the ends of a socket over loopback: what its sessions put on the
 * wire for one SSTable, and what they make of it. The socket has the buffers and the congestion control that ours have:
 * the defaults of this machine may cost a third of the rate. Not thread-safe.
 */
final class CassandraStream implements AutoCloseable {
    private static final InetAddressAndPort PEER =
            InetAddressAndPort.getByAddressOverrideDefaults(InetAddress.getLoopbackAddress(), 7000);

    private static final int BUFFER_BYTES = 4 << 20; // the kernel may allow less
    private static final byte[] CUBIC = "cubic".getBytes(StandardCharsets.US_ASCII);
    private static final RawUnixChannelOption TCP_CONGESTION =
            new RawUnixChannelOption("TCP_CONGESTION", 6, 13, CUBIC.length); // of IPPROTO_TCP in Linux

    private final EventLoopGroup sending = new EpollEventLoopGroup(1);
    private final EventLoopGroup receiving = new EpollEventLoopGroup(1);
    private final ExecutorService sender = Executors.newSingleThreadExecutor();
    private final ColumnFamilyStore store;
    private final Channel listening;
    private final Channel out;
    private final AsyncStreamingInputPlus in;
    private final Set<Path> arrived = new HashSet<>();

    private CassandraStream(ColumnFamilyStore store) throws Exception {
        this.store = store;
        CompletableFuture<AsyncStreamingInputPlus> arriving = new CompletableFuture<>();
        this.listening = new ServerBootstrap()
                .group(receiving)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_RCVBUF, BUFFER_BYTES) // what is accepted inherits it
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        var input = new AsyncStreamingInputPlus(channel);
                        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext context, Object bytes) {
                                input.append((ByteBuf) bytes);
                            }

                            @Override
                            public void channelInactive(ChannelHandlerContext context) {
                                input.requestClosure(); // closing it waits for this
                            }
                        });
                        arriving.complete(input);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        this.out = new Bootstrap()
                .group(sending)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.SO_SNDBUF, BUFFER_BYTES)
                .option(
                        TCP_CONGESTION,
                        ByteBuffer.allocateDirect(CUBIC.length).put(CUBIC).flip())
                .handler(new ChannelInboundHandlerAdapter())
                .connect(listening.localAddress())
                .sync()
                .channel();
        this.in = arriving.get();
    }

    /** Opens the socket. */
    static CassandraStream open(ColumnFamilyStore store) throws Exception {
        return new CassandraStream(store);
    }

    private StreamSession session(boolean isFollower, long bytes) {
        TimeUUID plan = TimeUUID.Generator.nextTimeUUID();
        var factory = new NettyStreamingConnectionFactory();
        var session = new StreamSession(
                StreamOperation.BOOTSTRAP,
                PEER,
                factory,
                null,
                MessagingService.current_version,
                isFollower,
                0,
                null,
                PreviewKind.NONE);
        var coordinator =
                new StreamCoordinator(StreamOperation.BOOTSTRAP, 1, factory, isFollower, false, null, PreviewKind.NONE);
        session.init(StreamResultFuture.createInitiator(plan, StreamOperation.BOOTSTRAP, List.of(), coordinator));
        session.prepareReceiving(new StreamSummary(store.metadata.id, 1, bytes));
        coordinator.addSessionInfo(session.getSessionInfo());
        return session;
    }

    /** Moves what {@code reader} holds of {@code ranges}; returns whether it went as files. */
    boolean move(SSTableReader reader, Collection<Range<Token>> ranges) throws Throwable {
        StreamSession source = session(false, reader.onDiskLength());
        StreamSession target = session(true, reader.onDiskLength());
        var outgoing = new CassandraOutgoingFile(
                StreamOperation.BOOTSTRAP,
                reader.ref(),
                reader.getPositionsForRanges(ranges),
                List.copyOf(ranges),
                reader.estimatedKeysForRanges(ranges));
        Future<?> sent = sender.submit(() -> {
            var output = new AsyncStreamingOutputPlus(out);
            outgoing.write(source, output, MessagingService.current_version);
            output.flush();
            return null;
        });
        var header = new StreamMessageHeader(store.metadata.id, PEER, target.planId(), false, 0, 0, 0, null);
        var incoming = new CassandraIncomingFile(store, target, header);
        incoming.read(in, MessagingService.current_version);
        SSTableMultiWriter written = incoming.getSSTable();
        for (SSTableReader copy : written.finish(true)) {
            arrived.add(Path.of(copy.getFilename()).getParent());
            copy.selfRef().release();
        }
        sent.get();
        outgoing.finish();
        return incoming.isEntireSSTable();
    }

    /** Throws away what has arrived. */
    void clear() throws IOException {
        for (Path folder : arrived) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
        arrived.clear();
    }

    @Override
    public void close() {
        out.close().syncUninterruptibly();
        in.close();
        listening.close().syncUninterruptibly();
        sending.shutdownGracefully();
        receiving.shutdownGracefully();
        sender.shutdown();
    }
}
