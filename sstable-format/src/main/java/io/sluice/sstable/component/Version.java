package io.sluice.sstable.component;

import java.util.Arrays;
import java.util.List;

/** The format versions that Sluice reads and writes. */
public enum Version {
    /** BIG, Cassandra 4.0 and 4.1, and 5.0 in its default compatibility mode. */
    NB(SSTableFormat.BIG),
    /** BIG, Cassandra 5.0. */
    OA(SSTableFormat.BIG),
    /** BTI, Cassandra 5.0. */
    DA(SSTableFormat.BTI);

    private final SSTableFormat format;

    Version(SSTableFormat format) {
        this.format = format;
    }

    public SSTableFormat format() {
        return format;
    }

    /** The two lower-case letters of file names. */
    public String letters() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** The letters of all, for messages: {@code nb, oa or da}. */
    public static String all() {
        List<String> letters = Arrays.stream(values()).map(Version::letters).toList();
        int last = letters.size() - 1;
        return String.join(", ", letters.subList(0, last)) + " or " + letters.get(last);
    }

    /** Whether deletion times, statistics and bounds are laid out as 5.0 does it ({@code oa} and {@code da}). */
    public boolean isFiveZero() {
        return this != NB;
    }
}
