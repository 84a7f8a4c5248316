package io.sluice.streaming.install;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Text files of staging that are written as a whole: the first line names format and version, the last one has the
 * CRC-32 of all bytes before it. All lines end in {@code \n}. Stateless.
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

    private static String lastLine(byte[] text) {
        CRC32 crc = new CRC32();
        crc.update(text);
        return String.format("%s%08x", LAST_WORD, crc.getValue());
    }
}
