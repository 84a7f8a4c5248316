package io.sluice.sstable;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the sections of token ranges in one SSTable, and looks up each token in its index once: the ranges of many
 * nodes have their ends in common. Keeps about 100 bytes for each token. Not thread-safe; the caller closes it.
 */
public final class SectionFinder implements Closeable {
    /** Reading so many entries of an index takes about as long as to find one. */
    private static final int NEAR_PARTITIONS = 16;

    private final SSTable sstable;
    private final Map<Token, Long> positions = new HashMap<>();
    /** Opened for the first look-up. */
    private @Nullable PartitionCursor cursor;
    /** The last one that was looked up. */
    private @Nullable Token before;
    /** The first partition behind it. */
    private Optional<PartitionEntry> found = Optional.empty();

    SectionFinder(SSTable sstable) {
        this.sstable = sstable;
    }

    /**
     * Looks up tokens in advance: in ascending order that is faster than in the order of the nodes that own them.
     *
     * @throws SSTableException if the index is malformed
     */
    public void lookUp(SortedSet<Token> tokens) throws IOException {
        if (sstable.dataLengthBytes() > 0) {
            for (Token token : tokens.subSet(sstable.firstToken(), sstable.lastToken())) {
                positionAfter(token);
            }
        }
    }

    /**
     * The sections of the partitions in {@code ranges}: ascending, not adjacent, empty if there is no such partition.
     *
     * @throws SSTableException as {@link #rangeSections}
     */
    public List<Section> sections(TokenRanges ranges) throws IOException {
        return rangeSections(ranges).stream().map(RangeSection::section).toList();
    }

    /**
     * The sections of the partitions in {@code ranges}, each with the range of its first partition.
     *
     * @throws SSTableException if the index is malformed, or there is no data
     */
    public List<RangeSection> rangeSections(TokenRanges ranges) throws IOException {
        List<RangeSection> rangeSections = new ArrayList<>();
        if (!isTouchedBy(ranges)) {
            return rangeSections;
        }
        if (sstable.dataLengthBytes() == 0) { // it may be opened so: what a slice has of its own may be no data
            throw new SSTableException(sstable.path(Component.DATA) + ": no bytes (expected: at least one partition)");
        }
        for (TokenRange range : ranges.ranges()) {
            if (holdsAll(range)) { // true for most streamed SSTables: no look-up needed
                return List.of(new RangeSection(range, new Section(0, sstable.dataLengthBytes())));
            }
        }
        for (TokenRange range : ranges.ranges()) {
            if (!isTouchedBy(TokenRanges.of(range))) {
                continue; // most ranges miss most SSTables, and look-ups are expensive
            }
            long start = range.start().equals(Token.MINIMUM) ? 0 : positionAfter(range.start());
            long end = range.end().equals(Token.MINIMUM) ? sstable.dataLengthBytes() : positionAfter(range.end());
            if (start < end) {
                add(new RangeSection(range, new Section(start, end)), rangeSections);
            }
        }
        return List.copyOf(rangeSections);
    }

    private boolean isTouchedBy(TokenRanges ranges) {
        return ranges.intersects(sstable.firstToken(), sstable.lastToken());
    }

    private boolean holdsAll(TokenRange range) {
        boolean fromFirst = range.start().equals(Token.MINIMUM) || range.start().compareTo(sstable.firstToken()) < 0;
        return fromFirst && (range.end().equals(Token.MINIMUM) || range.end().compareTo(sstable.lastToken()) >= 0);
    }

    /** Where the first partition behind a token begins, or the data ends. */
    private long positionAfter(Token token) throws IOException {
        Long known = positions.get(token);
        if (known != null) {
            return known;
        }
        PartitionCursor partitions = cursor;
        if (partitions == null) {
            partitions = sstable.partitions();
            cursor = partitions;
        }
        if (!isNear(token, partitions)) {
            partitions.seekAfter(token);
            found = partitions.next();
        }
        before = token;
        long position = found.map(PartitionEntry::position).orElse(sstable.dataLengthBytes());
        positions.put(token, position);
        return position;
    }

    /** Goes on to the first partition behind a token if that is not far; returns whether it is found. */
    private boolean isNear(Token token, PartitionCursor partitions) throws IOException {
        if (before == null || token.compareTo(before) < 0) {
            return false;
        }
        for (int i = 0; i < NEAR_PARTITIONS; i++) {
            if (found.isEmpty() || found.get().token().compareTo(token) > 0) {
                return true;
            }
            found = partitions.next();
        }
        return false;
    }

    private static void add(RangeSection next, List<RangeSection> rangeSections) {
        int last = rangeSections.size() - 1;
        RangeSection before = last < 0 ? next : rangeSections.get(last);
        if (before.section().end() == next.section().start()) {
            Section joined =
                    new Section(before.section().start(), next.section().end());
            rangeSections.set(last, new RangeSection(before.range(), joined));
        } else {
            rangeSections.add(next);
        }
    }

    @Override
    public void close() throws IOException {
        if (cursor != null) {
            cursor.close();
        }
    }
}
