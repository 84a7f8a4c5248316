package io.sluice.sstable.index;

import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.ItemWindow;
import io.sluice.sstable.key.CurrentKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Iterates over the entries of Index.db in place, without allocating objects: its accessors return the current entry.
 * {@link IndexReader} reads entries as objects. Memory is bounded by the longest entry. Not thread-safe: confined to
 * its reader, which closes it.
 */
public final class EntryCursor implements Closeable {
    private final FileChannel channel;
    private final long length;
    private final ItemWindow in;
    private final CurrentKey key = new CurrentKey();
    private final boolean readsKeys;
    private long position = -1;
    private int keyEnd;
    private int blocksOffset;
    private int blocksLength;

    private EntryCursor(FileChannel channel, long length, ItemWindow in, boolean readsKeys) {
        this.channel = channel;
        this.length = length;
        this.in = in;
        this.readsKeys = readsKeys;
    }

    /** Opens a cursor before the entry at {@code indexPosition} of {@code file}; it reads keys. */
    public static EntryCursor open(Path file, long indexPosition) throws IOException {
        return open(file, indexPosition, true);
    }

    /**
     * The same.
     *
     * @param readsKeys whether it hashes each key and checks the order of keys; otherwise there is no {@link #key()},
     *     and only the order of positions is checked, which takes much less time
     */
    public static EntryCursor open(Path file, long indexPosition, boolean readsKeys) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            long length = channel.size();
            var in = new ItemWindow(file, (from, into) -> ComponentInput.readFully(file, channel, from, into), length);
            in.seek(indexPosition, length);
            return new EntryCursor(channel, length, in, readsKeys);
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    /**
     * Goes to the next entry; false after the last.
     *
     * @throws io.sluice.sstable.component.SSTableException if it is malformed or not after the previous one
     */
    public boolean next() throws IOException {
        if (in.position() >= length) {
            return false;
        }
        in.beginItem();
        if (readsKeys) {
            key.read(in);
        } else {
            in.skip(in.readUnsignedShort());
        }
        keyEnd = in.offset();
        long previous = position;
        position = in.readUnsignedVInt();
        if (position <= previous) {
            throw in.malformed("position in Data.db: " + position + " after " + previous + " (expected: ascending)");
        }
        long blocks = in.require("length of the block index", in.readUnsignedVInt(), length - in.position());
        blocksOffset = in.offset();
        in.skip(blocks);
        blocksLength = (int) blocks;
        return true;
    }

    /** The entry's key; valid until the next entry. Only of a cursor that reads keys. */
    public CurrentKey key() {
        return key;
    }

    /** The length of the entry's key. */
    int keyLengthBytes() {
        return keyEnd - Short.BYTES;
    }

    /** Copies the entry's key to the start of {@code into}, which has room for it. */
    void copyKeyTo(byte[] into) {
        in.copyTo(into, Short.BYTES, keyLengthBytes());
    }

    /** The position of the partition in uncompressed Data.db. */
    public long position() {
        return position;
    }

    /** Appends the entry, with {@code newPosition} instead of its position. */
    void copyTo(GrowingBuffer out, long newPosition) {
        in.copyTo(out, 0, keyEnd);
        out.putUnsignedVInt(newPosition);
        if (blocksLength == 0) {
            out.putByte(0);
        } else {
            out.putUnsignedVInt(blocksLength);
            in.copyTo(out, blocksOffset, blocksLength);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
