package io.sluice.sstable.component;

import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * Escapes text from peers and files, so that it cannot break a line, move a cursor or change the reading direction:
 * used for all logs, messages, reports and terminals. Stateless.
 */
public final class Printable {
    /** The maximum number of characters; a longer text is truncated, and its length is appended. */
    public static final int MAX_LENGTH = 2000;

    private static final int ROOM_FOR_LENGTH = 40;

    private Printable() {}

    /**
     * {@code said} in one line: control characters, line separators, direction marks, invisible and unknown characters
     * and unpaired surrogates become {@code \n}, {@code \r}, {@code \t}, or a backslash, {@code u} and four hexadecimal
     * digits. At most {@value #MAX_LENGTH} characters. Idempotent.
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

    /** As {@link #text}, but of any length: for texts that this process makes, or whose parts were truncated before. */
    public static String whole(String said) {
        return said.codePoints().allMatch(Printable::isHarmless)
                ? said
                : said.codePoints().mapToObj(Printable::escaped).collect(Collectors.joining());
    }

    private static boolean isHarmless(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT, // direction marks, zero width, byte order, tags
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
                    halves.append("\\u").append(HexFormat.of().toHexDigits(half));
                }
                yield halves.toString();
            }
        };
    }
}
