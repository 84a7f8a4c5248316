package io.sluice.harness.plan;

import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.transfer.RequestedSections;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A model of a table's SSTables at a node after long compaction: positions are bytes of the node's rows in token order,
 * and each SSTable holds a uniform share of the rows from one position to another. Immutable.
 *
 * <p>Size-tiered: three SSTables of each size, each size a quarter of the next larger, all spanning the node's ranges;
 * the smallest is about one memtable. Leveled: SSTables of one size side by side, nine tenths of the rows in the last
 * level, nine tenths of the rest in the level above, and so on.
 */
record ModelledSSTables(List<Level> levels, Optional<Integer> chunkLengthBytes) {
    private static final long MEMTABLE_BYTES = 64L << 20;
    private static final int FAN_OUT = 4;
    private static final int LEVEL_FACTOR = 10;
    /** Ratio of size on disk to size of rows, before compression; a guess for rows of some hundred bytes. */
    private static final double BYTES_ON_DISK_PER_ROW_BYTE = 1.05;

    /** Compaction strategy of a table. */
    enum Strategy {
        SIZE_TIERED,
        LEVELED
    }

    /** SSTables of {@code spanBytes} positions each, side by side, with {@code share} of the rows there. */
    private record Level(long spanBytes, double share) {}

    /** A wanted section of positions, and its tokens. */
    record Interval(TokenRange range, double start, double end) {}

    ModelledSSTables {
        levels = List.copyOf(levels);
    }

    /**
     * Models the SSTables of {@code totalBytes} of rows.
     *
     * @param sstableBytes of one SSTable of a leveled table
     */
    static ModelledSSTables of(
            Strategy strategy, long totalBytes, long sstableBytes, Optional<Integer> chunkLengthBytes) {
        List<Level> levels = new ArrayList<>();
        long left = totalBytes;
        switch (strategy) {
            case SIZE_TIERED -> {
                for (long size = totalBytes / FAN_OUT; size >= MEMTABLE_BYTES; size /= FAN_OUT) {
                    for (int i = 1; i < FAN_OUT; i++) {
                        levels.add(new Level(totalBytes, (double) size / totalBytes));
                        left -= size;
                    }
                }
                levels.add(new Level(Math.max(1, totalBytes), (double) left / Math.max(1, totalBytes)));
            }
            case LEVELED -> {
                double share = 1;
                while (left > sstableBytes) {
                    double here = share * (LEVEL_FACTOR - 1) / LEVEL_FACTOR;
                    levels.add(new Level(Math.round(sstableBytes / here), here));
                    share -= here;
                    left = Math.round(totalBytes * share);
                }
                levels.add(new Level(Math.max(1, totalBytes), share));
            }
        }
        return new ModelledSSTables(levels, chunkLengthBytes);
    }

    /**
     * The wanted sections of each SSTable that has some.
     *
     * @param intervals ascending, disjoint
     */
    List<RequestedSections> wanted(List<Interval> intervals) {
        List<RequestedSections> wanted = new ArrayList<>();
        for (Level level : levels) {
            addWanted(level, intervals, wanted);
        }
        return wanted;
    }

    private void addWanted(Level level, List<Interval> intervals, List<RequestedSections> wanted) {
        List<RangeSection> sections = new ArrayList<>();
        long sstable = -1;
        for (Interval interval : intervals) {
            long last = (long) Math.ceil(interval.end() / level.spanBytes()) - 1;
            for (long index = (long) (interval.start() / level.spanBytes()); index <= last; index++) {
                if (index != sstable) {
                    add(level, sections, wanted);
                    sections.clear();
                    sstable = index;
                }
                double base = (double) index * level.spanBytes();
                double start = Math.max(0, interval.start() - base);
                double end = Math.min((double) level.spanBytes(), interval.end() - base);
                addSection(interval.range(), start * level.share(), end * level.share(), sections);
            }
        }
        add(level, sections, wanted);
    }

    private static void addSection(TokenRange range, double start, double end, List<RangeSection> sections) {
        long from = Math.round(start);
        long to = Math.round(end);
        int last = sections.size() - 1;
        if (from >= to) {
            return;
        }
        if (last >= 0 && sections.get(last).section().end() >= from) {
            RangeSection before = sections.get(last);
            sections.set(
                    last,
                    new RangeSection(
                            before.range(), new Section(before.section().start(), to)));
        } else {
            sections.add(new RangeSection(range, new Section(from, to)));
        }
    }

    private void add(Level level, List<RangeSection> sections, List<RequestedSections> wanted) {
        if (!sections.isEmpty()) {
            long end = sections.get(sections.size() - 1).section().end();
            long length = Math.max(end, Math.round(level.spanBytes() * level.share()));
            wanted.add(new RequestedSections(
                    Math.round(length * BYTES_ON_DISK_PER_ROW_BYTE), length, chunkLengthBytes, sections));
        }
    }
}
