package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.netty.memory.MemoryPool;
import io.sluice.netty.memory.PeerMemory;
import io.sluice.netty.memory.PeerShares;
import io.sluice.streaming.message.Message;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class InboxTest {
    @Test
    void who_talks_faster_than_this_node_thinks_is_not_read_from_until_it_has_caught_up() {
        MemoryPool pool = new MemoryPool("inventory", 1 << 20);
        PeerMemory memory = new PeerShares(pool).of(new UUID(1, 2));
        Queue<Runnable> mailbox = new ArrayDeque<>();
        Inbox inbox = new Inbox(mailbox::add, memory);
        EmbeddedChannel channel = new EmbeddedChannel(Connection.initializer(() -> new Connection.Listener() {
            @Override
            public void onMessage(Connection from, Message message) {}

            @Override
            public void onEnd(Connection over, String reason) {}
        }));

        Connection connection = channel.pipeline().get(Connection.class);
        for (int i = 1; i < Inbox.MOST_MESSAGES; i++) {
            inbox.post(connection, new Message.PrepareAck(), paid -> 0);
        }
        assertThat(channel.config().isAutoRead()).isTrue();
        inbox.post(connection, new Message.PrepareAck(), paid -> 0);
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(inbox.waiting()).isEqualTo(Inbox.MOST_MESSAGES);

        while (inbox.waiting() > Inbox.MOST_MESSAGES / 2 + 1) {
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
