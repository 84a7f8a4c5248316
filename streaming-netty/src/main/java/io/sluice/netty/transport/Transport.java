package io.sluice.netty.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.sluice.netty.threads.CloseDeadline;
import io.sluice.netty.threads.StartedThreads;
import io.sluice.streaming.ring.Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The event loops of one node and the kind of channels that run on them: epoll where available (it sends file regions
 * by {@code sendfile}), otherwise NIO. Owned by one node; thread-safe.
 */
public final class Transport implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
    private static final int CONTROL_LOOPS = 2;
    private static final long CLOSE_SECONDS = 5;
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
    private static final int LARGEST_READ_BYTES = 256 << 10;

    private final boolean epoll;
    /** All open channels; one that is added after the close is closed, too. */
    private final ChannelGroup open = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    private final EventLoopGroup mailbox;
    private final EventLoopGroup acceptor;
    private final EventLoopGroup handshakes;
    private final EventLoopGroup connections;
    private final EventLoopGroup senders;

    /** Thread factories of the event loops. */
    public record Threads(
            ThreadFactory session,
            ThreadFactory accept,
            ThreadFactory handshake,
            ThreadFactory control,
            ThreadFactory io) {
        /** Factories of threads whose names begin with {@code name}. */
        public static Threads named(String name) {
            return new Threads(
                    new DefaultThreadFactory(name + "-session"),
                    new DefaultThreadFactory(name + "-accept"),
                    new DefaultThreadFactory(name + "-handshake"),
                    new DefaultThreadFactory(name + "-control"),
                    new DefaultThreadFactory(name + "-io"));
        }
    }

    private Transport(Threads threads, int sending, boolean epoll) {
        this.epoll = epoll;
        List<EventLoopGroup> started = new ArrayList<>();
        try {
            this.mailbox = started(1, threads.session(), epoll, started);
            this.acceptor = started(1, threads.accept(), epoll, started);
            this.handshakes = started(1, threads.handshake(), epoll, started);
            this.connections = started(CONTROL_LOOPS, threads.control(), epoll, started);
            this.senders = started(sending, threads.io(), epoll, started);
        } catch (RuntimeException | Error e) {
            shutDown(started, CloseDeadline.within(CLOSE_LIMIT));
            throw e;
        }
    }

    /**
     * Starts event loops.
     *
     * @param sending loops that send file bytes, at least 1; besides them two serve all other connections, one serves
     *     pre-handshake connections, one accepts, and one is the node's loop
     * @throws IllegalStateException if a factory returns no thread
     */
    public static Transport create(Threads threads, int sending) {
        return new Transport(threads, sending, Epoll.isAvailable());
    }

    /**
     * Moves a connection to a loop that sends file bytes. Such a loop waits for disks, so it serves no other
     * connections. Called on the loop of the connection; nothing may be sent until {@code moved} runs on the new loop.
     */
    public void moveToSenders(Channel channel, Runnable moved) {
        move(channel, senders, moved);
    }

    /** Moves a connection to a loop that serves control connections and queries. */
    public void moveToControl(Channel channel, Runnable moved) {
        move(channel, connections, moved);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a channel that cannot be moved is closed, which is noticed
    private static void move(Channel channel, EventLoopGroup loops, Runnable moved) {
        channel.deregister()
                .addListener(gone -> loops.register(channel).addListener(arrived -> {
                    if (arrived.isSuccess()) {
                        moved.run();
                    } else {
                        channel.close();
                    }
                }));
    }

    /** Starts all threads at once: Netty would create each on first use, when the process may be out of threads. */
    private static EventLoopGroup started(
            int count, ThreadFactory factory, boolean epoll, List<EventLoopGroup> started) {
        StartedThreads threads = StartedThreads.start(count, factory);
        EventLoopGroup loops;
        try {
            loops = group(count, threads, epoll);
        } catch (RuntimeException | Error e) {
            threads.cancel();
            throw e;
        }
        started.add(loops);
        for (EventExecutor loop : loops) {
            loop.submit(() -> {}).syncUninterruptibly();
        }
        return loops;
    }

    /**
     * Netty 4.2 deprecates these classes; 4.1 has no others. Not a conditional expression: a compiler of Java 25 gives
     * it the type that both classes have in common in 4.2, and then this class cannot be loaded with 4.1.
     */
    @SuppressWarnings("deprecation")
    private static EventLoopGroup group(int count, StartedThreads threads, boolean epoll) {
        if (epoll) {
            return new EpollEventLoopGroup(count, threads, DefaultSelectStrategyFactory.INSTANCE);
        }
        return new NioEventLoopGroup(count, threads);
    }

    private static void shutDown(List<EventLoopGroup> groups, CloseDeadline deadline) {
        List<Future<?>> ends = new ArrayList<>();
        for (EventLoopGroup loops : groups) {
            ends.add(loops.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS));
        }
        await(ends, deadline);
    }

    private static void await(List<Future<?>> ends, CloseDeadline deadline) {
        ends.forEach(end -> end.awaitUninterruptibly(deadline.left().toNanos(), TimeUnit.NANOSECONDS));
    }

    /** {@code epoll} or {@code nio}, for reports. */
    public String kind() {
        return epoll ? "epoll" : "nio";
    }

    /** The one thread that all sessions of the node are confined to; it never touches a disk. */
    public EventLoop mailbox() {
        return mailbox.next();
    }

    /**
     * Listens on {@code address}; the caller waits for the future. One thread accepts, another serves all connections
     * until they are moved. They do nothing else, so a flood of connections costs only these two threads.
     */
    public io.netty.channel.ChannelFuture listen(Address address, SocketTuning tuning, ChannelHandler initializer) {
        InetSocketAddress local = socketAddress(address);
        Class<? extends ServerChannel> kind = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        ServerBootstrap bootstrap = new ServerBootstrap();
        tuning.liveness(epoll).forEach(bootstrap::childOption);
        return bootstrap
                .group(acceptor, handshakes)
                .channel(kind)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.AUTO_READ, false) // Accepting reads
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .handler(new ChannelInitializer<ServerChannel>() {
                    @Override
                    protected void initChannel(ServerChannel listener) {
                        listener.pipeline().addLast(new Accepting(handshakes.next()));
                        if (!local.isUnresolved()) {
                            tuning.applyTo(listener, local.getAddress());
                        }
                    }
                })
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        opened(channel);
                        channel.pipeline().addLast(initializer);
                    }
                })
                .bind(local);
    }

    /** Whether the threads end: connections are not opened any more. */
    boolean isClosed() {
        return connections.isShuttingDown();
    }

    /** Connects to {@code address}; looks its host up on the current thread, if it is a name. */
    public io.netty.channel.ChannelFuture connect(Address address, SocketTuning tuning, ChannelHandler initializer) {
        return connect(socketAddress(address), tuning, initializer);
    }

    /** Connects to {@code remote}. */
    io.netty.channel.ChannelFuture connect(InetSocketAddress remote, SocketTuning tuning, ChannelHandler initializer) {
        Class<? extends Channel> kind = epoll ? EpollSocketChannel.class : NioSocketChannel.class;
        Bootstrap bootstrap = new Bootstrap();
        tuning.liveness(epoll).forEach(bootstrap::option);
        return bootstrap
                .group(connections)
                .channel(kind)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        opened(channel);
                        if (!remote.isUnresolved()) {
                            tuning.applyTo(channel, remote.getAddress());
                        }
                        channel.pipeline().addLast(initializer);
                    }
                })
                .connect(remote);
    }

    /** Set here because the equivalent bootstrap option has different names in Netty 4.1 and 4.2. */
    private void opened(Channel channel) {
        open.add(channel);
        channel.config()
                .setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(2 << 10, 16 << 10, LARGEST_READ_BYTES));
    }

    private static InetSocketAddress socketAddress(Address address) {
        return new InetSocketAddress(address.host(), address.port());
    }

    /**
     * Connections that have sent their last message end when it has arrived: if they were closed now, it may be lost.
     */
    private void awaitClosing(CloseDeadline deadline) {
        long lingerNanos = TimeUnit.SECONDS.toNanos(Connection.LINGER_SECONDS);
        long end = System.nanoTime() + Math.min(lingerNanos, deadline.left().toNanos());
        for (Channel channel : open) {
            Connection connection = channel.pipeline().get(Connection.class);
            if (connection != null && channel.isActive() && !connection.isOpen()) {
                channel.closeFuture().awaitUninterruptibly(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        }
    }

    /**
     * Ends all connections and threads: waits at most 2 s for peers to read the last message, then as long as threads
     * do, at most 10 s in all.
     */
    @Override
    public void close() {
        close(CloseDeadline.within(CLOSE_LIMIT));
    }

    /** The same until a deadline: threads that a disk blocks then go on. */
    public void close(CloseDeadline deadline) {
        await(drained(List.of(mailbox)), deadline); // sessions that were to end end before this
        awaitClosing(deadline);
        // A loop that shuts down without delay may end before it has closed its channels, and runs queued tasks after
        // that: a connection that was accepted just before would stay open forever.
        open.close().awaitUninterruptibly(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
        await(drained(List.of(acceptor, handshakes, connections, senders)), deadline);
        shutDown(List.of(acceptor, handshakes, connections, senders, mailbox), deadline);
    }

    /** For each loop, when it has run what is queued now. */
    private static List<Future<?>> drained(List<EventLoopGroup> groups) {
        List<Future<?>> ends = new ArrayList<>();
        for (EventLoopGroup loops : groups) {
            loops.forEach(loop -> ends.add(loop.submit(() -> {})));
        }
        return ends;
    }
}
