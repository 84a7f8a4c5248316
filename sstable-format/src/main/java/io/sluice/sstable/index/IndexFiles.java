package io.sluice.sstable.index;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.NewComponents;
import io.sluice.sstable.key.PartitionKey;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * The index of a new SSTable that is being written, partition by partition. Not thread-safe: confined to its writer,
 * which closes it; without {@link #finish()} the files are incomplete.
 */
public sealed interface IndexFiles extends Closeable {
    /** Appends a partition without a block index; its key must be greater than the previous one. */
    void add(PartitionKey key, long position) throws IOException;

    /** The first key. */
    Bytes firstKey();

    /** The last key so far. */
    Bytes lastKey();

    /** Completes the files. Call once, last, after at least one partition. */
    void finish() throws IOException;

    /** Index.db and Summary.db. */
    final class Big implements IndexFiles {
        private final IndexWriter index;
        private final SummaryWriter summary;
        private final NewComponents files;

        private Big(IndexWriter index, SummaryWriter summary, NewComponents files) {
            this.index = index;
            this.summary = summary;
            this.files = files;
        }

        /** Creates the files; samples every {@code interval}-th key. */
        public static Big create(NewComponents files, int interval) throws IOException {
            var summary = new SummaryWriter(interval);
            return new Big(IndexWriter.to(files.create(Component.INDEX)), summary, files);
        }

        @Override
        public void add(PartitionKey key, long position) throws IOException {
            add(key, position, Bytes.EMPTY);
        }

        /** Appends a partition with its block index, which may be empty. */
        public void add(PartitionKey key, long position, Bytes blocks) throws IOException {
            summary.add(key.bytes(), index.position());
            index.add(key, position, blocks);
        }

        /** Where copies of entries are appended; {@link #copied} is called after them. */
        GrowingBuffer entries() {
            return index.entries();
        }

        /** The samples, which copies of entries are added to. */
        SummaryWriter summary() {
            return summary;
        }

        /** The position of the next entry. */
        long position() {
            return index.position();
        }

        /** Entries were appended. */
        void copied() throws IOException {
            index.flushIfFull();
        }

        @Override
        public Bytes firstKey() {
            return summary.firstKey();
        }

        @Override
        public Bytes lastKey() {
            return summary.lastKey();
        }

        @Override
        public void finish() throws IOException {
            index.finish();
            files.write(Component.SUMMARY, summary.encode());
        }

        @Override
        public void close() throws IOException {
            index.close();
        }
    }

    /** Partitions.db and Rows.db. */
    final class Tries implements IndexFiles {
        private final PartitionsWriter partitions;
        private final RowsWriter rows;

        private Tries(PartitionsWriter partitions, RowsWriter rows) {
            this.partitions = partitions;
            this.rows = rows;
        }

        /** Creates the files. */
        public static Tries create(NewComponents files) throws IOException {
            PartitionsWriter partitions = PartitionsWriter.to(files.create(Component.PARTITIONS));
            try {
                return new Tries(partitions, RowsWriter.to(files.create(Component.ROWS)));
            } catch (IOException | RuntimeException | Error failed) {
                partitions.close();
                throw failed;
            }
        }

        @Override
        public void add(PartitionKey key, long position) throws IOException {
            partitions.add(key, ~position);
        }

        /** The writer for the blocks of the next partition, if it has several. */
        public RowsWriter rows() {
            return rows;
        }

        /**
         * Appends the partition whose blocks were added to {@link #rows()} last; {@code deletion} is its encoded
         * deletion.
         */
        public void addWithRows(PartitionKey key, long position, Bytes deletion) throws IOException {
            partitions.add(key, rows.endPartition(key.bytes(), position, deletion));
        }

        /**
         * Appends a copy of a partition, with another position.
         *
         * @param pathLength of its path in the other file
         * @param entry of it in {@code source}, with its blocks; empty if it has none
         */
        void addCopy(
                PartitionKey key, long position, int pathLength, RowsReader source, Optional<RowsReader.Entry> entry)
                throws IOException {
            long number = ~position;
            if (entry.isPresent()) {
                source.visitBlocks(entry.get(), rows::addBlock);
                number = rows.endPartition(key.bytes(), position, entry.get().deletion());
            }
            partitions.add(key, number, pathLength);
        }

        /** See {@link PartitionsWriter#addBranch}. */
        void addBranch(byte[] path, int length, TrieBranch branch, long base, boolean isApart) throws IOException {
            partitions.addBranch(path, length, branch, base, isApart);
        }

        @Override
        public Bytes firstKey() {
            return partitions.firstKey().bytes();
        }

        @Override
        public Bytes lastKey() {
            return partitions.lastKey().bytes();
        }

        @Override
        public void finish() throws IOException {
            partitions.finish();
            rows.finish();
        }

        @Override
        public void close() throws IOException {
            try (partitions) {
                rows.close();
            }
        }
    }
}
