package io.sluice.sstable.schema;

/** CQL that does not declare a table that we support. The message names the position. */
public final class SchemaException extends Exception {
    private static final long serialVersionUID = 1L;

    SchemaException(String message) {
        super(message);
    }

    SchemaException(String message, Throwable cause) {
        super(message, cause);
    }
}
