package io.sluice.sstable.component;

import java.util.Locale;

/**
 * What a peer or a file says, as text that cannot break a line, move a cursor or turn the reading direction: the one
 * escaping of logs, messages, reports and terminals. Stateless.
 */
public final class Printable {
    /** The most characters of a text; of a longer one the beginning is kept, and its length is said. */
    public static final int MAX_LENGTH = 2000;

    private static final int ROOM_FOR_LENGTH = 40;

    private Printable() {}

    /**
     * {@code said} in one line: control characters, separators of lines, marks of direction, invisible and unknown
     * characters and halves of surrogate pairs become {@code \n}, {@code \r}, {@code \t}, or a backslash, {@code u} and
     * four hexadecimal digits. At most {@value #MAX_LENGTH} characters. What was escaped once stays as it is.
     */
    public static String text(String said) {
        if (said.length() <= MAX_LENGTH && said.codePoints().allMatch(Printable::isHarmless)) {
            return said;
        }
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < said.length(); at += Character.charCount(said.codePointAt(at))) {
            String next = escaped(said.codePointAt(at));
            if (text.length() + next.length() > MAX_LENGTH - ROOM_FOR_LENGTH) {
                return text.append("... (")
                        .append(said.length())
                        .append(" characters)")
                        .toString();
            }
            text.append(next);
        }
        return text.toString();
    }

    private static boolean isHarmless(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT, // marks of direction, zero width, byte order, tags
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    private static String escaped(int point) {
        if (isHarmless(point)) {
            return Character.toString(point);
        }
        return switch (point) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> {
                StringBuilder halves = new StringBuilder();
                for (char half : Character.toChars(point)) {
                    halves.append(String.format(Locale.ROOT, "\\u%04x", (int) half));
                }
                yield halves.toString();
            }
        };
    }
}
