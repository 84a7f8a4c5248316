package io.sluice.harness.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.harness.admin.AdminToken;
import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An endpoint for administrators: JSON over HTTP/1.1, with a token. It has its own connections and threads, so that it
 * answers even if the streaming port is under attack. Thread-safe; owns its threads.
 */
public final class HttpEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);
    private static final int LINE_BYTES = 4096;
    private static final int HEADER_BYTES = 8192;
    private static final int BACKLOG = 128;
    private static final long CLOSE_SECONDS = 5;

    private final EventLoopGroup loop;
    private final ExecutorService workers;
    private final Channel listening;

    private HttpEndpoint(EventLoopGroup loop, ExecutorService workers, Channel listening) {
        this.loop = loop;
        this.workers = workers;
        this.listening = listening;
    }

    /** Answers the requests of an endpoint. */
    public interface Handler {
        /**
         * Answers one request, on a thread of the endpoint; may take long.
         *
         * @param request method and path, such as {@code GET /status}
         * @param body empty if there is none
         */
        Answer answer(String request, byte[] body);
    }

    /**
     * Starts to listen.
     *
     * @param address of this machine, or a Unix domain socket: a file of mode 0600 that replaces a stale socket and is
     *     removed at the end
     * @throws IOException if the address is in use, or not an address of this machine
     */
    public static HttpEndpoint start(SocketAddress address, AdminToken token, HttpLimits limits, Handler handler)
            throws IOException {
        Optional<Path> file = file(address);
        if (file.isPresent()) {
            removeUnused(file.get());
        }
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("sluice-admin-io", true), NioIoHandler.newFactory());
        ExecutorService workers =
                Executors.newFixedThreadPool(limits.threads(), new DefaultThreadFactory("sluice-admin", true));
        InetAddress bound =
                address instanceof InetSocketAddress tcp ? tcp.getAddress() : InetAddress.getLoopbackAddress();
        RequestCheck check = new RequestCheck(token, bound);
        Connections connections = new Connections(limits.connections());
        ServerBootstrap server = new ServerBootstrap()
                .group(loop)
                .channel(file.isPresent() ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(new HttpServerCodec(LINE_BYTES, HEADER_BYTES, HEADER_BYTES))
                                .addLast(new HttpConnection(limits, check, connections, handler, workers));
                    }
                });
        try {
            Channel listening = server.bind(address).syncUninterruptibly().channel();
            if (file.isPresent()) {
                OwnerOnly.restrict(file.get());
            }
            return new HttpEndpoint(loop, workers, listening);
        } catch (Exception e) { // Netty throws the system's error, undeclared
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
            workers.shutdownNow();
            throw new IOException("admin endpoint at " + address + ": " + e.getMessage(), e);
        }
    }

    /** A process that was killed leaves its socket behind. */
    private static void removeUnused(Path socket) throws IOException {
        if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        boolean isSocket = Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther();
        if (!isSocket || isAnswered(socket)) {
            throw new IOException("admin endpoint at " + socket + ": "
                    + (isSocket ? "another process listens there" : "the file is not a socket")
                    + " (expected: no file, or a socket on which nobody listens)");
        }
        Files.delete(socket);
    }

    private static boolean isAnswered(Path socket) {
        try (SocketChannel other = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return other.isConnected();
        } catch (IOException nobody) {
            LOG.debug("cannot remove socket {}: {}", socket, nobody.getMessage());
            return false;
        }
    }

    /** The file of a Unix domain socket; empty for any other address. */
    private static Optional<Path> file(SocketAddress address) {
        return address instanceof UnixDomainSocketAddress unix ? Optional.of(unix.getPath()) : Optional.empty();
    }

    /** The address that it listens on. */
    public SocketAddress address() {
        return listening.localAddress();
    }

    /** Stops answering; waits up to some seconds for requests that are being answered. */
    @Override
    public void close() {
        Optional<Path> file = file(address());
        listening.close().awaitUninterruptibly();
        try {
            if (file.isPresent()) {
                Files.deleteIfExists(file.get());
            }
        } catch (IOException e) {
            LOG.warn("cannot remove {}: {}", file.get(), e.getMessage());
        }
        workers.shutdown();
        try {
            if (!workers.awaitTermination(1, TimeUnit.SECONDS)) {
                workers.shutdownNow();
                if (!workers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                    LOG.warn("an admin request did not end; its thread keeps running");
                }
            }
        } catch (InterruptedException e) {
            workers.shutdownNow();
            Thread.currentThread().interrupt();
        }
        // What the threads have answered waits for the loop, which closes connections as soon as it shuts down.
        loop.submit(() -> {}).awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
