package io.sluice.streaming.install;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Text of staging that is written as a whole, a file or a part of one: the last line has the CRC-32 of all bytes before
 * it; the first line of a file names format and version. All lines end in {@code \n}. Stateless.
 */
final class SealedText {
    private static final String LAST_WORD = "crc32 ";

    /** Length of the last line. */
    static final int SEAL_BYTES = LAST_WORD.length() + 8 + 1;

    private SealedText() {}

    /** Appends the checksum to {@code text}, which must end in a line feed. */
    static byte[] seal(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] seal = (lastLine(bytes) + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] sealed = Arrays.copyOf(bytes, bytes.length + seal.length);
        System.arraycopy(seal, 0, sealed, bytes.length, seal.length);
        return sealed;
    }

    /**
     * The lines between the first and the last.
     *
     * @param firstLine the expected first line
     * @throws UnreadableLineException if the first line differs, or the checksum is missing or wrong
     */
    static List<String> open(byte[] bytes, String firstLine) throws UnreadableLineException {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (!text.startsWith(firstLine + "\n")) {
            throw new UnreadableLineException(1, text.lines().findFirst().orElse(""), firstLine);
        }
        int last = Math.max(text.lastIndexOf(LAST_WORD), firstLine.length() + 1);
        String sealed = text.substring(0, last);
        String lastLine = lastLine(sealed.getBytes(StandardCharsets.UTF_8));
        if (!text.substring(last).equals(lastLine + "\n")) {
            int line = 1 + (int) sealed.chars().filter(c -> c == '\n').count();
            throw new UnreadableLineException(
                    line, text.substring(last).strip(), lastLine + ", by the " + last + " characters before it");
        }
        return sealed.substring(firstLine.length() + 1).lines().toList();
    }

    /** Whether a line looks like the last one of a sealed text. */
    static boolean isSeal(String line) {
        return line.startsWith(LAST_WORD);
    }

    /**
     * Checks the last line, without its line feed, of a sealed text.
     *
     * @param number of that line
     * @param text all before it
     */
    static void requireSeal(String line, int number, String text) throws UnreadableLineException {
        String expected = lastLine(text.getBytes(StandardCharsets.UTF_8));
        if (!line.equals(expected)) {
            throw new UnreadableLineException(number, line, expected + ", by the lines before it");
        }
    }

    private static String lastLine(byte[] text) {
        CRC32 crc = new CRC32();
        crc.update(text);
        return String.format("%s%08x", LAST_WORD, crc.getValue());
    }
}
