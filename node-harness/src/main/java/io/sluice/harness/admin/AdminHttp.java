package io.sluice.harness.admin;

import io.sluice.streaming.ring.Address;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Requests in HTTP/1.0 (RFC 1945), each on a connection of its own: its answer ends where that does, or after the
 * length that it names. Neither of Java's clients: the older one opens all jars to look for others of its kind, a
 * quarter of the CPU of a command that asks a single question, and to load the newer one takes twice as long.
 * Immutable.
 *
 * @param address of the endpoint
 * @param token of the endpoint
 */
record AdminHttp(Address address, AdminToken token) {
    private static final int CONNECT_MILLIS = 5000;
    private static final String LENGTH = "content-length:";
    private static final int UNKNOWN = Integer.MAX_VALUE;
    private static final int STATUS_END = "HTTP/1.0 200".length();
    private static final int MAX_HEAD_BYTES = 64 << 10;
    private static final int MAX_ANSWER_BYTES = 64 << 20;

    /** A response, whatever its status. */
    record Answer(int status, String body) {}

    /**
     * Sends a request once, and waits for its answer, which no interruption ends.
     *
     * @param timeout until the answer begins, and between two parts of it
     * @throws InterruptedIOException if the thread was interrupted before
     * @throws SocketTimeoutException if it is there, and does not answer within {@code timeout}
     * @throws IOException if it cannot be reached within 5 s, or answers not in HTTP, or with more than 64 MiB
     */
    Answer send(String method, String path, String body, Duration timeout) throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted");
        }
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            connect(socket);
            socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
            socket.getOutputStream().write(request(method, path, body).getBytes(StandardCharsets.UTF_8));
            return answer(new BufferedInputStream(socket.getInputStream()));
        }
    }

    private void connect(Socket socket) throws IOException {
        try {
            socket.connect(new InetSocketAddress(address.host(), address.port()), CONNECT_MILLIS);
        } catch (SocketTimeoutException e) { // of another time than that of an answer
            throw new IOException("it cannot be reached within " + CONNECT_MILLIS / 1000 + " s", e);
        }
    }

    private String request(String method, String path, String body) {
        return method + " " + path + " HTTP/1.0\r\n"
                + "Host: " + address + "\r\n"
                + "Authorization: Bearer " + token.text() + "\r\n"
                + "Content-Type: application/json\r\n"
                + "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n"
                + body;
    }

    /**
     * Reads a response.
     *
     * @throws IOException if it is not one, breaks off, or has more than 64 MiB
     */
    static Answer answer(InputStream in) throws IOException {
        List<String> head = head(in).lines().toList();
        int status = status(head.get(0));
        int length = UNKNOWN;
        for (String line : head) {
            String header = line.toLowerCase(Locale.ROOT);
            if (header.startsWith(LENGTH)) {
                length = number(header.substring(LENGTH.length()).strip());
            } else if (header.startsWith("transfer-encoding:")) {
                throw new IOException("it answers in pieces (expected: HTTP/1.0)");
            }
        }
        byte[] body = in.readNBytes(Math.min(length, MAX_ANSWER_BYTES + 1));
        if (body.length > MAX_ANSWER_BYTES) {
            throw new IOException("it answers with more than " + MAX_ANSWER_BYTES + " bytes");
        }
        if (body.length < length && length < UNKNOWN) {
            throw new IOException("its answer breaks off after " + body.length + " of " + length + " bytes");
        }
        return new Answer(status, new String(body, StandardCharsets.UTF_8));
    }

    /** All lines up to the empty one, in ISO 8859-1. */
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        int lineStart = 0;
        for (int next = in.read(); next >= 0 && head.length() < MAX_HEAD_BYTES; next = in.read()) {
            head.append((char) next);
            if (next == '\n') {
                if (head.substring(lineStart).isBlank()) {
                    return head.toString();
                }
                lineStart = head.length();
            }
        }
        throw head.isEmpty() ? new IOException("it closes the connection without an answer") : notHttp();
    }

    /** The status of {@code HTTP/1.0 200 OK}. */
    private static int status(String line) throws IOException {
        if (!line.startsWith("HTTP/1.") || line.length() < STATUS_END) {
            throw notHttp();
        }
        return number(line.substring(STATUS_END - 3, STATUS_END));
    }

    private static int number(String digits) throws IOException {
        try {
            int number = Integer.parseUnsignedInt(digits);
            if (number < 0) { // 2^31 or more
                throw notHttp();
            }
            return number;
        } catch (NumberFormatException e) {
            throw notHttp();
        }
    }

    private static IOException notHttp() {
        return new IOException("what it answers is not HTTP");
    }
}
