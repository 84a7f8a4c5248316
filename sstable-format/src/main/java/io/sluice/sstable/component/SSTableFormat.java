package io.sluice.sstable.component;

import java.util.Locale;

/** The two families of on-disk formats. */
public enum SSTableFormat {
    /** Partition index in one sorted file (Index.db) with a sampled Summary.db. */
    BIG,
    /** Partition and row index as tries (Partitions.db, Rows.db). */
    BTI;

    private final String fileNamePart = name().toLowerCase(Locale.ROOT);

    /** The name used in file names: {@code big}, {@code bti}. */
    public String fileNamePart() {
        return fileNamePart;
    }
}
