package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import io.sluice.sstable.component.Component;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.ring.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A receiver that says that it lives, and reads none of the bytes that it fetched. */
@Timeout(60)
class UnreadConnectionTest {
    /** More than fits into the buffers of a socket. */
    private static final long TABLE_BYTES = 12 << 20;

    /** Rarely: each segment of the peer makes the kernel begin anew to wait for its next probe. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);

    /** Silence is long: the peer is never silent here. */
    private static final Deadlines DEADLINES = new Deadlines(
            Duration.ofMillis(500),
            Duration.ofSeconds(50),
            Duration.ofSeconds(50),
            Duration.ofSeconds(2),
            Duration.ofSeconds(50));

    @TempDir
    Path temp;

    private static final class Heartbeats {
        private final List<Line> lines;
        private long nextNanos = System.nanoTime();

        Heartbeats(List<Line> lines) {
            this.lines = lines;
        }

        void sendIfDue() {
            long now = System.nanoTime();
            if (now - nextNanos >= 0) {
                nextNanos = now + HEARTBEAT.toNanos();
                lines.forEach(line -> line.trySend(new Message.KeepAlive(new Message.Doing("bytes", 0, 0, 0, 0), now)));
            }
        }
    }

    static boolean hasUserTimeout() {
        return Epoll.isAvailable();
    }

    private StreamingNode source(Node self) throws Exception {
        return StreamingNode.start(
                self,
                StreamOptions.builder().deadlines(DEADLINES).build(),
                TestTables.store(temp.resolve("source"), 1, TABLE_BYTES));
    }

    @Test
    @EnabledIf("hasUserTimeout")
    void ends_with_a_reason_that_says_so() throws Exception {
        Node self = TestTables.node("source");
        try (LogCapture log = new LogCapture();
                StreamingNode source = source(self);
                HostileReceiver receiver = new HostileReceiver(self)) {
            Line control = receiver.control();
            Extent extent = HostileReceiver.extent(receiver.begin(control).get(0), Component.DATA);
            Line data = receiver.data(0);
            data.send(new Message.Fetch(Collections.nCopies(10, extent)));

            assertThat(source.sending().get()).hasSize(1);
            Heartbeats heartbeats = new Heartbeats(List.of(control, data));
            await().atMost(Duration.ofSeconds(40)).until(() -> {
                heartbeats.sendIfDue();
                return !log.with("lost data connection").isEmpty();
            });

            assertThat(log.with("lost data connection"))
                    .singleElement()
                    .asString()
                    .contains("did not read")
                    .doesNotContain("closed");
        }
    }
}
