package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.runtime.InboundQueue;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class InboundQueueTest {
    @Test
    void who_talks_faster_than_this_node_thinks_is_not_read_from_until_it_has_caught_up() {
        MemoryPool pool = new MemoryPool("inventory", 1 << 20);
        PeerMemory memory = new PeerShares(pool).of(new UUID(1, 2));
        Queue<Runnable> mailbox = new ArrayDeque<>();
        InboundQueue inbox = new InboundQueue(mailbox::add, memory);
        EmbeddedChannel channel = new EmbeddedChannel(Connection.initializer(() -> new Connection.FirstListener() {
            @Override
            public void onMessage(Connection from, Message message) {}

            @Override
            public void onEnd(Connection over, String reason) {}
        }));

        Connection connection = channel.pipeline().get(Connection.class);
        for (int i = 1; i < InboundQueue.MOST_MESSAGES; i++) {
            inbox.post(connection, new Message.PrepareAck(), paid -> 0);
        }
        assertThat(channel.config().isAutoRead()).isTrue();
        inbox.post(connection, new Message.PrepareAck(), paid -> 0);
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(inbox.waiting()).isEqualTo(InboundQueue.MOST_MESSAGES);

        while (inbox.waiting() > InboundQueue.MOST_MESSAGES / 2 + 1) {
            mailbox.remove().run();
        }
        assertThat(channel.config().isAutoRead()).isFalse();
        mailbox.remove().run();
        assertThat(channel.config().isAutoRead()).isTrue();
        mailbox.forEach(Runnable::run);
        assertThat(pool.sample().used()).isZero();
        assertThat(channel.finish()).isFalse();
    }
}
