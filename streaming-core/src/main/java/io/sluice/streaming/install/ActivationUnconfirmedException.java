package io.sluice.streaming.install;

import java.io.IOException;

/** The database has failed where a committed set was to go live: it stays committed, and is to be asked again. */
final class ActivationUnconfirmedException extends IOException {
    private static final long serialVersionUID = 1L;

    ActivationUnconfirmedException(IOException cause) {
        super(cause.getClass().getSimpleName() + ": " + cause.getMessage(), cause);
    }
}
