package io.sluice.cassandra.receive;

import com.github.luben.zstd.Zstd;
import io.sluice.cassandra.wire.PartCompression;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionInfoWriter;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.index.Section;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.xerial.snappy.Snappy;

/**
 * Some chunks of a node's Data.db, one behind the other in a file of ours, seen as a compressed file of its own. Chunk
 * {@code i} of ours holds what chunk {@code c} of the node's held, so a position in the one is a position in the other
 * moved by whole chunks. Stateless.
 */
final class ChunkedPart {
    private static final int CRC_BYTES = Integer.BYTES;
    private static final int INFLATED_PIECE_BYTES = 1 << 12;

    private ChunkedPart() {}

    /**
     * Writes the CompressionInfo.db of the file; returns where the sections are in it, uncompressed.
     *
     * @param sections in the node's Data.db, ascending
     * @throws StreamException if chunks and sections contradict each other
     */
    static List<Section> describe(PartCompression chunks, List<Section> sections, Path data, Path compressionInfo)
            throws IOException {
        int chunkLength = chunks.parameters().chunkLengthBytes();
        List<Section> moved = move(sections, chunkLength, chunks.chunkCount());
        int last = chunks.chunkCount() - 1;
        long lastAt = chunks.storedBytes() - CRC_BYTES - chunks.lengthBytes(last);
        int lastPlain = plainLength(data, lastAt, chunks.lengthBytes(last), chunks.parameters());
        long end = moved.get(moved.size() - 1).end();
        if (lastPlain < 1 || lastPlain > chunkLength || end > (long) last * chunkLength + lastPlain) {
            throw contradiction("the last chunk holds " + lastPlain + " bytes");
        }
        // Ours, and gone when the rows are written: of any version that has all parameters.
        try (CompressionInfoWriter writer =
                CompressionInfoWriter.to(ComponentOutput.create(compressionInfo), chunks.parameters(), Version.NB)) {
            long position = 0;
            for (int i = 0; i <= last; i++) {
                writer.add(position);
                position += chunks.lengthBytes(i) + (long) CRC_BYTES;
            }
            writer.finish((long) last * chunkLength + lastPlain);
        }
        return moved;
    }

    /** The same sections where only the chunks that they touch are left, each once. */
    static List<Section> move(List<Section> sections, int chunkLength, int chunkCount) {
        List<Section> moved = new ArrayList<>();
        long ours = -1; // our number of the chunk that the section before ends in
        long theirs = -1; // the node's number of it
        for (Section section : sections) {
            long first = section.start() / chunkLength;
            long last = (section.end() - 1) / chunkLength;
            ours += first == theirs ? 0 : 1;
            long shift = (first - ours) * chunkLength;
            moved.add(new Section(section.start() - shift, section.end() - shift));
            ours += last - first;
            theirs = last;
        }
        if (moved.isEmpty() || ours + 1 != chunkCount) {
            throw contradiction(chunkCount + " chunks for sections that touch " + (ours + 1));
        }
        return moved;
    }

    private static StreamException contradiction(String what) {
        return new StreamException(ErrorCode.PROTOCOL, what + " (expected: those that the sections touch)");
    }

    /** Uncompressed length of a chunk, which is short if it is the last one of its Data.db. */
    private static int plainLength(Path data, long offset, int length, CompressionParameters parameters)
            throws IOException {
        if (length >= parameters.maxCompressedLengthBytes()) {
            return Math.min(length, parameters.chunkLengthBytes()); // stored as it is, perhaps padded
        }
        byte[] stored;
        try (FileChannel file = FileChannel.open(data, StandardOpenOption.READ)) {
            // No more than there is: a file that is too short will be found by its reader.
            ByteBuffer into = ByteBuffer.allocate((int) Math.max(0, Math.min(length, file.size() - offset)));
            while (into.hasRemaining() && file.read(into, offset + into.position()) >= 0) {
                // until it is full
            }
            stored = into.array();
        }
        if (stored.length == 0) {
            return 0;
        }
        return switch (parameters.compressor()) {
            case LZ4 ->
                stored.length < Integer.BYTES
                        ? 0
                        : ByteBuffer.wrap(stored).order(ByteOrder.LITTLE_ENDIAN).getInt();
            case SNAPPY -> snappyLength(stored);
            case ZSTD -> (int) Math.min(Zstd.getFrameContentSize(stored), Integer.MAX_VALUE);
            case DEFLATE -> inflatedLength(stored, parameters.chunkLengthBytes());
            case NOOP -> length;
        };
    }

    private static int snappyLength(byte[] stored) {
        try {
            return Snappy.uncompressedLength(stored);
        } catch (IOException e) {
            throw new StreamException(ErrorCode.CORRUPT_IN_FLIGHT, "the last chunk is no Snappy block", e);
        }
    }

    /** Counted piece by piece: what a chunk may hold is not what this one does. */
    private static int inflatedLength(byte[] stored, int chunkLength) {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(stored);
            byte[] piece = new byte[Math.min(chunkLength, INFLATED_PIECE_BYTES)];
            int length = 0;
            int count = inflater.inflate(piece);
            while (count > 0 && length <= chunkLength) {
                length += count;
                count = inflater.inflate(piece);
            }
            return length;
        } catch (DataFormatException e) {
            throw new StreamException(ErrorCode.CORRUPT_IN_FLIGHT, "the last chunk is no deflated block", e);
        } finally {
            inflater.end();
        }
    }
}
