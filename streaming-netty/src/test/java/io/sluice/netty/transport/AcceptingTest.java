package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many connections are accepted at once: one by one, a queue of some thousand would take seconds. */
@Timeout(30)
class AcceptingTest {
    /** Counts the connections of each batch. */
    private static final class Batches extends ChannelInboundHandlerAdapter {
        final LinkedBlockingQueue<Integer> sizes = new LinkedBlockingQueue<>();
        private int size;

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            size++;
            context.fireChannelRead(accepted);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            sizes.add(size);
            size = 0;
            context.fireChannelReadComplete();
        }
    }

    private static EventLoopGroup loop(boolean isEpoll) {
        return new MultiThreadIoEventLoopGroup(1, isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_waits_is_accepted_in_batches_of_sixteen(boolean isEpoll) throws Exception {
        boolean canEpoll = isEpoll && Epoll.isAvailable();
        EventLoopGroup accepting = loop(canEpoll);
        EventLoopGroup serving = loop(canEpoll);
        Batches batches = new Batches();
        CountDownLatch busy = new CountDownLatch(1);
        List<Socket> clients = new ArrayList<>();
        try {
            Channel listener = new ServerBootstrap()
                    .group(accepting, serving)
                    .channel(canEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                    .option(ChannelOption.AUTO_READ, false)
                    .option(ChannelOption.SO_BACKLOG, 128)
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(batches, new Accepting(serving.next()));
                        }
                    })
                    .childHandler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public boolean isSharable() {
                            return true;
                        }
                    })
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .sync()
                    .channel();
            serving.next()
                    .execute(() -> awaitQuietly(busy)); // so that the first batch is the last until it is released
            InetSocketAddress address = (InetSocketAddress) listener.localAddress();
            clients.add(new Socket(address.getAddress(), address.getPort()));
            assertThat(batches.sizes.poll(10, TimeUnit.SECONDS)).isEqualTo(1);
            for (int i = 0; i < 40; i++) {
                clients.add(new Socket(address.getAddress(), address.getPort()));
            }

            busy.countDown();

            assertThat(List.of(
                            batches.sizes.poll(10, TimeUnit.SECONDS),
                            batches.sizes.poll(10, TimeUnit.SECONDS),
                            batches.sizes.poll(10, TimeUnit.SECONDS)))
                    .containsExactly(16, 16, 8);
        } finally {
            for (Socket client : clients) {
                client.close();
            }
            accepting.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
            serving.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
