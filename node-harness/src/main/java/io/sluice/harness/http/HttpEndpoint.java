package io.sluice.harness.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.harness.admin.AdminToken;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An endpoint for administrators: JSON over HTTP/1.1, for those who know a token. It has connections and threads of its
 * own, so that it answers while others are under attack. Thread-safe; owns its threads.
 */
public final class HttpEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);
    private static final int LINE_BYTES = 4096;
    private static final int HEADER_BYTES = 8192;
    private static final int BACKLOG = 128;
    private static final long QUIET_MILLIS = 50;
    private static final long CLOSE_SECONDS = 5;

    private final EventLoopGroup loop;
    private final ExecutorService workers;
    private final Channel listening;

    private HttpEndpoint(EventLoopGroup loop, ExecutorService workers, Channel listening) {
        this.loop = loop;
        this.workers = workers;
        this.listening = listening;
    }

    /** What the endpoint is for. */
    public interface Handler {
        /**
         * Answers one request, from a thread of the endpoint; may take long.
         *
         * @param request method and path, as {@code GET /status}
         * @param body empty if there is none
         */
        Answer answer(String request, byte[] body);
    }

    /**
     * Listens.
     *
     * @throws IOException if the address is taken, or none of this machine
     */
    public static HttpEndpoint start(InetSocketAddress address, AdminToken token, HttpLimits limits, Handler handler)
            throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("sluice-admin-io", true), NioIoHandler.newFactory());
        ExecutorService workers =
                Executors.newFixedThreadPool(limits.threads(), new DefaultThreadFactory("sluice-admin", true));
        RequestCheck check = new RequestCheck(token, address.getAddress());
        Connections connections = new Connections(limits.connections());
        ServerBootstrap server = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new HttpServerCodec(LINE_BYTES, HEADER_BYTES, HEADER_BYTES))
                                .addLast(new HttpConnection(limits, check, connections, handler, workers));
                    }
                });
        try {
            return new HttpEndpoint(
                    loop, workers, server.bind(address).syncUninterruptibly().channel());
        } catch (Exception e) { // Netty throws what the system said, undeclared
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
            workers.shutdownNow();
            throw new IOException("admin endpoint at " + address + ": " + e.getMessage(), e);
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    /** Answers nothing more; waits up to some seconds for what is being answered. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        workers.shutdown();
        try {
            if (!workers.awaitTermination(1, TimeUnit.SECONDS)) {
                workers.shutdownNow();
                if (!workers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                    LOG.warn("an admin request does not end; its thread is left behind");
                }
            }
        } catch (InterruptedException e) {
            workers.shutdownNow();
            Thread.currentThread().interrupt();
        }
        loop.shutdownGracefully(QUIET_MILLIS, TimeUnit.SECONDS.toMillis(CLOSE_SECONDS), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly();
    }
}
