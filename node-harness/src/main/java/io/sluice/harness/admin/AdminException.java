package io.sluice.harness.admin;

import java.io.IOException;

/** A node refused a request, or did not answer it; the message names the node and the reason. */
public final class AdminException extends IOException {
    private static final long serialVersionUID = 1L;

    public AdminException(String message) {
        super(message);
    }

    public AdminException(String message, Throwable cause) {
        super(message, cause);
    }
}
