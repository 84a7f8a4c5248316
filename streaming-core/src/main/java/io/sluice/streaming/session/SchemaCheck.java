package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.store.TableRef;
import java.util.Optional;

/** Checks whether two nodes read the SSTables of a table in the same way. Stateless. */
public final class SchemaCheck {
    private SchemaCheck() {}

    /**
     * Why the source must not send the table to the receiver; empty if it may.
     *
     * @param receivers digest of the receiver's schema, 0 if unknown
     * @param own digest of the source's schema, 0 if unknown
     */
    public static Optional<Failure> refusal(TableRef table, long receivers, long own) {
        if (receivers == 0 || own == 0 || receivers == own) {
            return Optional.empty();
        }
        return Optional.of(new Failure(
                ErrorCode.SCHEMA,
                String.format(
                        "%s: the receiver's schema is %016x (expected: %016x, the source's); wait until both nodes agree on the schema, and"
                                + " retry",
                        table, receivers, own)));
    }
}
