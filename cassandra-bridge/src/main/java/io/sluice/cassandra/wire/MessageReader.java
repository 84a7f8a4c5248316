package io.sluice.cassandra.wire;

import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.PeerMemory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Decodes messages; the package documentation describes their bytes. Not thread-safe: confined to its connection. */
public final class MessageReader {
    private static final int MAX_REQUESTS = 10_000;
    private static final int MAX_RANGES = 1_000_000;
    private static final int MAX_TABLES = 100_000;
    private static final int MAX_SECTIONS = 1_000_000;
    private static final int MAX_OPTIONS = 64;
    private static final int MAX_COLUMNS = 100_000;
    private static final int MAX_TYPE_BYTES = 1 << 20;
    private static final int MAX_COMPONENTS = 4_096;
    private static final int MAX_KEY_BYTES = 0xffff;
    private static final long MAX_LENGTH_BYTES = 1L << 48;

    /** Limit of a message without the list of its chunks; a request for 100,000 ranges has a tenth of it. */
    private static final int MAX_MESSAGE_BYTES = 1 << 25;

    /**
     * Upper estimate of bytes on the heap per byte on the wire: a name of one letter takes three on the wire and fifty
     * on the heap.
     */
    private static final int HEAP_BYTES = 16;
    /** Bytes of a message that are read before memory is reserved for it. */
    private static final int UNPAID_BYTES = 1 << 16;

    private final WireInput in;
    private final Optional<PeerMemory> memory;
    private long messageStart;
    private long paidTo;
    /** Reserved for the current message, or for the file whose header it is. */
    private long messageBytes;
    /** Reserved for messages that a session keeps. */
    private long keptBytes;

    /** Reads from a peer that we chose: its messages have no memory limit. */
    public MessageReader(WireInput in) {
        this(in, Optional.empty());
    }

    /**
     * @param memory from which messages reserve until {@link #release}; the header of a file reserves until the next
     *     message
     */
    public MessageReader(WireInput in, Optional<PeerMemory> memory) {
        this.in = in;
        this.memory = memory;
    }

    /**
     * Returns the next message, or empty if the connection ended between two messages. The caller reads the bytes of a
     * file.
     *
     * @throws StreamException if it is malformed, or needs more memory than is available
     * @throws IOException if the connection failed, or ended in the middle of a message
     */
    public Optional<StreamMessage> next() throws IOException {
        give(messageBytes);
        messageBytes = 0;
        messageStart = in.offset();
        paidTo = messageStart;
        int number = in.readByteOrEnd();
        if (number < 0) {
            return Optional.empty();
        }
        StreamMessage message = message(number);
        if (!(message instanceof FileHeader)) {
            keptBytes += messageBytes;
            messageBytes = 0;
        }
        return Optional.of(message);
    }

    /** Releases the memory of all messages, when the connection is over. */
    public void release() {
        give(messageBytes + keptBytes);
        messageBytes = 0;
        keptBytes = 0;
    }

    private void give(long bytes) {
        memory.ifPresent(of -> of.release(bytes));
    }

    private void payForRead() {
        long unpaid = in.offset() - paidTo;
        if (unpaid >= UNPAID_BYTES) {
            take(unpaid * HEAP_BYTES);
            paidTo = in.offset();
        }
    }

    private void take(long bytes) {
        if (memory.isEmpty()) {
            return;
        }
        if (!memory.get().tryTake(bytes)) {
            throw new StreamException(ErrorCode.LIMIT, memory.get().shortage(bytes));
        }
        messageBytes += bytes;
    }

