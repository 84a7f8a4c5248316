package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {
    private static void assertRefused(byte[] first, String why) {
        EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder());
        assertThatThrownBy(() -> channel.writeInbound(Unpooled.wrappedBuffer(first)))
                .hasStackTraceContaining(why)
                .satisfies(failure -> {
                    Throwable cause = failure instanceof StreamException ? failure : failure.getCause();
                    assertThat(cause)
                            .isInstanceOfSatisfying(
                                    StreamException.class,
                                    e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
                });
    }

    @Test
    void a_peer_that_uses_another_protocol_is_told_from_damage() {
        byte[] hello = new byte[64];
        hello[0] = 0x16;
        hello[1] = 0x03;
        hello[2] = 0x01;

        assertRefused(hello, "the peer uses TLS, this node does not");
        assertRefused(
                new byte[] {0x15, 3, 3, 0, 2, 2, 40}, "the peer uses TLS, this node does not"); // its whole answer
        assertRefused(
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                "an HTTP request (expected: the Sluice protocol)");
    }
}
