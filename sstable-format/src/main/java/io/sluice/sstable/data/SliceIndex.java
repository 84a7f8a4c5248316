package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.index.BigCursor;
import io.sluice.sstable.index.CopiedPartitions;
import io.sluice.sstable.index.EntryCopier;
import io.sluice.sstable.index.IndexEntry;
import io.sluice.sstable.index.IndexFiles;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.index.TrieCopier;
import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.metadata.Histogram;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Copies index entries of an SSTable to the index of a slice: all their numbers except the position are relative to the
 * partition. Opened once for all sections, of which there may be thousands. Not thread-safe: confined to its writer,
 * which closes it.
 */
sealed interface SliceIndex extends Closeable {
    /**
     * Opens the index of {@code source}.
     *
     * @param needsAllKeys whether all keys are hashed; if not, those that are may be read unchecked
     */
    static SliceIndex open(SSTable source, boolean needsAllKeys) throws IOException {
        return switch (source.descriptor().version().format()) {
            case BIG -> new Big(source);
            case BTI -> new Tries(source, needsAllKeys);
        };
    }

    /** The number of copied entries between two calls of {@code progress}. */
    int ENTRIES_PER_STEP = 1_000;

    /**
     * Adds all partitions of a section to {@code files}, and their lengths to {@code lengths}.
     *
     * @param base subtracted from their positions
     * @param progress runs after every {@link #ENTRIES_PER_STEP} copied entries
     * @throws SSTableException if the index is corrupt, or the section does not begin with a partition
     */
    void copy(RangeSection rangeSection, long base, NewSSTable files, Histogram.Builder lengths, Runnable progress)
            throws IOException;

    /** Adds the hashes of all keys of a section, after it was copied. */
    static void addHashes(SSTable source, RangeSection rangeSection, NewSSTable files) throws IOException {
        try (PartitionCursor partitions = source.partitions()) {
            partitions.seekAfter(rangeSection.range().start());
            Optional<PartitionEntry> next = partitions.next();
            while (next.isPresent()
                    && next.get().position() < rangeSection.section().end()) {
                files.addHash(next.get().key().hash());
                next = partitions.next();
            }
        }
    }

    static SSTableException changed(SSTable source, Section section) {
        return new SSTableException(source + ": no partition at " + section.start()
                + " (expected: no change of the files since the slice was begun)");
    }

    /** Passes on what is copied. */
    final class Copied implements CopiedPartitions {
        private final NewSSTable files;
        private final int hashInterval;
        private final Histogram.Builder lengths;
        private final Runnable progress;
        private int untilStep = ENTRIES_PER_STEP;

        private Copied(NewSSTable files, Histogram.Builder lengths, Runnable progress) {
            this.files = files;
            this.hashInterval = files.hashInterval();
            this.lengths = lengths;
            this.progress = progress;
        }

        @Override
        public int hashInterval() {
            return hashInterval;
        }

        @Override
        public void hashed(Murmur3 hash) {
            files.copiedHash(hash);
        }

        @Override
        public void copied(long lengthBytes) {
            lengths.add(lengthBytes);
            untilStep--;
            if (untilStep == 0) {
                untilStep = ENTRIES_PER_STEP;
                progress.run();
            }
        }
    }

    /** For Index.db. */
    final class Big implements SliceIndex {
        private final SSTable source;
        private final BigCursor index;
        private final EntryCopier entries;

        private Big(SSTable source) throws IOException {
            this.source = source;
            this.index = BigCursor.open(
                    source.path(Component.INDEX), source.path(Component.SUMMARY), source.dataLengthBytes());
            try {
                this.entries = EntryCopier.open(source.path(Component.INDEX));
            } catch (IOException | RuntimeException failed) {
                index.close();
                throw failed;
            }
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
            long from = first(rangeSection).indexPosition();
            var target = (IndexFiles.Big) files.index();
            entries.copy(from, end, base, target, new Copied(files, lengths, progress));
        }

        @Override
        public void close() throws IOException {
            try (entries) {
                index.close();
            }
        }
    }

    /** For Partitions.db and Rows.db. */
    final class Tries implements SliceIndex {
        private final TrieCopier copier;

        private Tries(SSTable source, boolean needsAllKeys) throws IOException {
            DataReader data = source.openData();
            DataReader hashed;
            try {
                // Of a few keys, which only test a filter, a chunk each would be too much to read.
                hashed = needsAllKeys || source.isCompressed()
                        ? source.openData()
                        : DataReader.plain(source.path(Component.DATA));
            } catch (IOException | RuntimeException failed) {
                data.close();
                throw failed;
            }
            this.copier =
                    TrieCopier.takeOver(source.path(Component.PARTITIONS), source.path(Component.ROWS), data, hashed);
        }

        @Override
        public void copy(
                RangeSection rangeSection, long base, NewSSTable files, Histogram.Builder lengths, Runnable progress)
                throws IOException {
            var target = (IndexFiles.Tries) files.index();
            copier.copy(rangeSection, base, target, new Copied(files, lengths, progress));
        }

        @Override
        public void close() throws IOException {
            copier.close();
        }
    }
}
