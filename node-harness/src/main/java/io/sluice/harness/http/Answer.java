package io.sluice.harness.http;

import io.sluice.harness.admin.Refusal;

/**
 * What a request is answered. Immutable.
 *
 * @param status of HTTP
 * @param body written as JSON
 */
public record Answer(int status, Object body) {
    /** Done, and this is the result. */
    public static Answer ok(Object body) {
        return new Answer(200, body);
    }

    /** Not done, and why. */
    public static Answer refused(int status, String reason) {
        return new Answer(status, new Refusal(reason));
    }
}
