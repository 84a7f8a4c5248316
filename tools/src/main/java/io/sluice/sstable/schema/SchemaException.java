package io.sluice.sstable.schema;

/** CQL that declares no table that we know how to make. The message names the place. */
public final class SchemaException extends Exception {
    private static final long serialVersionUID = 1L;

    SchemaException(String message) {
        super(message);
    }

    SchemaException(String message, Throwable cause) {
        super(message, cause);
    }
}
