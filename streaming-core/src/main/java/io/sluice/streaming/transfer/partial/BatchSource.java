package io.sluice.streaming.transfer.partial;

import io.sluice.sstable.compression.ArrivingChunks;
import io.sluice.streaming.transfer.channel.ChannelInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.zip.CRC32;

/** Reads chunks from received batches. Not thread-safe: confined to one reader. */
final class BatchSource implements ArrivingChunks.Source {
    private static final int CRC_BYTES = Integer.BYTES;
    private static final int SLACK_BYTES = 1024;

    private final ChannelInput in;
    private final ArrivingChunks.Shape shape;
    private final Iterator<ChunkRuns.Run> runs;
    private final int longestBytes;
    private long nextChunk;
    private long runEnd;
    private int[] words = new int[0];
    private int wordsTaken;
    private byte[] chunk = new byte[0];

    /** Creates a source of the chunks of {@code header}'s sections; {@code in} is positioned after the header. */
    BatchSource(ChannelInput in, PartialHeader header) {
        this.in = in;
        this.shape = header.shape();
        this.runs = ChunkRuns.of(header.sections(), shape.chunkLengthBytes()).iterator();
        // No compressor expands incompressible bytes beyond this.
        this.longestBytes = shape.chunkLengthBytes() + shape.chunkLengthBytes() / 4 + SLACK_BYTES;
    }

    @Override
    public ByteBuffer next(long index) throws IOException {
        if (wordsTaken == words.length) {
            readBatchHead();
        }
        if (index != nextChunk) {
            throw in.refused("chunk " + nextChunk + " (expected: " + index + ", which contains the next partition)");
        }
        nextChunk++;
        int word = words[wordsTaken++];
        return shape.compression().isPresent() ? readCompressed(word) : readPlain(word, index);
    }

    private void readBatchHead() throws IOException {
        if (nextChunk == runEnd && runs.hasNext()) {
            ChunkRuns.Run run = runs.next();
            nextChunk = run.first();
            runEnd = run.end();
        }
        int most = (int) Math.min(PartialWriter.MAX_BATCH_CHUNKS, runEnd - nextChunk);
        int count = in.readInt("chunks in a batch", 1, most);
        ByteBuffer head = ByteBuffer.allocate(Integer.BYTES * (count + 1)).putInt(count);
        words = new int[count];
        wordsTaken = 0;
        for (int i = 0; i < count; i++) {
            words[i] = in.readInt();
            head.putInt(words[i]);
        }
        var crc = new CRC32();
        crc.update(head.flip());
        int expected = in.readInt();
        if ((int) crc.getValue() != expected) {
            throw in.refused("CRC-32 of the head of a batch: " + Integer.toHexString((int) crc.getValue())
                    + " (expected: " + Integer.toHexString(expected) + ")");
        }
    }

    private ByteBuffer readCompressed(int length) throws IOException {
        if (length <= CRC_BYTES || length > longestBytes) {
            throw in.refused("stored length of a chunk: " + length + " (expected: " + (CRC_BYTES + 1) + " to "
                    + longestBytes + ")");
        }
        return read(length, length);
    }

    private ByteBuffer readPlain(int crc, long index) throws IOException {
        long start = index * shape.chunkLengthBytes();
        int length = (int) Math.min(shape.chunkLengthBytes(), shape.dataLengthBytes() - start);
        return read(length, length + CRC_BYTES).putInt(length, crc);
    }

    private ByteBuffer read(int length, int room) throws IOException {
        if (chunk.length < room) { // longer than all previous ones: grows when it has arrived
            chunk = Arrays.copyOf(in.readBytes(length), room);
        } else {
            in.readFully(chunk, 0, length);
        }
        return ByteBuffer.wrap(chunk, 0, room);
    }

    @Override
    public void close() {
        // The channel is closed by its opener.
    }
}
