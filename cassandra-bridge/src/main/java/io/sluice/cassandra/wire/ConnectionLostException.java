package io.sluice.cassandra.wire;

import java.io.EOFException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A connection ended or failed. No other exception of a connection is an {@link IOException}, so that any other one is
 * of a local file.
 */
public final class ConnectionLostException extends EOFException {
    private static final long serialVersionUID = 1L;

    /** A connection that ended. */
    public ConnectionLostException(String message) {
        super(message);
    }

    /** A connection that failed. */
    public ConnectionLostException(@Nullable String message, Throwable cause) {
        super(message);
        initCause(cause);
    }

    /** With the message of the error of the socket; that of a connection that we closed has none. */
    public static ConnectionLostException of(IOException failed) {
        return failed instanceof ConnectionLostException lost
                ? lost
                : new ConnectionLostException(failed.getMessage(), failed);
    }
}
