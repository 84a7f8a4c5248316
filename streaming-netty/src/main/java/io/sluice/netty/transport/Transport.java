package io.sluice.netty.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.sluice.streaming.ring.Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The event loops of one node and the kind of channels that run on them: epoll where there is one (its file regions are
 * {@code sendfile}), NIO elsewhere. Owned by one node; thread-safe.
 */
public final class Transport implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
    private static final int CONTROL_LOOPS = 2;
    private static final long CLOSE_SECONDS = 5;
    private static final int LARGEST_READ_BYTES = 256 << 10;

    private final boolean epoll;
    private final EventLoopGroup mailbox;
    private final EventLoopGroup connections;
    private final EventLoopGroup senders;

    private Transport(boolean epoll, EventLoopGroup mailbox, EventLoopGroup connections, EventLoopGroup senders) {
        this.epoll = epoll;
        this.mailbox = mailbox;
        this.connections = connections;
        this.senders = senders;
    }

    /**
     * Starts event loops.
     *
     * @param threads loops that send file bytes, at least 1; two more are for all other connections, and one decides
     */
    public static Transport create(String name, int threads) {
        boolean epoll = Epoll.isAvailable();
        IoHandlerFactory factory = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new Transport(
                epoll,
                started(new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(name + "-session"), factory)),
                started(new MultiThreadIoEventLoopGroup(
                        CONTROL_LOOPS, new DefaultThreadFactory(name + "-control"), factory)),
                started(new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name + "-io"), factory)));
    }

    /**
     * Has a connection served by a loop that sends file bytes, and hence waits for disks: so no other connection does.
     * Called on the loop of the connection, on which nothing may be sent until {@code moved} runs on its new one.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // a channel that cannot be moved is closed, which is heard
    public void moveToSenders(Channel channel, Runnable moved) {
        channel.deregister()
                .addListener(gone -> senders.register(channel).addListener(arrived -> {
                    if (arrived.isSuccess()) {
                        moved.run();
                    } else {
                        channel.close();
                    }
                }));
    }

    /** With all its threads: Netty would make each when it is first needed, and there may be none left by then. */
    private static EventLoopGroup started(EventLoopGroup loops) {
        for (EventExecutor loop : loops) {
            loop.submit(() -> {}).syncUninterruptibly();
        }
        return loops;
    }

    /** {@code epoll} or {@code nio}, for reports. */
    public String kind() {
        return epoll ? "epoll" : "nio";
    }

    /** The one thread that all sessions of the node are confined to; it never touches a disk. */
    public EventLoop mailbox() {
        return mailbox.next();
    }

    /** Listens on {@code address}; the caller waits for the future. */
    public io.netty.channel.ChannelFuture listen(Address address, SocketTuning tuning, ChannelHandler initializer) {
        InetSocketAddress local = socketAddress(address);
        Class<? extends ServerChannel> kind = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        ServerBootstrap bootstrap = new ServerBootstrap();
        tuning.liveness(epoll).forEach(bootstrap::childOption);
        return bootstrap
                .group(mailbox, connections)
                .channel(kind)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, largeReads())
                .handler(new ChannelInitializer<ServerChannel>() {
                    @Override
                    protected void initChannel(ServerChannel listener) {
                        listener.pipeline().addLast(new AcceptErrors());
                        if (!local.isUnresolved()) {
                            tuning.applyTo(listener, local.getAddress());
                        }
                    }
                })
                .childHandler(initializer)
                .bind(local);
    }

    /** Connects to {@code address}. */
    public io.netty.channel.ChannelFuture connect(Address address, SocketTuning tuning, ChannelHandler initializer) {
        InetSocketAddress remote = socketAddress(address);
        Class<? extends Channel> kind = epoll ? EpollSocketChannel.class : NioSocketChannel.class;
        Bootstrap bootstrap = new Bootstrap();
        tuning.liveness(epoll).forEach(bootstrap::option);
        return bootstrap
                .group(connections)
                .channel(kind)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, largeReads())
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (!remote.isUnresolved()) {
                            tuning.applyTo(channel, remote.getAddress());
                        }
                        channel.pipeline().addLast(initializer);
                    }
                })
                .connect(remote);
    }

    private static AdaptiveRecvByteBufAllocator largeReads() {
        return new AdaptiveRecvByteBufAllocator(2 << 10, 16 << 10, LARGEST_READ_BYTES);
    }

    private static InetSocketAddress socketAddress(Address address) {
        return new InetSocketAddress(address.host(), address.port());
    }

    /** Ends all threads, within 5 s. */
    @Override
    public void close() {
        // A loop that shuts down closes the channels it knows, and then runs what waits in its queue: a connection that
        // was accepted just before, and is registered only then, would stay open for ever.
        for (EventLoopGroup loops : List.of(connections, senders)) {
            for (EventExecutor loop : loops) {
                // One that waits for a disk which never answers is left behind.
                loop.submit(() -> {}).awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
            }
        }
        List<Future<?>> ends = new ArrayList<>();
        for (EventLoopGroup loops : List.of(connections, senders, mailbox)) {
            ends.add(loops.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS));
        }
        ends.forEach(end -> end.awaitUninterruptibly(2 * CLOSE_SECONDS, TimeUnit.SECONDS));
    }
}
