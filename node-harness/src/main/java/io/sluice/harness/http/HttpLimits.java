package io.sluice.harness.http;

import java.time.Duration;

/**
 * What an endpoint spends at most. Immutable.
 *
 * @param connections at once; beyond them the oldest that has not asked anything goes
 * @param threads that answer, at least 1
 * @param bodyBytes of one request
 * @param request from the first byte, or the connection, to the last byte of a request
 * @param idle between two requests on a connection
 */
public record HttpLimits(int connections, int threads, int bodyBytes, Duration request, Duration idle) {
    /** For one node and a few operators: 4 MiB for each request, 10 s to say it. A digest takes long, writes do not. */
    public static final HttpLimits DEFAULTS =
            new HttpLimits(128, 8, 4 << 20, Duration.ofSeconds(10), Duration.ofMinutes(1));
}
