package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.netty.transport.Connection;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.access.Audit;
import io.sluice.streaming.access.Holds;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.NodeIdentities;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class HandshakesTest {
    private static final Message.Cluster CLUSTER = Message.Cluster.named("test");

    private final Node self;

    HandshakesTest() throws IOException {
        self = TestTables.node("source");
    }

    /** Of its deadline nothing is left by then. */
    @Test
    void an_error_after_the_hello_was_authorized_ends_the_connection() throws Exception {
        Handshakes handshakes = new Handshakes(parties(() -> {}), (connection, hello) -> {
            throw new AssertionError("injected");
        });
        EmbeddedChannel channel = new EmbeddedChannel(Connection.initializer(handshakes::next));
        assertThat(handshakes.queue().used()).isEqualTo(1);

        sayHello(channel);

        assertThat(channel.isOpen()).isFalse();
        assertThat(handshakes.queue().used()).isZero();
    }

    /** Whoever watches the count looks for the line then. */
    @Test
    void a_refusal_is_in_the_log_when_it_is_counted() throws Exception {
        List<String> logged = new ArrayList<>();
        try (LogCapture log = new LogCapture()) {
            List<Connection> accepted = new ArrayList<>();
            Handshakes handshakes = new Handshakes(
                    parties(() -> logged.addAll(log.with("refused "))),
                    (connection, hello) -> accepted.add(connection));
            sayHello(new EmbeddedChannel(Connection.initializer(handshakes::next)));

            handshakes.refuse(accepted.get(0), new StreamException(ErrorCode.LIMIT, "too many sessions"));
        }
        assertThat(logged).singleElement().asString().endsWith("LIMIT: too many sessions");
    }

    private Handshakes.Parties parties(Runnable onRefused) {
        PeerLog log = new PeerLog(System::nanoTime);
        AccessControl access = new AccessControl(
                new AccessControl.Rules(
                        self.id(), "test", NodeIdentities.byAlternativeName(), false, chain -> Optional.empty()),
                Authorizer.EVERYTHING,
                new AccessControl.Notes(
                        new Holds(Holds.Rules.DEFAULTS, System::nanoTime),
                        new Audit(event -> {}, System::nanoTime),
                        log),
                new AccessControl.Questions(Runnable::run, (nanos, task) -> () -> {}));
        return new Handshakes.Parties(self, CLUSTER, address -> false, access, log, onRefused);
    }

    private void sayHello(EmbeddedChannel channel) {
        Message.Hello hello = new Message.Hello(
                CLUSTER, new UUID(1, 1), self.id(), Message.Role.QUERY, new UUID(2, 2), Message.SessionNumber.FIRST, 0);
        channel.writeInbound(Unpooled.wrappedBuffer(MessageCodec.encode(hello)));
        channel.runPendingTasks();
    }
}
