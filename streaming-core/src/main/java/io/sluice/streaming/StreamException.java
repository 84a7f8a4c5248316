package io.sluice.streaming;

/** Streaming failed, for the reason of {@link #code()}; the message is a sentence for an operator. */
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
