package io.sluice.sstable.data;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.ItemWindow;
import io.sluice.sstable.index.IndexEntry;
import io.sluice.sstable.index.IndexReader;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.index.RowsReader;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.index.TrieCursor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Compares block indexes with their rows: those of Index.db and the tries of Rows.db have no checksum, and a corrupt
 * one hides rows from reads. Decodes only partitions with a block index. Not thread-safe: confined to one call.
 */
public final class BlockIndexCheck {
    private final SSTable sstable;
    private final SerializationHeader header;
    private final Times times;

    private BlockIndexCheck(SSTable sstable) throws IOException {
        this.sstable = sstable;
        this.header = SerializationHeader.parse(sstable.statistics().header());
        this.times = new Times(sstable.descriptor().version(), header.base());
    }

    /**
     * Checks all block indexes of {@code sstable}.
     *
     * @throws SSTableException if one does not match the rows, or either is malformed
     */
    public static void check(SSTable sstable) throws IOException {
        var check = new BlockIndexCheck(sstable);
        switch (sstable.descriptor().version().format()) {
            case BIG -> check.promoted();
            case BTI -> check.tries();
        }
    }

    private void promoted() throws IOException {
        Path file = sstable.path(Component.INDEX);
        try (IndexReader index = IndexReader.open(file);
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            var in = new ItemWindow(
                    file, (from, into) -> ComponentInput.readFully(file, channel, from, into), channel.size());
            Optional<IndexEntry> next = index.next();
            while (next.isPresent()) {
                IndexEntry entry = next.get();
                next = index.next();
                long end = next.map(IndexEntry::position).orElse(sstable.dataLengthBytes());
                if (entry.blocksLengthBytes() > 0) {
                    try (Rows rows = new Rows(new Section(entry.position(), end))) {
                        promoted(entry, in, rows);
                    }
                }
            }
        }
    }

    private void promoted(IndexEntry entry, ItemWindow in, Rows rows) throws IOException {
        long end = entry.blocksPosition() + entry.blocksLengthBytes();
        in.seek(entry.blocksPosition(), end);
        require("length of the header", in.readUnsignedVInt(), rows.offset(), entry, in);
        require("deletion of the partition", deletion(entry, in), rows.deletion(), entry, in);
        long blocks = in.require("number of blocks", in.readUnsignedVInt(), entry.blocksLengthBytes());
        long firstBlock = in.position();
        var offsets = new GrowingBuffer();
        for (long i = 0; i < blocks; i++) {
            in.beginItem();
            offsets.putInt((int) (in.position() - firstBlock));
            promotedBlock(entry, in, rows);
        }
        if (!rows.isAtEnd()) {
            throw malformed("ends before the item at " + rows.offset() + " (expected: after the last one)", entry, in);
        }
        in.beginItem();
        in.skip(offsets.length());
        require("offsets of blocks", in.copy(0, offsets.length()), offsets.toBytes(), entry, in);
        require("end of the block index", in.position(), end, entry, in);
    }

    private void promotedBlock(IndexEntry entry, ItemWindow in, Rows rows) throws IOException {
        ClusteringPrefix first = prefix(in);
        ClusteringPrefix last = prefix(in);
        long start = in.readUnsignedVInt();
        long end = start + PromotedIndex.BLOCK_BYTES + in.readSignedVInt();
        DeletionTime open = in.readByte() == 0 ? DeletionTime.LIVE : deletion(entry, in);
        require("start of a block", start, rows.offset(), entry, in);
        require("first item of a block", first, rows.clustering(), entry, in);
        rows.advanceTo(end);
        // The last block ends with the byte that ends the partition, or before it.
        long found = rows.isAtEnd() && end == rows.offset() + 1 ? end : rows.offset();
        require("end of a block", end, found, entry, in);
        require("last item of a block", last, rows.before(), entry, in);
        require("deletion that is open after a block", open, rows.open(), entry, in);
    }

    /** A deletion is absent by its timestamp alone; its other half must then have its fixed value, too. */
    private DeletionTime deletion(IndexEntry entry, ItemWindow in) throws IOException {
        int start = in.offset();
        DeletionTime deletion = times.readFullDeletion(in);
        if (deletion.isLive()) {
            require("no deletion", in.copy(start, in.offset() - start), encode(DeletionTime.LIVE), entry, in);
        }
        return deletion;
    }

    private ClusteringPrefix prefix(ItemWindow in) throws IOException {
        var clustering = new Clustering(header.clusteringTypes());
        if (in.peekByte() == ClusteringPrefix.Kind.ROW.number()) {
            in.readByte();
            clustering.readRow(in);
        } else {
            clustering.readBound(in);
        }
        return clustering.toPrefix(in.copyItem());
    }

    private static void require(String what, Object actual, Object expected, IndexEntry entry, ItemWindow in)
            throws SSTableException {
        if (!actual.equals(expected)) {
            throw malformed(what + " is " + actual + " (expected: " + expected + ", as Data.db says)", entry, in);
        }
    }

