package io.sluice.harness.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Requests in plain HTTP, one at a time for each thread. The older of Java's two clients: to load the other one costs a
 * command that asks a single question 0.2 s of CPU, half of all that it takes. Immutable.
 *
 * @param base the endpoint, as {@code http://127.0.0.1:7080}
 * @param token of the endpoint
 */
record AdminHttp(String base, AdminToken token) {
    private static final int CONNECT_MILLIS = 5000;
    private static final int MAX_ANSWER_BYTES = 64 << 20;
    private static final String UNAUTHORIZED =
            "{\"reason\": \"not authenticated (expected: the token of the node's admin_token_file)\"}";

    /** A response, whatever its status. */
    record Answer(int status, String body) {}

    /**
     * Sends a request and waits for its answer, which no interruption ends. A {@code POST} is sent once, whatever
     * happens to its connection.
     *
     * @param timeout until the answer begins, and between two parts of it
     * @throws InterruptedIOException if the thread was interrupted before
     * @throws IOException if nobody answers, or more than 64 MiB
     */
    Answer send(String method, String path, String body, Duration timeout) throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted");
        }
        HttpURLConnection http =
                (HttpURLConnection) URI.create(base + path).toURL().openConnection(Proxy.NO_PROXY);
        http.setRequestMethod(method);
        http.setInstanceFollowRedirects(false);
        http.setUseCaches(false);
        http.setConnectTimeout(CONNECT_MILLIS);
        http.setReadTimeout(Math.toIntExact(timeout.toMillis()));
        http.setRequestProperty("Authorization", "Bearer " + token.text());
        http.setRequestProperty("Content-Type", "application/json");
        if (method.equals("POST")) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            http.setDoOutput(true);
            http.setFixedLengthStreamingMode(
                    bytes.length); // otherwise Java itself sends it again if the connection breaks
            try (OutputStream out = http.getOutputStream()) {
                out.write(bytes);
            }
        }
        return answer(http);
    }

    private static Answer answer(HttpURLConnection http) throws IOException {
        int status = http.getResponseCode();
        if (status < 0) {
            throw new IOException("what it answers is not HTTP");
        }
        try (InputStream in =
                status < HttpURLConnection.HTTP_BAD_REQUEST ? http.getInputStream() : http.getErrorStream()) {
            if (in == null && status == HttpURLConnection.HTTP_UNAUTHORIZED) { // of an order Java keeps only the status
                return new Answer(status, UNAUTHORIZED);
            }
            byte[] bytes = in == null ? new byte[0] : in.readNBytes(MAX_ANSWER_BYTES + 1);
            if (bytes.length > MAX_ANSWER_BYTES) {
                throw new IOException("it answers with more than " + MAX_ANSWER_BYTES + " bytes");
            }
            return new Answer(status, new String(bytes, StandardCharsets.UTF_8));
        }
    }
}
