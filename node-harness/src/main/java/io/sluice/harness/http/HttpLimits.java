package io.sluice.harness.http;

import java.time.Duration;

/**
 * Resource limits of an endpoint. Immutable.
 *
 * @param connections at once; above the limit, the oldest that has not sent a request is closed
 * @param threads that answer, at least 1
 * @param bodyBytes of one request
 * @param request from the first byte, or the connection, to the last byte of a request
 * @param idle between two requests on a connection
 */
public record HttpLimits(int connections, int threads, int bodyBytes, Duration request, Duration idle) {
    /**
     * For one node and a few operators: requests of 4 MiB, received within 10 s. A digest takes long, but reads little
     * input.
     */
    public static final HttpLimits DEFAULTS =
            new HttpLimits(128, 8, 4 << 20, Duration.ofSeconds(10), Duration.ofMinutes(1));
}
