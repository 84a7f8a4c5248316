package io.sluice.sstable.index;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.ItemWindow;
import io.sluice.sstable.encoding.VInts;
import io.sluice.sstable.key.Murmur3;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Copies sections of Index.db to a new one, without allocating objects. Entries without a block index are copied in
 * place, as many as the window has; others one by one. Keys are looked at only where a hash is needed; the order of
 * positions, and of the tokens of those keys, is checked. {@link IndexReader} reads entries as objects. Memory is
 * bounded by the longest entry. Not thread-safe: confined to its writer, which closes it.
 */
public final class EntryCopier implements Closeable {
    /** At most so many bytes are copied before they are written. */
    private static final int MAX_RUN_BYTES = 1 << 16;
    /** Room that is kept behind an entry: its three numbers, at their longest. */
    private static final int SLACK_BYTES = 3 * VInts.MAX_LENGTH_BYTES;

    private final FileChannel channel;
    private final long length;
    private final ItemWindow in;
    private final int runBytes;
    private long previous;
    private long previousToken;
    private int interval;
    private int untilHash;

    private EntryCopier(FileChannel channel, long length, ItemWindow in) {
        this.channel = channel;
        this.length = length;
        this.in = in;
        this.runBytes = (int) Math.min(MAX_RUN_BYTES, length + SLACK_BYTES);
    }

    /** Opens Index.db. */
    public static EntryCopier open(Path index) throws IOException {
        FileChannel channel = FileChannel.open(index, StandardOpenOption.READ);
        try {
            long length = channel.size();
            var in =
                    new ItemWindow(index, (from, into) -> ComponentInput.readFully(index, channel, from, into), length);
            return new EntryCopier(channel, length, in);
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    /**
     * Copies the entries of a section.
     *
     * @param indexPosition of its first entry
     * @param end the end of the section in uncompressed Data.db, after its first partition
     * @param base subtracted from positions
     * @throws SSTableException if an entry is malformed, or not after the one before it
     */
    public void copy(long indexPosition, long end, long base, IndexFiles.Big target, CopiedPartitions listener)
            throws IOException {
        in.seek(indexPosition, length);
        previous = -1;
        previousToken = Long.MIN_VALUE;
        interval = listener.hashInterval();
        untilHash = 1;
        do {
            copyRun(end, base, target, listener);
        } while (copyOne(end, base, target, listener));
        if (previous < 0) {
            throw in.malformed("no entry of a partition before " + end + " (expected: at least one)");
        }
        listener.copied(end - previous);
    }

    /** Copies what is complete in the window, up to an entry with a block index, or as much as is written at a time. */
    private void copyRun(long end, long base, IndexFiles.Big target, CopiedPartitions listener) throws IOException {
        byte[] bytes = in.array();
        int limit = in.filled() - VInts.MAX_LENGTH_BYTES;
        int at = in.index();
        int last = -1;
        long before = previous;
        long start = target.position() - target.entries().length();
        byte[] out = target.entries().reserve(runBytes);
        int to = target.entries().length();
        int full = out.length - SLACK_BYTES;
        SummaryWriter summary = target.summary();
        while (at < limit) {
            int keyLength = ItemWindow.unsignedShortAt(bytes, at);
            int number = at + Short.BYTES + keyLength;
            if (number >= limit || to + (number - at) > full) {
                break;
            }
            int next = number + ItemWindow.vIntLength(bytes[number]);
            long position = ItemWindow.unsignedVIntAt(bytes, number);
            if (position <= before || position >= end || bytes[next] != 0) {
                break;
            }
            if (summary.isSampled()) {
                summary.sample(bytes, at + Short.BYTES, keyLength, start + to);
            }
            GrowingBuffer.copyFew(bytes, at, out, to, number - at);
            to = GrowingBuffer.putUnsignedVInt(out, to + (number - at), position - base);
            out[to++] = 0;
            if (interval > 0) {
                hash(bytes, at + Short.BYTES, keyLength, listener);
            }
            if (before >= 0) {
                listener.copied(position - before);
            }
            before = position;
            last = at;
            at = next + 1;
        }
        if (last >= 0) {
            previous = before;
            summary.last(bytes, last + Short.BYTES, ItemWindow.unsignedShortAt(bytes, last));
            in.advanceTo(at);
            target.entries().appendedTo(to);
            target.copied();
        }
    }

    /** Copies the next entry; returns false if the section has no more. */
    private boolean copyOne(long end, long base, IndexFiles.Big target, CopiedPartitions listener) throws IOException {
        in.beginItem();
        if (in.position() == length) {
            return false;
        }
        int keyLength = in.readUnsignedShort();
        in.skip(keyLength);
        int keyEnd = in.offset();
        long position = in.readUnsignedVInt();
        if (position <= previous) {
            throw in.malformed("position in Data.db: " + position + " after " + previous + " (expected: ascending)");
        }
        if (position >= end) {
            return false;
        }
        long blocks = in.require("length of the block index", in.readUnsignedVInt(), length - in.position());
        int blocksAt = in.offset();
        in.skip(blocks);
        int at = in.itemIndex();
        byte[] bytes = in.array();
        SummaryWriter summary = target.summary();
        if (summary.isSampled()) {
            summary.sample(bytes, at + Short.BYTES, keyLength, target.position());
        }
        summary.last(bytes, at + Short.BYTES, keyLength);
        GrowingBuffer out = target.entries();
        out.put(bytes, at, keyEnd).putUnsignedVInt(position - base).putUnsignedVInt(blocks);
        out.put(bytes, at + blocksAt, (int) blocks);
        target.copied();
        if (interval > 0) {
            hash(bytes, at + Short.BYTES, keyLength, listener);
        }
        if (previous >= 0) {
            listener.copied(position - previous);
        }
        previous = position;
        return true;
    }

    private void hash(byte[] bytes, int at, int keyLength, CopiedPartitions listener) throws SSTableException {
        if (--untilHash > 0) {
            return;
        }
        untilHash = interval;
        Murmur3 hash = Murmur3.of(bytes, at, keyLength);
        long token = keyLength == 0 ? Long.MIN_VALUE : hash.token().value();
        if (token < previousToken) {
            throw in.malformed("token " + token + " after " + previousToken + " (expected: ascending)");
        }
        previousToken = token;
        listener.hashed(hash);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
