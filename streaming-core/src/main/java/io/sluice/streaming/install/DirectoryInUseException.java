package io.sluice.streaming.install;

import java.io.IOException;

/** Another process, or another node of this one, has the directory: whoever goes on without it would be the second. */
public final class DirectoryInUseException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param message which, and what to do */
    public DirectoryInUseException(String message) {
        super(message);
    }

    /** Whether {@code failure}, or what caused it, is one. */
    static boolean isIn(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof DirectoryInUseException) {
                return true;
            }
        }
        return false;
    }
}
