package io.sluice.sstable.compression;

import io.sluice.sstable.component.Crc32OfParts;
import io.sluice.sstable.encoding.PageAligned;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import java.util.zip.CRC32;

/**
 * Links sections of a plain Data.db to another: each byte is summed once, although the chunks of both begin at
 * different bytes. Every chunk is checked against CRC.db. Not thread-safe: confined to its user, who closes it.
 */
public final class PlainSums implements Closeable {
    private static final long NONE = -1;
    private static final int MANY_CHUNKS = 16;

    private final PlainReader data;
    private final CheckedChunks chunks;
    private final CRC32 crc = new CRC32();
    private final Crc32OfParts whole = new Crc32OfParts();
    private final long linkedBytes;
    private ByteBuffer chunk = ByteBuffer.allocate(0);
    private long checkedIndex = NONE;

    private PlainSums(PlainReader data, CheckedChunks chunks, long linkedBytes) {
        this.data = data;
        this.chunks = chunks;
        this.linkedBytes = linkedBytes;
    }

    /**
     * Opens a Data.db and its CRC.db.
     *
     * @param linkedBytes about how many bytes will be linked
     */
    public static PlainSums open(Path dataFile, Path crcFile, long linkedBytes) throws IOException {
        PlainReader data = PlainReader.open(dataFile);
        try {
            return new PlainSums(data, CheckedChunks.open(data, crcFile), linkedBytes);
        } catch (IOException | RuntimeException failed) {
            data.close();
            throw failed;
        }
    }

    /**
     * Links the bytes from {@code start} to {@code end}.
     *
     * @param target has begun a link of all its bytes
     * @param reached receives the position behind each piece
     * @throws io.sluice.sstable.component.SSTableException if the file ends before, or a checksum does not match; then
     *     {@code target} is to be thrown away
     */
    public void link(long start, long end, DataWriter target, LongConsumer reached) throws IOException {
        int chunkLength = chunks.chunkLengthBytes();
        for (long at = start; at < end; ) {
            long index = at / chunkLength;
            long until = Math.min(end, (index + 1) * chunkLength);
            reserve(chunks.plainLengthOf(index));
            link(index, (int) (at % chunkLength), (int) (until - index * chunkLength), target);
            at = until;
            reached.accept(at);
        }
    }

    private void link(long index, int from, int until, DataWriter target) throws IOException {
        int length = chunks.plainLengthOf(index);
        boolean isChecked = index == checkedIndex;
        if (!isChecked) {
            checkedIndex = NONE; // the buffer is invalid if the chunk fails
            data.read(index * chunks.chunkLengthBytes(), chunk.clear().limit(length));
            whole.reset();
            append(0, from);
        }
        for (int at = from; at < until; ) {
            int count = Math.min(until - at, target.leftInChunk());
            target.link(append(at, count), count);
            at += count;
        }
        if (!isChecked) {
            append(until, length - until);
            chunks.requireCrc(index, length, whole.value());
            checkedIndex = index;
        }
    }

    /**
     * Makes room for a chunk. Of many chunks off the heap: the kernel copies them there at once. Such memory is freed
     * late, so that it is not used for a few.
     */
    private void reserve(int length) {
        if (chunk.capacity() < length) {
            boolean areMany = linkedBytes / length >= MANY_CHUNKS;
            chunk = areMany ? PageAligned.allocate(length) : ByteBuffer.allocate(length);
            checkedIndex = NONE;
        }
    }

    private int append(int from, int length) {
        crc.reset();
        crc.update(chunk.limit(from + length).position(from));
        int sum = (int) crc.getValue();
        whole.append(sum, length);
        return sum;
    }

    @Override
    public void close() throws IOException {
        chunks.close();
    }
}
