package io.sluice.streaming.message;

import java.util.regex.Pattern;

/**
 * Removes directories from texts that are sent to a peer: of each path only the file name stays. A path begins with a
 * slash or a drive letter, or has two slashes. Stateless.
 */
final class WithoutPaths {
    private static final String NOT_OF_A_NAME = "\\s/'\"(),;";
    private static final String NAME = "[^" + NOT_OF_A_NAME + "]++";
    /** A folder, and something behind it: a text is read once, however long it is. */
    private static final String FOLDER = NAME + "/(?=[^" + NOT_OF_A_NAME + "])";

    private static final Pattern FOLDERS =
            Pattern.compile("(?<![\\w.-])/(?=[^" + NOT_OF_A_NAME + "])(?:" + FOLDER + ")*+" // absolute
                    + "|(?<![^\\s'\"(),;])(?:" + FOLDER + "){2,}+" // relative
                    + "|(?<!\\w)[A-Za-z]:\\\\(?:[^\\s\\\\]++\\\\)*+"); // of Windows

    private WithoutPaths() {}

    static String text(String reason) {
        return FOLDERS.matcher(reason).replaceAll("");
    }
}
