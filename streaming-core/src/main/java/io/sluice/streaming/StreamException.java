package io.sluice.streaming;

/** A failure of streaming: its {@link #code()}, and a message for an operator. */
public final class StreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public StreamException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    public StreamException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public ErrorCode code() {
        return code;
    }
}
