package io.sluice.streaming.install;

import io.sluice.streaming.log.Worded;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;

/**
 * A table is live or abandoned: this plan can receive nothing more of it. Sessions that have abandoned it continue with
 * other tables.
 */
public final class SetOverException extends IOException implements Worded {
    private static final long serialVersionUID = 1L;

    public SetOverException(TableRef table) {
        super(table + " is live or abandoned: this plan can receive nothing more of it");
    }
}
