package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a node without TLS tells those who reach it, and where it may listen. */
@Timeout(30)
@ExtendWith(LeakCheck.class)
class PlaintextTest {
    private static final int LENGTH_OF_AN_EMPTY_REFUSAL = MessageCodec.encode(
                    new Message.SessionFailed(ErrorCode.WRONG_PEER, ""))
            .remaining();

    @TempDir
    Path temp;

    private static Message.Hello hello(String cluster, UUID target, Message.Role role) {
        return new Message.Hello(
                Message.Cluster.named(cluster),
                new UUID(7, 7),
                target,
                role,
                new UUID(8, 8),
                Message.SessionNumber.FIRST,
                0);
    }

    private static byte[] answer(Node node, Message.Hello hello) throws IOException {
        try (Socket socket = new Socket(node.address().host(), node.address().port())) {
            socket.setSoTimeout(15_000);
            ByteBuffer frame = MessageCodec.encode(hello);
            byte[] bytes = new byte[frame.remaining()];
            frame.get(bytes);
            socket.getOutputStream().write(bytes);
            InputStream answer = socket.getInputStream();
            return answer.readAllBytes();
        }
    }

    @ParameterizedTest
    @EnumSource(Message.Role.class)
    void a_hello_that_is_not_right_is_told_a_code_and_no_more(Message.Role role) throws Exception {
        Node node = TestTables.node("secretname");
        StreamOptions options =
                StreamOptions.builder().clusterName("secretcluster").build();
        try (StreamingNode started = StreamingNode.start(node, options, TestTables.store(temp, 1, 0))) {
            byte[] toAGuessedCluster = answer(node, hello("guess", new UUID(1, 1), role));
            byte[] toAGuessedNode = answer(node, hello("secretcluster", new UUID(1, 1), role));

            assertThat(started.sending().get()).isEmpty();
            assertThat(toAGuessedNode).hasSize(LENGTH_OF_AN_EMPTY_REFUSAL).isEqualTo(toAGuessedCluster);
            assertThat(new String(toAGuessedNode, StandardCharsets.ISO_8859_1))
                    .doesNotContain("ecret")
                    .doesNotContain(node.id().toString());
        }
    }

    @Test
    void does_not_listen_where_others_reach_it_unless_it_is_written_that_it_may() throws Exception {
        Node open = new Node(UUID.randomUUID(), "open", new Address("0.0.0.0", FreePort.onLoopback()), List.of());
        DirectoryStore store = TestTables.store(temp, 1, 0);

        assertThatThrownBy(
                        () -> StreamingNode.start(open, StreamOptions.builder().build(), store))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("listen_address 0.0.0.0")
                .hasMessageContaining("tls_certificate")
                .hasMessageContaining("allow_plaintext: true");
        try (StreamingNode started = StreamingNode.start(
                open, StreamOptions.builder().allowPlaintext(true).build(), store)) {
            assertThat(started.sending().get()).isEmpty();
        }
    }
}
