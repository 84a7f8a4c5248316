package io.sluice.streaming.install;

import io.sluice.sstable.component.Printable;
import java.io.IOException;
import java.util.Objects;

/** An unreadable line in a text file of staging, which is corrupt or was written by another version. */
final class UnreadableLineException extends IOException {
    private static final long serialVersionUID = 1L;

    private static final int MOST_SHOWN = 200;

    private final int line;

    /**
     * A line differs from the expected one.
     *
     * @param line counted from 1
     */
    UnreadableLineException(int line, String found, String expected) {
        super("line " + line + ": '" + shown(found) + "' (expected: " + expected + ")");
        this.line = line;
    }

    /**
     * A line cannot be parsed.
     *
     * @param line counted from 1
     */
    UnreadableLineException(int line, String found, Exception why) {
        // Once compiled, an index out of bounds has no message.
        super(
                "line " + line + ": '" + shown(found) + "': "
                        + Printable.text(Objects.requireNonNullElse(why.getMessage(), "a part of it is missing")),
                why);
        this.line = line;
    }

    private static String shown(String found) {
        return Printable.text(found.substring(0, Math.min(found.length(), MOST_SHOWN)));
    }

    /** The number of the line, from 1. */
    int line() {
        return line;
    }
}
