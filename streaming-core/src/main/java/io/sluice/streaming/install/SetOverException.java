package io.sluice.streaming.install;

import io.sluice.streaming.store.TableRef;
import java.io.IOException;

/**
 * A table is live, or nobody wants it any more: nothing more of it can land for this plan. Whoever has abandoned it
 * goes on with others.
 */
public final class SetOverException extends IOException {
    private static final long serialVersionUID = 1L;

    public SetOverException(TableRef table) {
        super(table + " is live or abandoned: nothing more of it can land for this plan");
    }
}
