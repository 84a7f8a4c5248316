package io.sluice.harness.admin;

import java.io.IOException;

/** A node refused a request, or did not answer it; the message names the node and the reason. */
public final class AdminException extends IOException {
    private static final long serialVersionUID = 1L;

    private static final int NOT_READY = 503;

    private final boolean refused;
    private final boolean ready;

    private AdminException(String message, boolean refused, boolean ready) {
        super(message);
        this.refused = refused;
        this.ready = ready;
    }

    /** The node answered that it will not, or cannot. */
    static AdminException refused(String message, int status) {
        return new AdminException(message, true, status != NOT_READY);
    }

    /** Nothing was received of the node. */
    static AdminException silent(String message, Throwable cause) {
        AdminException silent = new AdminException(message, false, true);
        silent.initCause(cause);
        return silent;
    }

    /** Whether the node is there and said no: asking again does not help, unless it {@link #isStarting}. */
    public boolean isRefused() {
        return refused;
    }

    /** Whether it is there and cannot answer yet, as an agent that has not reached its node. */
    public boolean isStarting() {
        return !ready;
    }
}
