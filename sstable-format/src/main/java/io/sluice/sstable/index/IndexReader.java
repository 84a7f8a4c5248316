package io.sluice.sstable.index;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.token.PartitionKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads Index.db entry by entry and checks their order. Not thread-safe: confined to its reader, who closes it. */
public final class IndexReader implements Closeable {
    private final ComponentInput in;
    private long nextEntry;
    private @Nullable IndexEntry previous;

    private IndexReader(ComponentInput in) {
        this.in = in;
    }

    /** Stands at the first entry of {@code file}. */
    public static IndexReader open(Path file) throws IOException {
        return new IndexReader(ComponentInput.open(file));
    }

    /** Goes to the entry at {@code indexPosition}. */
    public void seek(long indexPosition) throws IOException {
        in.seek(indexPosition);
        nextEntry = indexPosition;
        previous = null;
    }

    /**
     * The next entry, or empty at the end of the file.
     *
     * @throws io.sluice.sstable.component.SSTableException if it is malformed or not after the one before
     */
    public Optional<IndexEntry> next() throws IOException {
        in.seek(nextEntry);
        if (in.isAtEnd()) {
            return Optional.empty();
        }
        PartitionKey key = PartitionKey.of(in.readShortBytes());
        long position = in.require("position in Data.db", in.readUnsignedVInt(), 0, Long.MAX_VALUE);
        int blocksLength = in.readVIntCount("length of the block index", 1);
        var entry = new IndexEntry(key, position, nextEntry, in.position(), blocksLength);
        if (previous != null && (previous.key().compareTo(key) >= 0 || previous.position() >= position)) {
            throw in.malformed("key " + key + " at " + position + " after " + previous.key() + " at "
                    + previous.position() + " (expected: both ascending)");
        }
        nextEntry = in.position() + blocksLength;
        previous = entry;
        return Optional.of(entry);
    }

    /** The block index of an entry, to be copied; empty if it has none. */
    public Bytes blocks(IndexEntry entry) throws IOException {
        in.seek(entry.blocksPosition());
        return in.readBytes(entry.blocksLengthBytes());
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
