package io.sluice.harness.admin;

import java.io.IOException;

/** A node refused a request, or did not answer it; the message names the node and the reason. */
public final class AdminException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean refused;

    private AdminException(String message, boolean refused) {
        super(message);
        this.refused = refused;
    }

    /** The node answered that it will not, or cannot. */
    static AdminException refused(String message) {
        return new AdminException(message, true);
    }

    /** Nothing was received of the node. */
    static AdminException silent(String message, Throwable cause) {
        AdminException silent = new AdminException(message, false);
        silent.initCause(cause);
        return silent;
    }

    /** Whether the node is there and said no: asking again does not help. */
    public boolean isRefused() {
        return refused;
    }
}
