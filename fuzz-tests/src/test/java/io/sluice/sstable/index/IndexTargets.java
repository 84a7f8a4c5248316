package io.sluice.sstable.index;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.key.Murmur3;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Index.db, Summary.db, and the tries of Partitions.db and Rows.db. Stateless. */
public final class IndexTargets {
    private static final long DATA_LENGTH = 1 << 20;
    private static final Token SOUGHT = new Token(0);

    private IndexTargets() {}

    /** Index.db, by objects. */
    public static void index(byte[] input) throws IOException {
        try (IndexReader index = IndexReader.open(MemoryFiles.file("Index.db", input))) {
            for (Optional<IndexEntry> entry = index.next(); entry.isPresent(); entry = index.next()) {
                index.blocks(entry.get());
            }
        }
    }

    /** Index.db, without objects, and its ends. */
    public static void indexInPlace(byte[] input) throws IOException {
        Path file = MemoryFiles.file("Index.db", input);
        try (MemoryFiles.Folder folder = MemoryFiles.folder();
                EntryCopier entries = EntryCopier.open(file);
                IndexFiles.Big copy = IndexFiles.Big.create(
                        component -> ComponentOutput.create(folder.path().resolve(component.fileName())), 3)) {
            entries.copy(0, Long.MAX_VALUE, 0, copy, new AllHashed());
            copy.finish();
        }
        IndexReader.findEnds(file);
    }

    /** Wants all hashes, and does nothing. */
    private static final class AllHashed implements CopiedPartitions {
        @Override
        public int hashInterval() {
            return 1;
        }

        @Override
        public void hashed(Murmur3 hash) {}

        @Override
        public void copied(long lengthBytes) {}
    }

    /** Summary.db. */
    public static void summary(byte[] input) throws IOException {
        try (SummaryReader summary = SummaryReader.open(MemoryFiles.file("Summary.db", input))) {
            summary.firstKey();
            summary.lastKey();
            summary.lastUpTo(SOUGHT);
            for (int i = 0; i < summary.header().samples(); i++) {
                summary.sample(i);
            }
        }
    }

    /** Summary.db with its length in front, then Index.db. */
    public static void partitionsOfIndex(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        Path summary = MemoryFiles.file("Summary.db", pieces.next());
        Path index = MemoryFiles.file("Index.db", pieces.rest());
        try (BigCursor cursor = BigCursor.open(index, summary, DATA_LENGTH)) {
            walk(cursor);
        }
    }

    /** Rows.db and Data.db, each with its length in front, then Partitions.db. */
    public static void tries(byte[] input) throws IOException {
        Pieces pieces = new Pieces(input);
        Path rows = MemoryFiles.file("Rows.db", pieces.next());
        Path content = MemoryFiles.file("Data.db", pieces.next());
        DataReader data = DataReader.plain(content);
        Path partitions = MemoryFiles.file("Partitions.db", pieces.rest());
        if (data.lengthBytes() > 0) {
            copyTries(partitions, rows, DataReader.plain(content), DataReader.plain(content));
        }
        try (TrieCursor cursor = TrieCursor.takeOver(partitions, rows, data);
                RowsReader reader = RowsReader.open(rows)) {
            while (cursor.next().isPresent()) {
                if (cursor.rowsPosition().isPresent()) {
                    reader.visitBlocks(
                            reader.entry(cursor.rowsPosition().getAsLong()), (separator, length, offset, open) -> {});
                }
            }
            walk(cursor);
        }
    }

    /** Copies all of both, as a slice of everything does; what is malformed for it may be so for a cursor, too. */
    private static void copyTries(Path partitions, Path rows, DataReader data, DataReader hashed) throws IOException {
        RangeSection all = new RangeSection(TokenRange.FULL, new Section(0, data.lengthBytes()));
        try (MemoryFiles.Folder folder = MemoryFiles.folder();
                TrieCopier copier = TrieCopier.takeOver(partitions, rows, data, hashed);
                IndexFiles.Tries copy = IndexFiles.Tries.create(
                        component -> ComponentOutput.create(folder.path().resolve(component.fileName())))) {
            copier.copy(all, 0, copy, new AllHashed());
            copy.finish();
        } catch (SSTableException malformed) {
            // the cursor is tried, too
        }
    }

    private static void walk(PartitionCursor cursor) throws IOException {
        for (Optional<PartitionEntry> entry = cursor.next(); entry.isPresent(); ) {
            entry = cursor.next();
        }
        cursor.seekAfter(SOUGHT);
        cursor.next();
    }
}
