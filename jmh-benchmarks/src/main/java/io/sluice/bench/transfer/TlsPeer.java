package io.sluice.bench.transfer;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.sluice.netty.security.Tls;
import io.sluice.netty.transport.SocketTuning;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * What the TLS library alone does over a socket: bytes from memory, encrypted, sent, decrypted, thrown away; no file,
 * no checksum; over several connections, each with a thread of its own. Linux only. Thread-safe.
 */
final class TlsPeer implements AutoCloseable {
    private static final int PIECE_BYTES = 128 << 10;
    private static final int RECEIVE_BYTES = 4 << 20;

    private static final SocketTuning TUNING = new SocketTuning(RECEIVE_BYTES, "");

    private final Tls tls;
    private final int connections;
    private final EventLoopGroup loops;

    /** @param connections 1 to 32 */
    TlsPeer(Tls tls, int connections) {
        this.tls = tls;
        this.connections = connections;
        this.loops = new MultiThreadIoEventLoopGroup(connections, EpollIoHandler.newFactory());
    }

    /** Sends, to whoever connects, as many bytes as asked for. */
    void listen(int port) {
        new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel listening) {
                        TUNING.applyTo(listening, InetAddress.getLoopbackAddress()); // what is accepted inherits it
                    }
                })
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(512 << 10, 1 << 20))
                .childOption(ChannelOption.SO_SNDBUF, RECEIVE_BYTES)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(tls.server(channel.alloc())).addLast(new Source());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .syncUninterruptibly();
    }

    /**
     * Receives {@code bytes}, and forgets them.
     *
     * @param bytes at least one for each connection, which all have as many
     */
    void receive(int port, long bytes) throws IOException {
        List<Channel> channels = new ArrayList<>();
        List<CompletableFuture<Void>> parts = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                long part = bytes * (i + 1) / connections - bytes * i / connections;
                CompletableFuture<Void> done = new CompletableFuture<>();
                Channel channel = connect(port, new Sink(part, done));
                channels.add(channel);
                parts.add(done);
                channel.writeAndFlush(channel.alloc().buffer(Long.BYTES).writeLong(part))
                        .syncUninterruptibly();
            }
            CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new)).get();
        } catch (ExecutionException e) {
            throw new IOException("TLS alone: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            channels.forEach(channel -> channel.close().syncUninterruptibly());
        }
    }

    private Channel connect(int port, Sink sink) {
        Address address = new Address("127.0.0.1", port);
        return new Bootstrap()
                .group(loops)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.SO_RCVBUF, RECEIVE_BYTES)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connecting) {
                        connecting
                                .pipeline()
                                .addLast(tls.client(connecting.alloc(), address))
                                .addLast(sink);
                    }
                })
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .syncUninterruptibly()
                .channel();
    }

    @Override
    public void close() {
        loops.shutdownGracefully().syncUninterruptibly();
    }

    private static final class Source extends ChannelInboundHandlerAdapter {
        private long left;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf asked = (ByteBuf) message;
            left = asked.readLong();
            asked.release();
            fill(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            fill(context);
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the end of the channel shows
        private void fill(ChannelHandlerContext context) {
            while (left > 0 && context.channel().isWritable()) {
                int length = (int) Math.min(PIECE_BYTES, left);
                left -= length;
                context.writeAndFlush(context.alloc().directBuffer(length).writerIndex(length));
            }
        }
    }

    private static final class Sink extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<Void> done;
        private long left;

        Sink(long bytes, CompletableFuture<Void> done) {
            this.left = bytes;
            this.done = done;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            left -= bytes.readableBytes();
            bytes.release();
            if (left == 0) {
                done.complete(null);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            done.completeExceptionally(new IOException("the connection ended"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            done.completeExceptionally(cause);
        }
    }
}
