package io.sluice.harness.http;

import io.sluice.harness.admin.Refusal;

/**
 * The response to a request. Immutable.
 *
 * @param status of HTTP
 * @param body written as JSON, but for a {@link Text}
 */
public record Answer(int status, Object body) {
    /**
     * A body that is written as it is, in UTF-8.
     *
     * @param contentType of HTTP
     */
    public record Text(String contentType, String text) {}

    /** A successful response with its result. */
    public static Answer ok(Object body) {
        return new Answer(200, body);
    }

    /** A successful response in another form than JSON. */
    public static Answer text(String contentType, String text) {
        return ok(new Text(contentType, text));
    }

    /** A refusal with its reason. */
    public static Answer refused(int status, String reason) {
        return new Answer(status, new Refusal(reason));
    }
}
