package io.sluice.harness.cli.sstable;

import io.sluice.harness.cli.LongWork;
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
final class RowsRead implements LongConsumer {
    private final List<Section> sections;
    private final LongWork work;
    private long reported;

    private RowsRead(List<Section> sections, LongWork work) {
        this.sections = sections;
        this.work = work;
    }

    /** Notifies {@code work} of what is read of {@code ranges}. */
    static RowsRead of(SSTable sstable, TokenRanges ranges, LongWork work) throws IOException {
        return new RowsRead(sstable.sections(ranges), work);
    }

    /** The same SSTable, whose readers notify {@code work} of how much they have read. */
    static SSTable watched(SSTable sstable, TokenRanges ranges, LongWork work) throws IOException {
        return sstable.watchedBy(of(sstable, ranges, work));
    }

    /** How much of Data.db lies in {@code ranges}. */
    static long bytes(SSTable sstable, TokenRanges ranges) throws IOException {
        return sstable.sections(ranges).stream().mapToLong(Section::lengthBytes).sum();
    }

    @Override
    public void accept(long position) {
        long passed = sections.stream()
                .mapToLong(section -> Math.max(0, Math.min(position - section.start(), section.lengthBytes())))
                .sum();
        work.add(Math.max(0, passed - reported));
        reported = Math.max(reported, passed);
    }
}