    private static SSTableException malformed(String problem, IndexEntry entry, ItemWindow in) {
        return in.malformed("block index of " + entry.key() + ": " + problem);
    }

    private void tries() throws IOException {
        var comparable = new ComparableClustering(header.clusteringTypes());
        try (TrieCursor partitions = TrieCursor.takeOver(
                        sstable.path(Component.PARTITIONS), sstable.path(Component.ROWS), sstable.openData());
                RowsReader reader = RowsReader.open(sstable.path(Component.ROWS))) {
            for (Optional<PartitionEntry> next = partitions.next(); next.isPresent(); next = partitions.next()) {
                OptionalLong rowsPosition = partitions.rowsPosition();
                if (rowsPosition.isPresent()) {
                    RowsReader.Entry entry = reader.entry(rowsPosition.getAsLong());
                    try (Rows rows = new Rows(
                            new Section(next.get().position(), next.get().end()))) {
                        trie(entry, reader, rows, comparable);
                    }
                }
            }
        }
    }

    private void trie(RowsReader.Entry entry, RowsReader reader, Rows rows, ComparableClustering comparable)
            throws IOException {
        requireInTrie("deletion of the partition", entry.deletion(), encode(rows.deletion()), entry, reader);
        reader.visitBlocks(entry, (separator, length, offset, openDeletion) -> {
            rows.advanceTo(offset);
            requireInTrie("start of a block", offset, rows.offset(), entry, reader);
            Bytes open = rows.open().isLive() ? Bytes.EMPTY : encode(rows.open());
            requireInTrie("deletion that is open before a block", openDeletion, open, entry, reader);
            if (!comparable.isKnown()) {
                return;
            }
            boolean isAfterLast = rows.isAtStart() || compare(separator, length, comparable.of(rows.before())) > 0;
            boolean isBeforeFirst = rows.isAtEnd() || compare(separator, length, comparable.of(rows.clustering())) <= 0;
            if (!isAfterLast || !isBeforeFirst) {
                throw reader.malformed("row index of " + entry.key() + ": separator "
                        + Bytes.wrap(separator, 0, length) + " of the block at " + offset
                        + " (expected: after the items before, and not after its first)");
            }
        });
        if (!rows.isAtEnd()) {
            throw reader.malformed("row index of " + entry.key() + ": ends at " + rows.offset()
                    + " (expected: at the end of the partition)");
        }
    }

    private static int compare(byte[] separator, int length, byte[] form) {
        return Arrays.compareUnsigned(separator, 0, length, form, 0, form.length);
    }

    private static void requireInTrie(
            String what, Object actual, Object expected, RowsReader.Entry entry, RowsReader reader)
            throws SSTableException {
        if (!actual.equals(expected)) {
            throw reader.malformed("row index of " + entry.key() + ": " + what + " is " + actual + " (expected: "
                    + expected + ", as Data.db says)");
        }
    }

    private Bytes encode(DeletionTime deletion) {
        var out = new GrowingBuffer();
        times.writeFullDeletion(deletion, out);
        return out.toBytes();
    }

    /** The items of one partition, with one item read ahead. */
    private final class Rows implements AutoCloseable {
        private final RowCursor cursor;
        private final long start;
        private final DeletionTime deletion;
        private boolean isAtStart = true;
        private boolean isAtEnd;
        private ClusteringPrefix clustering = ClusteringPrefix.STATIC;
        private ClusteringPrefix before = ClusteringPrefix.STATIC;
        private DeletionTime open = DeletionTime.LIVE;

        Rows(Section partition) throws IOException {
            this.start = partition.start();
            this.cursor = new RowCursor(sstable.openData(), sstable.descriptor().version(), header, List.of(partition));
            try {
                cursor.nextPartition();
                this.deletion = cursor.partitionDeletion();
                if (!header.staticColumns().isEmpty()) {
                    cursor.nextItem();
                }
                moveOn();
            } catch (IOException | RuntimeException failed) {
                cursor.close();
                throw failed;
            }
        }

        private void moveOn() throws IOException {
            isAtEnd = !cursor.nextItem();
            clustering = isAtEnd ? ClusteringPrefix.STATIC : cursor.clustering();
        }

        /** Goes to the first item at {@code offset} or after it, or to the end. */
        void advanceTo(long offset) throws IOException {
            while (!isAtEnd && offset() < offset) {
                before = clustering;
                isAtStart = false;
                if (clustering.kind().side() != 0) {
                    open = cursor.starting();
                }
                moveOn();
            }
        }

        boolean isAtStart() {
            return isAtStart;
        }

        boolean isAtEnd() {
            return isAtEnd;
        }

        /** The offset of the item ahead, or of the end byte of the partition. */
        long offset() {
            return cursor.position() - start;
        }

        DeletionTime deletion() {
            return deletion;
        }

        ClusteringPrefix clustering() {
            return clustering;
        }

        ClusteringPrefix before() {
            return before;
        }

        /** The deletion that is open before the item ahead. */
        DeletionTime open() {
            return open;
        }

        @Override
        public void close() throws IOException {
            cursor.close();
        }
    }
}
