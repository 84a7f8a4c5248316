package io.sluice.sstable.index;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.token.Token;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Iterates over Index.db, and uses Summary.db to seek. */
public final class BigCursor implements PartitionCursor {
    /** The entries behind a sample, unless they have block indexes: those are skipped. */
    private static final int ENDS_WINDOW_BYTES = 1 << 12;

    private final IndexReader index;
    private final @Nullable SummaryReader summary;
    private final long dataLength;
    private Optional<IndexEntry> ahead;
    /** The last one that is not ahead any more, where a seek may start. */
    private Optional<IndexEntry> passed = Optional.empty();

    private BigCursor(IndexReader index, @Nullable SummaryReader summary, long dataLength) throws IOException {
        this.index = index;
        this.summary = summary;
        this.dataLength = dataLength;
        this.ahead = index.next();
    }

    /**
     * Opens an index.
     *
     * @param summary may be missing or malformed: then a seek starts at the entry that was the last, or, if it has a
     *     greater token, at the beginning of the index
     * @param dataLengthBytes of Data.db, uncompressed: where the last partition ends
     */
    public static BigCursor open(Path index, Path summary, long dataLengthBytes) throws IOException {
        return takeOver(IndexReader.open(index), summary, dataLengthBytes);
    }

    /** The same, {@code windowBytes} of the index at a time: a short window suits one who reads little of it. */
    public static BigCursor open(Path index, Path summary, long dataLengthBytes, int windowBytes) throws IOException {
        return takeOver(IndexReader.open(index, windowBytes), summary, dataLengthBytes);
    }

    /**
     * Finds the first and last key of an index. With a usable summary, which must have the same, it reads the first
     * entry and those behind the last sample; without, of all entries the lengths.
     *
     * @return empty if there is no entry
     * @throws SSTableException if the summary has others: neither file has a checksum, and one of both is damaged
     */
    public static Optional<IndexReader.Ends> findEnds(Path index, Path summary) throws IOException {
        try (BigCursor cursor = open(index, summary, 0, ENDS_WINDOW_BYTES)) {
            if (cursor.summary == null) {
                return IndexReader.findEnds(index);
            }
            IndexReader.Ends sampled = new IndexReader.Ends(cursor.summary.firstKey(), cursor.summary.lastKey());
            Optional<IndexEntry> first = cursor.ahead;
            cursor.seekLastBehindSamples(cursor.summary);
            Optional<IndexReader.Ends> ends =
                    first.flatMap(one -> cursor.ahead.map(other -> new IndexReader.Ends(one.key(), other.key())));
            if (ends.isPresent() && !ends.get().equals(sampled)) {
                throw new SSTableException(summary + ": first key " + sampled.first() + ", last key " + sampled.last()
                        + " (expected: " + ends.get().first() + " and "
                        + ends.get().last() + ", as " + index
                        + " has them; one of both files is damaged: without a summary the index alone is used)");
            }
            return ends;
        }
    }

    private static BigCursor takeOver(IndexReader reader, Path summary, long dataLengthBytes) throws IOException {
        @Nullable SummaryReader samples = null;
        try {
            samples = SummaryReader.openIfUsable(summary).orElse(null);
            return new BigCursor(reader, samples, dataLengthBytes);
        } catch (IOException | RuntimeException failed) {
            reader.close();
            if (samples != null) {
                samples.close();
            }
            throw failed;
        }
    }

    /** The next partition's entry in the index, unchecked against the data, or empty after the last. */
    public Optional<IndexEntry> nextEntry() throws IOException {
        Optional<IndexEntry> next = ahead;
        if (next.isPresent()) {
            passed = next;
            ahead = index.next();
        }
        return next;
    }

    @Override
    public Optional<PartitionEntry> next() throws IOException {
        Optional<IndexEntry> next = nextEntry();
        if (next.isEmpty()) {
            return Optional.empty();
        }
        IndexEntry entry = next.get();
        long end = ahead.map(IndexEntry::position).orElse(dataLength);
        if (end <= entry.position() || end > dataLength) {
            throw index.malformed(
                    entry,
                    "partition " + entry.key() + " from " + entry.position() + " to " + end
                            + " of Data.db (expected: within its " + dataLength + " bytes)");
        }
        return Optional.of(new PartitionEntry(entry.key(), entry.position(), end - entry.position()));
    }

    @Override
    public void seekAfter(Token token) throws IOException {
        if (!jumpTo(token)) {
            Optional<IndexEntry> onTheWay =
                    passed.filter(entry -> entry.key().token().compareTo(token) <= 0);
            index.seek(onTheWay.map(IndexEntry::indexPosition).orElse(0L));
        }
        ahead = index.next();
        while (ahead.isPresent() && ahead.get().key().token().compareTo(token) <= 0) {
            passed = ahead;
            ahead = index.next();
        }
    }

    @Override
    public void seekLast(Token last) throws IOException {
        if (!jumpTo(last)) {
            index.seek(0);
        }
        index.skipToLast();
        ahead = index.next();
    }

    /** Goes to the last entry, from the last sample on: no search of the others. */
    private void seekLastBehindSamples(SummaryReader samples) throws IOException {
        if (!jumpTo(samples::last)) {
            index.seek(0);
        }
        index.skipToLast();
        ahead = index.next();
    }

    /** Finds a sample of the summary. */
    private interface SampleSearch {
        Optional<SummaryReader.Sample> find() throws IOException;
    }

    /** Goes to the last sample before {@code token}; ignores a summary that does not match the index. */
    private boolean jumpTo(Token token) throws IOException {
        SummaryReader samples = summary;
        return samples != null && jumpTo(() -> samples.lastUpTo(token));
    }

    private boolean jumpTo(SampleSearch search) throws IOException {
        try {
            Optional<SummaryReader.Sample> sample = search.find();
            if (sample.isEmpty()) {
                return false;
            }
            long indexPosition = sample.get().indexPosition();
            index.seek(indexPosition);
            Optional<IndexEntry> entry = index.next();
            index.seek(indexPosition);
            return entry.isPresent() && entry.get().key().equals(sample.get().key());
        } catch (SSTableException malformed) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        try (index) {
            if (summary != null) {
                summary.close();
            }
        }
    }
}
