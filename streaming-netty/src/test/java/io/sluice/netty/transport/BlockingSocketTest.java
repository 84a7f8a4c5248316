package io.sluice.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long a blocking read may take. */
@Timeout(20)
class BlockingSocketTest {
    /** Longer than a pause between two bytes, shorter than all of them. */
    private static final Duration LIMIT = Duration.ofMillis(300);

    @Test
    void all_reads_together_take_no_longer_than_they_may_however_the_bytes_come() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                BlockingSocket socket = BlockingSocket.open()) {
            new Thread(() -> drip(listening), "dripping").start();
            socket.connect((InetSocketAddress) listening.getLocalSocketAddress(), new SocketTuning(0, ""), 5_000);
            socket.within(LIMIT);
            ByteBuffer bytes = ByteBuffer.allocate(10_000);

            assertThatThrownBy(() -> {
                        while (bytes.hasRemaining()) {
                            assertThat(socket.read(bytes)).isPositive();
                        }
                    })
                    .isInstanceOf(SocketTimeoutException.class);
            assertThat(bytes.position()).isPositive();
        }
    }

    /** A byte now and then, until nobody takes them. */
    private static void drip(ServerSocket listening) {
        try (Socket accepted = listening.accept()) {
            while (true) {
                accepted.getOutputStream().write(1);
                Thread.sleep(10);
            }
        } catch (IOException | InterruptedException over) {
            assertThat(over).isNotNull();
        }
    }
}
