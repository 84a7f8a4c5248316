package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection ends although its peer never reads what was sent last. The clock is the embedded channel's. */
class UnreadEndTest {
    /** How this end ends. */
    private enum Way {
        CLOSE,
        REFUSE;

        void of(Connection connection) {
            if (this == CLOSE) {
                connection.close();
            } else {
                connection.refuse(new Message.SessionFailed(ErrorCode.DENIED, "unknown node"));
            }
        }
    }

    /** A peer that reads nothing, behind buffers that are full: no write ends. */
    private static final class FullBuffers extends ChannelOutboundHandlerAdapter {
        private final List<ChannelPromise> writes = new ArrayList<>();

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
            writes.add(promise);
        }
    }

    private static final class Ends implements Connection.FirstListener {
        private final List<Connection> opened = new ArrayList<>();
        private final List<String> ended = new ArrayList<>();

        @Override
        public void onOpen(Connection connection) {
            opened.add(connection);
        }

        @Override
        public void onMessage(Connection connection, Message message) {
            throw new AssertionError("the peer sends nothing, not " + message);
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            ended.add(reason);
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_waits_ten_seconds_for_the_peer_to_read_the_last_message(Way way) {
        Ends ends = new Ends();
        FullBuffers buffers = new FullBuffers();
        EmbeddedChannel channel = new EmbeddedChannel(buffers, Connection.initializer(() -> ends));
        channel.freezeTime();
        if (ends.opened.isEmpty()) {
            channel.pipeline().fireChannelActive();
        }

        way.of(ends.opened.get(0));
        pass(channel, 9_900);
        assertThat(buffers.writes).isNotEmpty();
        assertThat(ends.ended).as("it has time").isEmpty();

        pass(channel, 200);
        assertThat(channel.isOpen()).isFalse();
        assertThat(ends.ended).hasSize(1);
    }

    private static void pass(EmbeddedChannel channel, long millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runPendingTasks();
    }
}
