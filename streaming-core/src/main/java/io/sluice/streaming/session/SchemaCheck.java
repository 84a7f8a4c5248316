package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.store.TableRef;
import java.util.Optional;

/** Whether two nodes read the SSTables of a table alike. Stateless. */
public final class SchemaCheck {
    private SchemaCheck() {}

    /**
     * Why the receiver must not have the table, or empty if it may.
     *
     * @param receivers digest of the receiver's schema, 0 if it did not say
     * @param own digest of the source's, 0 if its database does not say
     */
    public static Optional<Failure> refusal(TableRef table, long receivers, long own) {
        if (receivers == 0 || own == 0 || receivers == own) {
            return Optional.empty();
        }
        return Optional.of(new Failure(
                ErrorCode.SCHEMA,
                String.format(
                        "%s: the receiver's schema is %016x (expected: %016x, the source's); wait until both nodes"
                                + " agree on it, and ask again",
                        table, receivers, own)));
    }
}
