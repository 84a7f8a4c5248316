package io.sluice.harness.content;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Counts what is read of some sections of Data.db, which several readers may pass, each from its beginning: what the
 * furthest of them has passed. Not thread-safe: confined to the thread that reads.
 */
public final class RowsRead implements LongConsumer {
    private final List<Section> sections;
    private final LongConsumer more;
    private long reported;

    private RowsRead(List<Section> sections, LongConsumer more) {
        this.sections = sections;
        this.more = more;
    }

    /**
     * Counts what is read of {@code ranges}.
     *
     * @param more receives bytes that nobody had read before, on the thread that reads
     */
    public static RowsRead of(SSTable sstable, TokenRanges ranges, LongConsumer more) throws IOException {
        return new RowsRead(sstable.sections(ranges), more);
    }

    /** The same SSTable, whose readers are counted as by {@link #of}. */
    public static SSTable watched(SSTable sstable, TokenRanges ranges, LongConsumer more) throws IOException {
        return sstable.watchedBy(of(sstable, ranges, more));
    }

    /** How much of Data.db lies in {@code ranges}. */
    public static long bytes(SSTable sstable, TokenRanges ranges) throws IOException {
        return sstable.sections(ranges).stream().mapToLong(Section::lengthBytes).sum();
    }

    @Override
    public void accept(long position) {
        long passed = sections.stream()
                .mapToLong(section -> Math.max(0, Math.min(position - section.start(), section.lengthBytes())))
                .sum();
        more.accept(Math.max(0, passed - reported));
        reported = Math.max(reported, passed);
    }
}
