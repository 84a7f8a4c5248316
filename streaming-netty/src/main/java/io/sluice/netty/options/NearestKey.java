package io.sluice.netty.options;

import java.util.Collection;
import java.util.Comparator;
import java.util.stream.Collectors;

/** What somebody may have meant who wrote a key that there is not. Stateless. */
public final class NearestKey {
    private static final int MAX_NAMED_KEYS = 20;

    private NearestKey() {}

    /** The nearest key if one is near, else the first ones, in parentheses. */
    public static String hint(String key, Collection<String> known) {
        String nearest = known.stream()
                .min(Comparator.comparingInt(one -> distance(key, one)))
                .orElseThrow();
        if (distance(key, nearest) <= Math.max(2, key.length() / 3)) {
            return "(did you mean '" + nearest + "'?)";
        }
        return "(expected: one of " + known.stream().limit(MAX_NAMED_KEYS).collect(Collectors.joining(", ")) + ")";
    }

    /** How many letters must be put in, taken out or replaced (Levenshtein). */
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
