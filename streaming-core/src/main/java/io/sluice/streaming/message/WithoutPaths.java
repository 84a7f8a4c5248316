package io.sluice.streaming.message;

import java.util.regex.Pattern;

/**
 * Removes directories from texts that are sent to a peer: of each path only the file name stays. A path begins with a
 * slash or a drive letter, or has two slashes. Stateless.
 */
final class WithoutPaths {
    private static final String NAME = "[^\\s/'\"(),;]++";
    private static final Pattern FOLDERS =
            Pattern.compile("(?<![\\w.-])/(?:" + NAME + "/)*+(?=" + NAME + ")" // absolute
                    + "|(?:" + NAME + "/){2,}+(?=" + NAME + ")" // relative
                    + "|(?<!\\w)[A-Za-z]:\\\\(?:[^\\s\\\\]++\\\\)*+"); // of Windows

    private WithoutPaths() {}

    static String text(String reason) {
        return FOLDERS.matcher(reason).replaceAll("");
    }
}
