package io.sluice.streaming.install;

import io.sluice.streaming.log.Worded;
import java.io.IOException;

/**
 * A file of a committed set is missing under both of its names, or has changed: the set cannot go live, and no file was
 * moved.
 */
final class CorruptSetException extends IOException implements Worded {
    private static final long serialVersionUID = 1L;

    CorruptSetException(String message) {
        super(message);
    }
}
