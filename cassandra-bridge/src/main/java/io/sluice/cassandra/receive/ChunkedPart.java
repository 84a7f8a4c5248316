package io.sluice.cassandra.receive;

import com.github.luben.zstd.Zstd;
import io.sluice.cassandra.wire.PartCompression;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionInfoWriter;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.UnusableCodecException;
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
 * Some chunks of a node's Data.db, stored consecutively in a local file that is read as a compressed file of its own. A
 * local chunk has the same content as its chunk at the node, so positions differ by whole chunks. Stateless.
 */
final class ChunkedPart {
    private static final int CRC_BYTES = Integer.BYTES;
    private static final int INFLATED_PIECE_BYTES = 1 << 12;

    private ChunkedPart() {}

    /**
     * Writes the CompressionInfo.db of the local file; returns the uncompressed positions of the sections in it.
     *
     * @param sections in the node's Data.db, ascending
     * @throws StreamException if chunks and sections contradict each other
     * @throws UnusableCodecException if the native library of their codec cannot be loaded
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
        // A temporary file, removed when the rows are written: any version that has all parameters will do.
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

    /** Moves the sections to their positions in a file that has only the chunks that they touch, each once. */
    static List<Section> move(List<Section> sections, int chunkLength, int chunkCount) {
        List<Section> moved = new ArrayList<>();
        long ours = -1; // local number of the chunk in which the previous section ends
        long theirs = -1; // the node's number of that chunk
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

    /** Uncompressed length of a chunk, which is shorter than the others if it is the last one of its Data.db. */
    private static int plainLength(Path data, long offset, int length, CompressionParameters parameters)
            throws IOException {
        if (length >= parameters.maxCompressedLengthBytes()) {
            return Math.min(length, parameters.chunkLengthBytes()); // stored uncompressed, perhaps padded
        }
        byte[] stored;
        try (FileChannel file = FileChannel.open(data, StandardOpenOption.READ)) {
            // At most the length of the file: the reader reports a file that is too short.
            ByteBuffer into = ByteBuffer.allocate((int) Math.max(0, Math.min(length, file.size() - offset)));
            while (into.hasRemaining() && file.read(into, offset + into.position()) >= 0) {
                // until it is full
            }
            stored = into.array();
        }
        if (stored.length == 0) {
            return 0;
        }
        parameters.compressor().load();
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
            throw new StreamException(ErrorCode.CORRUPT_IN_FLIGHT, "the last chunk is not a Snappy block", e);
        }
    }

    /** Counts the inflated bytes: the chunk may inflate to less than the chunk length. */
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
            throw new StreamException(ErrorCode.CORRUPT_IN_FLIGHT, "the last chunk is not a deflated block", e);
        } finally {
            inflater.end();
        }
    }
}
