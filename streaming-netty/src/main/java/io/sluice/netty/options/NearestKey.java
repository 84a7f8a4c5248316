package io.sluice.netty.options;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Suggests a key for an unknown one. Stateless. */
public final class NearestKey {
    private static final int MAX_NAMED_KEYS = 20;

    private NearestKey() {}

    /**
     * In parentheses: the new name of a renamed key, otherwise the nearest key if one is near, otherwise the first
     * known keys.
     */
    public static String hint(String key, Collection<String> known) {
        return hint(key, known, DeclaredOptions.RENAMED);
    }

    static String hint(String key, Collection<String> known, Map<String, String> renamed) {
        String now = renamed.get(key);
        if (now != null && known.contains(now)) {
            return "(it is '" + now + "' now)";
        }
        String nearest = known.stream()
                .min(Comparator.comparingInt(one -> distance(key, one)))
                .orElseThrow();
        if (isNear(key, nearest)) {
            return "(did you mean '" + nearest + "'?)";
        }
        return "(expected: one of " + known.stream().limit(MAX_NAMED_KEYS).collect(Collectors.joining(", ")) + ")";
    }

    /** Those of {@code known} that {@code word} may be a misspelling of, nearest first. */
    public static List<String> near(String word, Collection<String> known) {
        return known.stream()
                .filter(one -> isNear(word, one))
                .sorted(Comparator.comparingInt((String one) -> distance(word, one))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /** A longer word may have more slips. */
    private static boolean isNear(String word, String known) {
        return distance(word, known) <= Math.max(2, word.length() / 3);
    }

    /** The Levenshtein distance. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
