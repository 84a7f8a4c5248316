package io.sluice.streaming.install;

import io.sluice.streaming.log.Worded;
import java.io.IOException;

/** The database failed to activate a committed set: the set stays committed, and activation must be retried. */
final class ActivationUnconfirmedException extends IOException implements Worded {
    private static final long serialVersionUID = 1L;

    ActivationUnconfirmedException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
