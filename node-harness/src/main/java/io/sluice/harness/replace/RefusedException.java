package io.sluice.harness.replace;

import java.io.IOException;
import java.util.List;

/** A join that may not be done, before any data was moved; a reason for each line of the message. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(List<String> reasons) {
        super(String.join("\n", reasons));
    }

    /** @param cause because of which nothing could be asked */
    public RefusedException(String reason, IOException cause) {
        super(reason, cause);
    }
}
