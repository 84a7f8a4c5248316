package io.sluice.sstable.index;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.ItemWindow;
import io.sluice.sstable.key.PartitionKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads Index.db entry by entry and checks their order. Not thread-safe: confined to its reader, which closes it. */
public final class IndexReader implements Closeable {
    private final ComponentInput in;
    private long nextEntry;
    private @Nullable IndexEntry previous;

    private IndexReader(ComponentInput in) {
        this.in = in;
    }

    /** Opens {@code file} at its first entry. */
    public static IndexReader open(Path file) throws IOException {
        return new IndexReader(ComponentInput.open(file));
    }

    /** The same, {@code windowBytes} of the file at a time: a short window suits one who reads little of it. */
    public static IndexReader open(Path file, int windowBytes) throws IOException {
        return new IndexReader(ComponentInput.open(file, windowBytes));
    }

    /** The first and the last key of an index. */
    public record Ends(PartitionKey first, PartitionKey last) {}

    /**
     * Finds the first and last key of {@code file}; of the entries in between it reads only the lengths.
     *
     * @return empty if there is no entry
     */
    public static Optional<Ends> findEnds(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long length = channel.size();
            var in = new ItemWindow(file, (from, into) -> ComponentInput.readFully(file, channel, from, into), length);
            if (length == 0) {
                return Optional.empty();
            }
            in.seek(0, length);
            PartitionKey first = readKey(in);
            long last = 0;
            for (long entry = 0; entry < length; entry = in.position()) {
                last = entry;
                in.seek(entry, length);
                in.skip(in.readUnsignedShort());
                in.readUnsignedVInt(); // position in Data.db
                long blocksLength = in.readUnsignedVInt();
                if (blocksLength != 0) {
                    in.require("length of the block index", blocksLength, length - in.position());
                    in.seek(in.position() + blocksLength, length);
                }
            }
            in.seek(last, length);
            return Optional.of(new Ends(first, readKey(in)));
        }
    }

    private static PartitionKey readKey(ItemWindow in) throws IOException {
        int length = in.readUnsignedShort();
        in.skip(length);
        return PartitionKey.of(in.copy(Short.BYTES, length));
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
     * @throws io.sluice.sstable.component.SSTableException if it is malformed or not after the previous one
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

    /** Goes to the last entry, if there is one behind this place; of those in between it reads only the lengths. */
    void skipToLast() throws IOException {
        in.seek(nextEntry);
        while (!in.isAtEnd()) {
            nextEntry = in.position();
            in.skip(in.readUnsignedShort());
            in.readUnsignedVInt(); // position in Data.db
            in.skip(in.readUnsignedVInt()); // the block index
        }
        previous = null;
    }

    /** The block index of an entry, to be copied; empty if it has none. */
    public Bytes blocks(IndexEntry entry) throws IOException {
        in.seek(entry.blocksPosition());
        return in.readBytes(entry.blocksLengthBytes());
    }

    /** An error that names the file, and the position of an entry in it. */
    SSTableException malformed(IndexEntry entry, String problem) {
        return SSTableException.at(in.file(), entry.indexPosition(), problem);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
