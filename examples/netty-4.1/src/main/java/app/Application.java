package app;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.string.StringEncoder;
import io.netty.util.Version;
import java.net.InetSocketAddress;
import tiny.TinyDatabase;

/**
 * A server that was written for Netty 4.1, and whose database streams. The pom has nothing but Netty's own BOM for it:
 * Sluice runs on the Netty that it finds, on event loops of its own.
 */
public final class Application {
    /** Arguments as those of {@link TinyDatabase}. Whoever connects to the port that is printed receives a version. */
    public static void main(String[] args) throws Exception {
        EventLoopGroup loops = new NioEventLoopGroup(1); // Netty 4.2 deprecates it, 4.1 has nothing else
        try {
            Channel server = new ServerBootstrap()
                    .group(loops)
                    .channel(NioServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new StringEncoder(), new Greeting());
                        }
                    })
                    .bind("127.0.0.1", 0)
                    .sync()
                    .channel();
            System.out.println("greets on port " + ((InetSocketAddress) server.localAddress()).getPort());
            TinyDatabase.main(args);
        } finally {
            loops.shutdownGracefully();
        }
    }

    private static final class Greeting extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            String version = Version.identify().get("netty-transport").artifactVersion();
            context.writeAndFlush("this is Netty " + version + "\n").addListener(ChannelFutureListener.CLOSE);
        }
    }
}
