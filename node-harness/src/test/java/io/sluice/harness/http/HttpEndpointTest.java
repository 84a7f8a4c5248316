package io.sluice.harness.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.AdminToken;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The endpoint itself, over sockets. */
@Timeout(60)
class HttpEndpointTest {
    private static final HttpLimits LIMITS =
            new HttpLimits(4, 2, 1 << 10, Duration.ofSeconds(10), Duration.ofSeconds(10));

    @TempDir
    private Path folder = Path.of("");

    @RepeatedTest(100)
    void a_request_that_ends_the_endpoint_has_its_answer() throws Exception {
        AdminToken token = AdminToken.create(folder.resolve("token"));
        CompletableFuture<Void> stop = new CompletableFuture<>();
        HttpEndpoint endpoint = HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token, LIMITS, (request, body) -> {
                    stop.complete(null);
                    return Answer.ok(Map.of());
                });
        CompletableFuture<Void> ended = stop.thenRunAsync(endpoint::close);

        assertThat(ask((InetSocketAddress) endpoint.address(), token)).startsWith("HTTP/1.1 200 ");

        ended.get();
    }

    private static String ask(InetSocketAddress address, AdminToken token) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream()
                    .write(("POST /stop HTTP/1.1\r\nHost: 127.0.0.1:" + address.getPort()
                                    + "\r\nAuthorization: Bearer " + token.text()
                                    + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                            .getBytes(UTF_8));
            return new String(socket.getInputStream().readNBytes("HTTP/1.1 200 ".length()), UTF_8);
        }
    }
}
