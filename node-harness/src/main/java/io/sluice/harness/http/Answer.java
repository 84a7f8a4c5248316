package io.sluice.harness.http;

import io.sluice.harness.admin.Refusal;

/**
 * The response to a request. Immutable.
 *
 * @param status of HTTP
 * @param body written as JSON
 */
public record Answer(int status, Object body) {
    /** A successful response with its result. */
    public static Answer ok(Object body) {
        return new Answer(200, body);
    }

    /** A refusal with its reason. */
    public static Answer refused(int status, String reason) {
        return new Answer(status, new Refusal(reason));
    }
}
