package io.sluice.harness.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.common.net.InetAddresses;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What answers is a socket that sends what the test says. */
class AdminHttpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicReference<String> asked = new AtomicReference<>("");
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
            answerOnce(server);
        }
    }

    private void answerOnce(ServerSocket at) {
        try (Socket socket = at.accept()) {
            byte[] request = new byte[10_000];
            int length = socket.getInputStream().read(request);
            if (length > 0) {
                asked.set(new String(request, 0, length, StandardCharsets.UTF_8));
                requests.incrementAndGet();
            }
            socket.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
        } catch (IOException closed) {
            // the test is over, or its client has gone
        }
    }

    @AfterEach
    void ends() throws IOException {
        server.close();
    }

    private static AdminHttp client(ServerSocket of) {
        return new AdminHttp(new Address("127.0.0.1", of.getLocalPort()), new AdminToken("0".repeat(64)));
    }

    private AdminHttp.Answer send(String method, Duration timeout) throws IOException {
        return client(server).send(method, "/fetch", "{}", timeout);
    }

    /** It may have been carried out. */
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
    void a_body_without_a_length_ends_with_the_connection() throws IOException {
        answer = "HTTP/1.0 200 OK\n\n{\"is\": \"\u00e9\"}";

        assertThat(send("GET", TIMEOUT)).isEqualTo(new AdminHttp.Answer(200, "{\"is\": \"\u00e9\"}"));
    }

    @Test
    void an_order_says_who_orders_and_what() throws IOException {
        answer = "HTTP/1.0 200 OK\r\n\r\n";

        send("POST", TIMEOUT);

        assertThat(asked)
                .hasValue("POST /fetch HTTP/1.0\r\nHost: 127.0.0.1:" + server.getLocalPort()
                        + "\r\nAuthorization: Bearer " + "0".repeat(64)
                        + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    }

    /** Without brackets a node takes it for the name of another machine. */
    @Test
    void an_address_of_ipv6_is_named_in_brackets() throws IOException {
        InetAddress loopback = InetAddresses.forString("::1");
        assumeThat(NetworkInterface.getByInetAddress(loopback))
                .as("this machine has IPv6")
                .isNotNull();
        try (ServerSocket six = new ServerSocket(0, 50, loopback)) {
            AdminHttp http = new AdminHttp(new Address("::1", six.getLocalPort()), new AdminToken("0".repeat(64)));
            Thread thread = new Thread(() -> answerOnce(six), "answers over IPv6");
            thread.setDaemon(true);
            thread.start();
            answer = "HTTP/1.0 200 OK\r\n\r\n";

            http.send("GET", "/status", "", TIMEOUT);

            assertThat(asked.get()).contains("\r\nHost: [::1]:" + six.getLocalPort() + "\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RFB 003.008\n",
                "RFB 003.008\n\n",
                "HTTP/1.\n\n",
                "HTTP/1.1 2x0 OK\n\n",
                "HTTP/1.1 200 OK\ncontent-length: -1\n\n",
                "HTTP/1.1 200 OK\ncontent-length: 3000000000\n\n",
                "HTTP/1.1 200 OK\ncontent-length: 4294967296\n\n",
                "HTTP/1.1 200 OK\ncontent-length: 0\n"
            })
    void what_is_not_http_is_no_answer(String text) {
        answer = text;

        assertThatThrownBy(() -> send("GET", TIMEOUT))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("what it answers is not HTTP");
    }

    @Test
    void no_answer_at_all_is_said() {
        assertThatThrownBy(() -> send("GET", TIMEOUT)).hasMessage("it closes the connection without an answer");
    }

    @Test
    void half_an_answer_is_none() {
        answer = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"reason\": \"\"}";

        assertThatThrownBy(() -> send("GET", TIMEOUT)).hasMessage("its answer breaks off after 14 of 20 bytes");
    }

    @Test
    void an_answer_in_pieces_is_refused() {
        answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";

        assertThatThrownBy(() -> send("GET", TIMEOUT)).hasMessageContaining("in pieces");
    }

    @Test
    void a_head_that_does_not_end_is_refused() {
        answer = "HTTP/1.1 200 OK\r\n" + "x: y\r\n".repeat(20_000);

        assertThatThrownBy(() -> send("GET", TIMEOUT)).hasMessage("what it answers is not HTTP");
    }

    @Test
    void a_length_that_is_too_large_is_refused() {
        answer = "HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\n" + "x".repeat((64 << 20) + 1);

        assertThatThrownBy(() -> send("GET", TIMEOUT)).hasMessageContaining("more than 67108864 bytes");
    }

    @Test
    void an_answer_that_does_not_end_is_refused() {
        answer = "HTTP/1.1 200 OK\r\n\r\n" + "x".repeat((64 << 20) + 1);

        assertThatThrownBy(() -> send("GET", TIMEOUT)).hasMessageContaining("more than 67108864 bytes");
    }

    @Test
    void it_is_not_waited_for_longer_than_said() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            AdminHttp http = client(silent);

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
