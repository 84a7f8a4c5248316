package io.sluice.harness.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What answers is a socket that sends what the test says. */
class AdminHttpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final AtomicInteger requests = new AtomicInteger();
    private final ServerSocket server;
    private String answer = "";

    AdminHttpTest() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @BeforeEach
    void answers_each_connection_once() {
        Thread thread = new Thread(this::serve, "answers");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve() {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                if (socket.getInputStream().read(new byte[10_000]) > 0) {
                    requests.incrementAndGet();
                }
                socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException closed) {
                // the test is over, or its client has gone
            }
        }
    }

    @AfterEach
    void ends() throws IOException {
        server.close();
    }

    private AdminHttp.Answer send(String method, Duration timeout) throws IOException {
        return new AdminHttp("http://127.0.0.1:" + server.getLocalPort(), new AdminToken("0".repeat(64)))
                .send(method, "/fetch", "{}", timeout);
    }

    /** Java would send it again by itself, and it may have been carried out. */
    @Test
    void an_order_whose_connection_breaks_is_sent_once() {
        assertThatThrownBy(() -> send("POST", TIMEOUT)).isInstanceOf(IOException.class);

        assertThat(requests).hasValue(1);
    }

    @Test
    void a_refusal_has_its_reason() throws IOException {
        answer = "HTTP/1.1 409 Conflict\r\ncontent-length: 14\r\n\r\n{\"reason\": \"\"}";

        assertThat(send("POST", TIMEOUT)).isEqualTo(new AdminHttp.Answer(409, "{\"reason\": \"\"}"));
    }

    @Test
    void a_token_that_is_not_accepted_is_named_for_orders_and_questions() throws IOException {
        answer = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 15\r\n\r\n{\"reason\": \"no\"}";

        assertThat(send("POST", TIMEOUT).body()).contains("admin_token_file");
        assertThat(send("GET", TIMEOUT)).isEqualTo(new AdminHttp.Answer(401, "{\"reason\": \"no\"}"));
    }

    @Test
    void what_is_not_http_is_no_answer() {
        answer = "RFB 003.008\n";

        assertThatThrownBy(() -> send("GET", TIMEOUT)).isInstanceOf(IOException.class);
    }

    @Test
    void an_answer_that_does_not_end_is_refused() {
        answer = "HTTP/1.1 200 OK\r\n\r\n" + "x".repeat((64 << 20) + 1);

        assertThatThrownBy(() -> send("GET", TIMEOUT)).hasMessageContaining("more than 67108864 bytes");
    }

    @Test
    void it_is_not_waited_for_longer_than_said() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            AdminHttp http = new AdminHttp("http://127.0.0.1:" + silent.getLocalPort(), new AdminToken("0".repeat(64)));

            assertThatThrownBy(() -> http.send("GET", "/status", "", Duration.ofMillis(200)))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void an_interrupted_thread_asks_nothing() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> send("GET", TIMEOUT)).isInstanceOf(IOException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(requests).hasValue(0);
    }
}
