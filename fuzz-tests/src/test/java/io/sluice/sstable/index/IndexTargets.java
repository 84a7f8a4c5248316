package io.sluice.sstable.index;

import io.sluice.fuzz.MemoryFiles;
import io.sluice.fuzz.Pieces;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.token.Token;
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
        try (EntryCursor entries = EntryCursor.open(file, 0)) {
            GrowingBuffer copy = new GrowingBuffer();
            while (entries.next()) {
                entries.copyTo(copy, entries.position());
            }
        }
        IndexReader.findEnds(file);
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
        DataReader data = DataReader.plain(MemoryFiles.file("Data.db", pieces.next()));
        try (TrieCursor cursor = TrieCursor.takeOver(MemoryFiles.file("Partitions.db", pieces.rest()), rows, data);
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

    private static void walk(PartitionCursor cursor) throws IOException {
        for (Optional<PartitionEntry> entry = cursor.next(); entry.isPresent(); ) {
            entry = cursor.next();
        }
        cursor.seekAfter(SOUGHT);
        cursor.next();
    }
}
