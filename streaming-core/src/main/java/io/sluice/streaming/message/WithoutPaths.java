package io.sluice.streaming.message;

import java.util.regex.Pattern;

/**
 * What is said to a peer names files, but not where they lie: of each path the last name stays. A path is what begins
 * with a slash or a drive letter, or has two slashes. Stateless.
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
