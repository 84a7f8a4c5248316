package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.index.BigCursor;
import io.sluice.sstable.index.EntryCursor;
import io.sluice.sstable.index.IndexEntry;
import io.sluice.sstable.index.IndexFiles;
import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.index.TrieCopier;
import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.metadata.Histogram;
import io.sluice.sstable.token.Token;
import java.io.Closeable;
import java.io.IOException;

/**
 * Copies index entries of an SSTable to the index of a slice: all their numbers except the position are relative to the
 * partition. Opened once for all sections, of which there may be thousands. Not thread-safe: confined to its writer,
 * which closes it.
 */
sealed interface SliceIndex extends Closeable {
    /** Opens the index of {@code source}. */
    static SliceIndex open(SSTable source) throws IOException {
        return switch (source.descriptor().version().format()) {
            case BIG -> new Big(source);
            case BTI -> new Tries(source);
        };
    }

    /** The number of copied entries between two calls of {@code progress}. */
    int ENTRIES_PER_STEP = 1_000;

    /** The token of the first partition of a section. */
    Token firstToken(RangeSection rangeSection) throws IOException;

    /**
     * Adds all partitions of a section to {@code files}, and their lengths to {@code lengths}.
     *
     * @param base subtracted from their positions
     * @param progress runs after every {@link #ENTRIES_PER_STEP} copied entries
     * @throws SSTableException if the index is corrupt, or the section does not begin with a partition
     */
    void copy(RangeSection rangeSection, long base, NewSSTable files, Histogram.Builder lengths, Runnable progress)
            throws IOException;

    private static SSTableException changed(SSTable source, Section section) {
        return new SSTableException(source + ": no partition at " + section.start()
                + " (expected: no change of the files since the slice was begun)");
    }

    /** For Index.db. */
    final class Big implements SliceIndex {
        private final SSTable source;
        private final BigCursor index;

        private Big(SSTable source) throws IOException {
            this.source = source;
            this.index = BigCursor.open(
                    source.path(Component.INDEX), source.path(Component.SUMMARY), source.dataLengthBytes());
        }

        @Override
        public Token firstToken(RangeSection rangeSection) throws IOException {
            return first(rangeSection).key().token();
        }

        private IndexEntry first(RangeSection rangeSection) throws IOException {
            index.seekAfter(rangeSection.range().start());
            return index.nextEntry()
                    .filter(entry -> entry.position() == rangeSection.section().start())
                    .orElseThrow(() -> changed(source, rangeSection.section()));
        }

        @Override
        public void copy(
                RangeSection rangeSection, long base, NewSSTable files, Histogram.Builder lengths, Runnable progress)
                throws IOException {
            long end = rangeSection.section().end();
            var target = (IndexFiles.Big) files.index();
            IndexEntry first = first(rangeSection);
            boolean needsHashes = files.needsHashes();
            try (EntryCursor cursor =
                    EntryCursor.open(source.path(Component.INDEX), first.indexPosition(), needsHashes)) {
                boolean hasNext = cursor.next();
                long entries = 0;
                while (hasNext && cursor.position() < end) {
                    long start = cursor.position();
                    target.add(cursor, start - base);
                    if (needsHashes) {
                        files.addHash(cursor.key().hash());
                    }
                    hasNext = cursor.next();
                    lengths.add((hasNext ? cursor.position() : end) - start);
                    entries++;
                    if (entries % ENTRIES_PER_STEP == 0) {
                        progress.run();
                    }
                }
            }
        }

        @Override
        public void close() throws IOException {
            index.close();
        }
    }

    /** For Partitions.db and Rows.db. */
    final class Tries implements SliceIndex {
        private final TrieCopier copier;

        private Tries(SSTable source) throws IOException {
            this.copier = TrieCopier.takeOver(
                    source.path(Component.PARTITIONS), source.path(Component.ROWS), source.openData());
        }

        @Override
        public Token firstToken(RangeSection rangeSection) throws IOException {
            return copier.firstToken(rangeSection);
        }

        @Override
        public void copy(
                RangeSection rangeSection, long base, NewSSTable files, Histogram.Builder lengths, Runnable progress)
                throws IOException {
            var target = (IndexFiles.Tries) files.index();
            copier.copy(rangeSection, base, target, new TrieCopier.Listener() {
                private long entries;

                @Override
                public boolean needsHashes() {
                    return files.needsHashes();
                }

                @Override
                public void hashed(Murmur3 hash) {
                    files.addHash(hash);
                }

                @Override
                public void copied(long lengthBytes) {
                    lengths.add(lengthBytes);
                    entries++;
                    if (entries % ENTRIES_PER_STEP == 0) {
                        progress.run();
                    }
                }
            });
        }

        @Override
        public void close() throws IOException {
            copier.close();
        }
    }
}
