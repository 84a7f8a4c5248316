package io.sluice.streaming.install;

import java.io.IOException;

/** A file of a committed set is in neither place, or not as it was: the set cannot go live, and nothing was moved. */
final class CorruptSetException extends IOException {
    private static final long serialVersionUID = 1L;

    CorruptSetException(String message) {
        super(message);
    }
}
