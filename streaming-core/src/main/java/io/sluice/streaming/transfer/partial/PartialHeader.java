package io.sluice.streaming.transfer.partial;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.ArrivingChunks;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.encoding.VInts;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.metadata.CompactionState;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The header before the first chunk: how to decode the rows, how Data.db is divided into chunks, and which sections
 * follow. Immutable.
 *
 * @param options options of the source SSTable, which the receiver uses unless its table has others
 * @param sections ascending, disjoint, within the data
 */
record PartialHeader(
        Version version,
        SerializationHeader header,
        ArrivingChunks.Shape shape,
        WriterOptions options,
        List<Section> sections) {
    private static final int MIN_SECTION_BYTES = 2;
    private static final int MIN_OPTION_BYTES = 4;
    private static final int TRANSIENT = 1;
    private static final int PENDING_REPAIR = 2;

    /**
     * Each level of leveled compaction holds ten times as much as the previous one: no node has data for more levels.
     */
    private static final int MAX_LEVEL = 20;

    PartialHeader {
        sections = List.copyOf(sections);
    }

    void encode(GrowingBuffer out) {
        out.putShortBytes(Bytes.utf8(version.letters())).putVIntBytes(header.toBytes());
        out.putByte(shape.compression().isPresent() ? 1 : 0);
        shape.compression().ifPresent(parameters -> {
            out.putUtf(parameters.compressor().className())
                    .putUnsignedVInt(parameters.options().size());
            parameters.options().forEach((name, value) -> out.putUtf(name).putUtf(value));
            out.putInt(parameters.maxCompressedLengthBytes());
        });
        out.putInt(shape.chunkLengthBytes()).putUnsignedVInt(shape.dataLengthBytes());
        out.putLong(Double.doubleToLongBits(options.filterChance())).putInt(options.minIndexInterval());
        encode(options.placement(), out);
        out.putUnsignedVInt(sections.size());
        long at = 0;
        for (Section section : sections) {
            out.putUnsignedVInt(section.start() - at).putUnsignedVInt(section.lengthBytes());
            at = section.end();
        }
    }

    private static void encode(CompactionState placement, GrowingBuffer out) {
        out.putInt(placement.level()).putLong(placement.repairedAtMillis());
        out.putByte((placement.isTransient() ? TRANSIENT : 0)
                | (placement.pendingRepair().isPresent() ? PENDING_REPAIR : 0));
        placement
                .pendingRepair()
                .ifPresent(repair ->
                        out.putLong(repair.getMostSignificantBits()).putLong(repair.getLeastSignificantBits()));
    }

    private static CompactionState placement(ByteBuffer in) {
        int level = in.getInt();
        long repairedAt = in.getLong();
        int flags = in.get();
        if (level < 0 || level > MAX_LEVEL || repairedAt < 0 || (flags & ~(TRANSIENT | PENDING_REPAIR)) != 0) {
            throw refused(
                    "level " + level + ", repaired at " + repairedAt + ", flags " + flags + " (expected: 0 to "
                            + MAX_LEVEL + ", not negative, 0 to " + (TRANSIENT | PENDING_REPAIR) + ")",
                    null);
        }
        Optional<UUID> pending =
                (flags & PENDING_REPAIR) == 0 ? Optional.empty() : Optional.of(new UUID(in.getLong(), in.getLong()));
        return new CompactionState(level, repairedAt, pending, (flags & TRANSIENT) != 0, Optional.empty());
    }

    /**
     * Decodes a body.
     *
     * @throws StreamException of code {@link ErrorCode#PROTOCOL} if it is malformed; memory never exceeds a small
     *     multiple of the received bytes
     */
    static PartialHeader decode(Bytes body) {
        ByteBuffer in = body.asBuffer();
        try {
            PartialHeader header = decode(in);
            if (in.hasRemaining()) {
                throw refused(in.remaining() + " bytes left (expected: none)", null);
            }
            return header;
        } catch (BufferUnderflowException truncated) {
            throw refused("it ends after " + body.length() + " bytes (expected: more)", truncated);
        } catch (SSTableException | IllegalArgumentException malformed) {
            throw refused("before byte " + in.position() + ": " + malformed.getMessage(), malformed);
        }
    }

    private static PartialHeader decode(ByteBuffer in) throws SSTableException {
        Version version = version(text(in));
        SerializationHeader header = SerializationHeader.parse(bytes(in, VInts.readUnsigned(in)));
        boolean isCompressed = in.get() != 0;
        Compressor compressor = null;
        Map<String, String> options = new LinkedHashMap<>();
        int maxCompressedLength = CompressionParameters.ALWAYS_COMPRESS;
        if (isCompressed) {
            String className = text(in);
            compressor = Compressor.ofClassName(className)
                    .orElseThrow(() -> refused("compressor: " + className + " (expected: a known one)", null));
            for (int left = count(in, MIN_OPTION_BYTES); left > 0; left--) {
                options.put(text(in), text(in));
            }
            maxCompressedLength = in.getInt();
        }
        int chunkLength = in.getInt();
        if (chunkLength > CompressionParameters.MAX_CHUNK_LENGTH_BYTES) {
            throw refused("chunk length: " + chunkLength, null);
        }
        Optional<CompressionParameters> compression = compressor == null
                ? Optional.empty()
                : Optional.of(new CompressionParameters(compressor, options, chunkLength, maxCompressedLength));
        var shape = new ArrivingChunks.Shape(compression, chunkLength, VInts.readUnsigned(in));
        WriterOptions written = WriterOptions.DEFAULTS
                .withFilterChance(Double.longBitsToDouble(in.getLong()))
                .withMinIndexInterval(in.getInt())
                .withPlacement(placement(in));
        written = compression.isPresent() ? written.withCompression(compression.get()) : written;
        return new PartialHeader(version, header, shape, written, sections(in, shape.dataLengthBytes()));
    }

    private static List<Section> sections(ByteBuffer in, long dataLength) {
        List<Section> sections = new ArrayList<>();
        long at = 0;
        for (int left = count(in, MIN_SECTION_BYTES); left > 0; left--) {
            long gap = VInts.readUnsigned(in);
            long length = VInts.readUnsigned(in);
            boolean fits = gap >= 0 && length > 0 && gap < dataLength - at && length <= dataLength - at - gap;
            if (!fits || (gap == 0 && !sections.isEmpty())) {
                throw refused(
                        "section " + sections.size() + ": " + length + " bytes, " + gap + " after " + at
                                + " (expected: not empty, not adjacent, within " + dataLength + ")",
                        null);
            }
            sections.add(new Section(at + gap, at + gap + length));
            at += gap + length;
        }
        if (sections.isEmpty()) {
            throw refused("no section (expected: at least one)", null);
        }
        return sections;
    }

    private static Version version(String letters) {
        for (Version version : Version.values()) {
            if (version.letters().equals(letters)) {
                return version;
            }
        }
        throw refused("version: " + letters + " (expected: nb, oa or da)", null);
    }

    private static int count(ByteBuffer in, int bytesEach) {
        long count = VInts.readUnsigned(in);
        if (count < 0 || count > in.remaining() / bytesEach) {
            throw refused("count: " + count + " (expected: at most " + in.remaining() / bytesEach + ")", null);
        }
        return (int) count;
    }

    private static String text(ByteBuffer in) {
        return bytes(in, in.getShort() & 0xffff).utf8();
    }

    private static Bytes bytes(ByteBuffer in, long length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[(int) length];
        in.get(bytes);
        return Bytes.wrap(bytes);
    }

    private static StreamException refused(String problem, @org.jspecify.annotations.Nullable Exception cause) {
        String message = "header of a part of an SSTable: " + problem;
        return cause == null
                ? new StreamException(ErrorCode.PROTOCOL, message)
                : new StreamException(ErrorCode.PROTOCOL, message, cause);
    }
}
