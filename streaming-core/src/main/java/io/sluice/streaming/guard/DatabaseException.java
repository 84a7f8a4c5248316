package io.sluice.streaming.guard;

import io.sluice.streaming.log.Worded;
import java.io.IOException;

/** An IOException of the database; the message names the call, and the cause is what the database threw. */
final class DatabaseException extends IOException implements Worded {
    private static final long serialVersionUID = 1L;

    DatabaseException(String message, IOException cause) {
        super(message, cause);
    }
}
