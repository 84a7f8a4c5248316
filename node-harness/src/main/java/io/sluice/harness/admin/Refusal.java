package io.sluice.harness.admin;

/** The answer to a request that failed: why, in one sentence. Immutable. */
public record Refusal(String reason) {
    /** What {@code failure} says of itself, which for some exceptions is only their type. */
    public static Refusal because(Throwable failure) {
        String message = failure.getMessage();
        return new Refusal(message == null ? failure.toString() : message);
    }

    @Override
    public String toString() {
        return reason;
    }
}
