package io.sluice.streaming.progress;

/** How an SSTable, or a part of one, is sent. */
public enum TransferMode {
    /** All files, unchanged. */
    WHOLE(0),
    /**
     * An SSTable made of a part of another: rows are copied as they are encoded; the index and the other components are
     * rebuilt.
     */
    SLICE(1),
    /** Stored chunks of Data.db; the receiver decodes every row and writes an SSTable of its own. */
    ROWS(2);

    private final int code;

    TransferMode(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    /**
     * The mode with that number.
     *
     * @throws IllegalArgumentException for a number that no mode has
     */
    public static TransferMode of(int code) {
        for (TransferMode mode : values()) {
            if (mode.code == code) {
                return mode;
            }
        }
        throw new IllegalArgumentException("mode " + code + " (expected: 0 to 2)");
    }
}
