package io.sluice.streaming.install;

import io.sluice.streaming.log.Worded;
import java.io.IOException;

/** Another process, or another node in this process, uses the directory. */
public final class DirectoryInUseException extends IOException implements Worded {
    private static final long serialVersionUID = 1L;

    /** @param message names the directory, and what to do */
    public DirectoryInUseException(String message) {
        super(message);
    }

    /** Whether {@code failure} or one of its causes is such an exception. */
    static boolean isIn(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof DirectoryInUseException) {
                return true;
            }
        }
        return false;
    }
}