    private StreamMessage message(int number) throws IOException {
        MessageType type = MessageType.of(number)
                .orElseThrow(() -> in.malformed("message of type " + number + " (expected: 1 to 3, 5 to 10)"));
        return switch (type) {
            case PREPARE_SYN ->
                new StreamMessage.PrepareSyn(
                        list("requests", MAX_REQUESTS, this::request), list("summaries", MAX_TABLES, this::summary));
            case STREAM -> fileHeader();
            case RECEIVED -> new StreamMessage.Received(in.readUuid(), in.readInt());
            case COMPLETE -> new StreamMessage.Complete();
            case SESSION_FAILED -> new StreamMessage.SessionFailed();
            case KEEP_ALIVE -> new StreamMessage.KeepAlive();
            case PREPARE_SYNACK -> new StreamMessage.PrepareSynAck(list("summaries", MAX_TABLES, this::summary));
            case PREPARE_ACK -> new StreamMessage.PrepareAck();
            case STREAM_INIT ->
                new StreamMessage.StreamInit(
                        in.readAddress(), in.readInt(), in.readUuid(), in.readUtf(), optionalUuid(), in.readInt());
        };
    }

    @FunctionalInterface
    private interface Element<T> {
        T read() throws IOException;
    }

    private <T> List<T> list(String what, int greatest, Element<T> element) throws IOException {
        return list(in.readCount(what, greatest), element);
    }

