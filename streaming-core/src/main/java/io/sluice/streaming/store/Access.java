package io.sluice.streaming.store;

/**
 * The answer of an {@link Authorizer}. Immutable.
 *
 * @param reason for the log of this node if it is denied; the peer hears it only if it has proved who it is
 */
public record Access(boolean isGranted, String reason) {
    /** It may. */
    public static Access granted() {
        return new Access(true, "");
    }

    /** It may not. */
    public static Access denied(String reason) {
        return new Access(false, reason);
    }
}
