package io.sluice.streaming.install;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Text files of staging that are written as a whole: a first line that names format and version, lines, and as the last
 * one the CRC-32 of all bytes before it. All lines end in {@code \n}. Stateless.
 */
final class SealedText {
    private static final String LAST_WORD = "crc32 ";

    private SealedText() {}

    /** {@code text}, whose lines all end, and its checksum. */
    static byte[] seal(String text) {
        return (text + lastLine(text) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The lines between the first and the last.
     *
     * @param firstLine that has to be there
     * @throws UnreadableLineException if it is another, or the checksum is missing, or differs
     */
    static List<String> open(byte[] bytes, String firstLine) throws UnreadableLineException {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (!text.startsWith(firstLine + "\n")) {
            throw new UnreadableLineException(1, text.lines().findFirst().orElse(""), firstLine);
        }
        int last = Math.max(text.lastIndexOf(LAST_WORD), firstLine.length() + 1);
        String sealed = text.substring(0, last);
        if (!text.substring(last).equals(lastLine(sealed) + "\n")) {
            int line = 1 + (int) sealed.chars().filter(c -> c == '\n').count();
            throw new UnreadableLineException(
                    line,
                    text.substring(last).strip(),
                    lastLine(sealed) + ", by the " + last + " characters before it");
        }
        return sealed.substring(firstLine.length() + 1).lines().toList();
    }

    private static String lastLine(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return String.format("%s%08x", LAST_WORD, crc.getValue());
    }
}