    /** Grows as elements arrive, whatever count was announced, up to the limit of a message. */
    private <T> List<T> list(int count, Element<T> element) throws IOException {
        List<T> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            elements.add(element.read());
            requireShort();
        }
        return elements;
    }

    private void requireShort() {
        in.require("length of a message", in.offset() - messageStart, 0, MAX_MESSAGE_BYTES);
        payForRead();
    }

    private StreamMessage.RangeRequest request() throws IOException {
        String keyspace = in.readUtf();
        int tables = in.readCount("tables", MAX_TABLES);
        InetSocketAddress endpoint = in.readAddress();
        List<TokenRange> ranges = list("ranges", MAX_RANGES, this::range);
        ranges.addAll(list("transient ranges", MAX_RANGES, this::range));
        return new StreamMessage.RangeRequest(keyspace, endpoint, TokenRanges.of(ranges), list(tables, in::readUtf));
    }

    private TokenRange range() throws IOException {
        return new TokenRange(token(), token());
    }

    private Token token() throws IOException {
        in.require("length of a token", in.readInt(), Long.BYTES, Long.BYTES);
        return new Token(in.readLong());
    }

    private StreamMessage.Summary summary() throws IOException {
        UUID table = in.readUuid();
        int files = in.readCount("files", Integer.MAX_VALUE);
        return new StreamMessage.Summary(table, files, in.require("bytes", in.readLong(), 0, MAX_LENGTH_BYTES));
    }

    private FileHeader fileHeader() throws IOException {
        var route = new FileHeader.Route(
                in.readUuid(),
                in.readAddress(),
                in.readUuid(),
                in.readBoolean(),
                in.readInt(),
                in.readInt(),
                in.readLong(),
                optionalUuid());
        String version = in.readUtf();
        String format = in.readUtf();
        long estimatedKeys = in.readLong();
        List<Section> sections = sections();
        long otherBytes = messageBytes;
        Optional<PartCompression> compression = compression();
        long chunkBytes = messageBytes - otherBytes;
        int level = in.readInt();
        Bytes serializationHeader = serializationHeader();
        UUID again = in.readUuid();
        if (!again.equals(route.tableId())) {
            throw in.malformed("table " + again + " in the header of a file (expected: " + route.tableId() + ")");
        }
        Optional<FileHeader.Whole> whole = Optional.empty();
        if (in.readBoolean()) {
            // A node lists the chunks of a whole SSTable, too, millions of a large one. Nobody needs them: its
            // CompressionInfo.db follows.
            compression = Optional.empty();
            give(chunkBytes);
            messageBytes -= chunkBytes;
            whole = Optional.of(whole());
        }
        return new FileHeader(
                route, version, format, estimatedKeys, sections, compression, level, serializationHeader, whole);
    }

    private List<Section> sections() throws IOException {
        List<Section> sections = list("sections", MAX_SECTIONS, () -> {
            long start = in.require("start of a section", in.readLong(), 0, MAX_LENGTH_BYTES);
            return new Section(start, in.require("end of a section", in.readLong(), start + 1, MAX_LENGTH_BYTES));
        });
        for (int i = 1; i < sections.size(); i++) {
            in.require(
                    "start of a section",
                    sections.get(i).start(),
                    sections.get(i - 1).end(),
                    MAX_LENGTH_BYTES);
        }
        return sections;
    }

    private Optional<PartCompression> compression() throws IOException {
        int chunks = in.readInt();
        if (chunks == -1) {
            return Optional.empty();
        }
        in.require("number of chunks", chunks, 0, PartCompression.MAX_CHUNKS);
        var builder = new PartCompression.Builder();
        long paidBytes = 0;
        for (int i = 0; i < chunks; i++) {
            long offset = in.require("offset of a chunk", in.readLong(), 0, MAX_LENGTH_BYTES);
            int greatest = CompressionParameters.MAX_STORED_LENGTH_BYTES;
            builder.add(offset, (int) in.require("length of a chunk", in.readInt(), 1, greatest));
            if (builder.heapBytes() - paidBytes >= UNPAID_BYTES) {
                take(builder.heapBytes() - paidBytes);
                paidBytes = builder.heapBytes();
            }
        }
        long tableBytes = (long) chunks * (Long.BYTES + Integer.BYTES);
        messageStart += tableBytes; // chunks have their own limit
        paidTo += tableBytes;
        String name = in.readUtf();
        Compressor compressor = Compressor.ofClassName(name)
                .orElseThrow(() -> in.malformed("compressor: " + name + " (expected: a known one)"));
        Map<String, String> options = new LinkedHashMap<>();
        for (int left = in.readCount("options", MAX_OPTIONS); left > 0; left--) {
            options.put(in.readUtf(), in.readUtf());
        }
        int chunkLength = in.readInt();
        int maxCompressedLength = in.readInt();
        try {
            return Optional.of(
                    builder.build(new CompressionParameters(compressor, options, chunkLength, maxCompressedLength)));
        } catch (IllegalArgumentException contradiction) {
            throw in.malformed(String.valueOf(contradiction.getMessage()));
        }
    }

    /** Reads the serialization header, which has no length prefix: walks its fields and returns the same bytes. */
    private Bytes serializationHeader() throws IOException {
        var copy = new GrowingBuffer();
        for (int times = 0; times < 3; times++) {
            copy.putUnsignedVInt(in.readVInt());
        }
        copy.putVIntBytes(in.readVIntBytes("a type", MAX_TYPE_BYTES));
        copyNames(1, copy); // clusterings: types
        copyNames(2, copy); // static columns: names and types
        copyNames(2, copy); // regular columns
        return copy.toBytes();
    }

    private void copyNames(int each, GrowingBuffer copy) throws IOException {
        long count = in.require("number of columns", in.readVInt(), 0, MAX_COLUMNS);
        copy.putUnsignedVInt(count);
        for (long left = each * count; left > 0; left--) {
            copy.putVIntBytes(in.readVIntBytes("a name or type", MAX_TYPE_BYTES));
            requireShort();
        }
    }

    private FileHeader.Whole whole() throws IOException {
        int count = (int) in.require("number of components", in.readVInt(), 1, MAX_COMPONENTS);
        List<FileHeader.Entry> manifest = list(
                count,
                () -> new FileHeader.Entry(
                        in.readUtf(), in.require("length of a component", in.readVInt(), 0, MAX_LENGTH_BYTES)));
        return new FileHeader.Whole(manifest, in.readVIntBytes("the first key", MAX_KEY_BYTES));
    }

    private Optional<UUID> optionalUuid() throws IOException {
        return in.readBoolean() ? Optional.of(in.readUuid()) : Optional.empty();
    }
}
