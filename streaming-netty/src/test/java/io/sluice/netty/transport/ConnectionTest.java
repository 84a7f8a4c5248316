package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionTest {
    private static final Message MESSAGE = new Message.PrepareAck();

    /** A peer that answers what it is sent before the thread that sends goes on. */
    private static final class QuickPeer extends ChannelOutboundHandlerAdapter {
        @Override
        public void flush(ChannelHandlerContext context) {
            context.flush();
            context.fireChannelRead(Unpooled.wrappedBuffer(MessageCodec.encode(MESSAGE)));
        }
    }

    @Test
    void the_end_of_a_message_is_known_before_its_answer() {
        List<String> heard = new ArrayList<>();
        List<Connection> opened = new ArrayList<>();
        Connection.FirstListener listener = new Connection.FirstListener() {
            @Override
            public void onOpen(Connection connection) {
                opened.add(connection);
            }

            @Override
            public void onMessage(Connection connection, Message message) {
                heard.add("answer");
            }

            @Override
            public void onEnd(Connection connection, String reason) {
                heard.add(reason);
            }
        };
        EmbeddedChannel channel = new EmbeddedChannel(new QuickPeer(), Connection.initializer(() -> listener));
        if (opened.isEmpty()) {
            channel.pipeline().fireChannelActive();
        }

        opened.get(0).send(MESSAGE, sent -> heard.add("sent " + sent));

        assertThat(heard).containsExactly("sent true", "answer");
        channel.releaseOutbound();
    }
}
