package io.sluice.cassandra.ring;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import com.datastax.oss.driver.internal.core.protocol.ByteBufPrimitiveCodec;
import com.datastax.oss.protocol.internal.Compressor;
import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.FrameCodec;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.PrimitiveCodec;
import com.datastax.oss.protocol.internal.ProtocolConstants.DataType;
import com.datastax.oss.protocol.internal.Segment;
import com.datastax.oss.protocol.internal.SegmentCodec;
import com.datastax.oss.protocol.internal.request.Options;
import com.datastax.oss.protocol.internal.request.Query;
import com.datastax.oss.protocol.internal.request.Startup;
import com.datastax.oss.protocol.internal.response.Ready;
import com.datastax.oss.protocol.internal.response.Supported;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.DefaultRows;
import com.datastax.oss.protocol.internal.response.result.RawType;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ServerSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The CQL port of a node that has tables of one row or none, over real sockets. Closing it ends its connections.
 * Thread-safe.
 */
final class SmallCqlServer implements AutoCloseable {
    private static final int FRAME_HEADER_BYTES = 9;
    private static final int LENGTH_AT = 5;
    private static final Pattern SELECT = Pattern.compile("SELECT (.+) FROM (\\S+).*");

    private final ServerSocket socket;
    private final Function<String, List<Column>> rows;
    private final List<Socket> accepted = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger startups = new AtomicInteger();
    private final PrimitiveCodec<ByteBuf> primitives = new ByteBufPrimitiveCodec(UnpooledByteBufAllocator.DEFAULT);
    private final FrameCodec<ByteBuf> frames = FrameCodec.defaultServer(primitives, Compressor.none());
    private final SegmentCodec<ByteBuf> segments = new SegmentCodec<>(primitives, Compressor.none());

    /** A column of a row; null is its value if the row has none. */
    record Column(String name, RawType type, @Nullable ByteBuffer value) {
        static Column text(String name, @Nullable String value) {
            return of(name, DataType.VARCHAR, TypeCodecs.TEXT, value);
        }

        static <T> Column of(String name, int type, TypeCodec<T> codec, @Nullable T value) {
            return of(name, primitive(type), codec, value);
        }

        static RawType primitive(int type) {
            return Objects.requireNonNull(RawType.PRIMITIVES.get(type));
        }

        static <T> Column of(String name, RawType type, TypeCodec<T> codec, @Nullable T value) {
            return new Column(name, type, codec.encode(value, ProtocolVersion.V5));
        }
    }

    /** @param rows the columns of the row of a table, by its name with its keyspace; none if it has no row */
    SmallCqlServer(Function<String, List<Column>> rows) throws IOException {
        this(rows, ServerSocketFactory.getDefault());
    }

    /** @param sockets which may be encrypted */
    SmallCqlServer(Function<String, List<Column>> rows, ServerSocketFactory sockets) throws IOException {
        this.socket = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.rows = rows;
        start(this::accept);
    }

    /** How many connections have got as far as a request that sets them up. */
    int startups() {
        return startups.get();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "small-cql-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket connection = socket.accept();
                accepted.add(connection);
                start(() -> serve(connection));
            }
        } catch (IOException closed) {
            accepted.clear();
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            DataInputStream in = new DataInputStream(connection.getInputStream());
            Frame request = readFrame(in);
            while (!(request.message instanceof Startup)) {
                write(connection, frames.encode(response(request)));
                request = readFrame(in);
            }
            startups.incrementAndGet();
            write(connection, frames.encode(response(request)));
            while (true) {
                ByteBuf payload = readSegment(in);
                while (payload.isReadable()) {
                    List<Object> encoded = new ArrayList<>();
                    ByteBuf answer = frames.encode(response(frames.decode(payload)));
                    segments.encode(new Segment<>(answer, true), encoded);
                    for (Object part : encoded) {
                        write(connection, (ByteBuf) part);
                    }
                }
            }
        } catch (IOException closed) {
            accepted.remove(connection);
        }
    }

    private static void write(Socket connection, ByteBuf bytes) throws IOException {
        connection.getOutputStream().write(ByteBufUtil.getBytes(bytes));
    }

    /** Until the connection is set up, frames stand alone. */
    private Frame readFrame(DataInputStream in) throws IOException {
        byte[] header = in.readNBytes(FRAME_HEADER_BYTES);
        if (header.length < FRAME_HEADER_BYTES) {
            throw new IOException("closed");
        }
        byte[] body = in.readNBytes(ByteBuffer.wrap(header).getInt(LENGTH_AT));
        return frames.decode(Unpooled.wrappedBuffer(header, body));
    }

    private ByteBuf readSegment(DataInputStream in) throws IOException {
        byte[] header = new byte[segments.headerLength() + SegmentCodec.CRC24_LENGTH];
        in.readFully(header);
        try {
            SegmentCodec.Header decoded = segments.decodeHeader(Unpooled.wrappedBuffer(header));
            byte[] payload = new byte[decoded.payloadLength + SegmentCodec.CRC32_LENGTH];
            in.readFully(payload);
            return segments.decode(decoded, Unpooled.wrappedBuffer(payload)).payload;
        } catch (com.datastax.oss.protocol.internal.CrcMismatchException e) {
            throw new IOException(e);
        }
    }

    private Frame response(Frame request) {
        return Frame.forResponse(
                request.protocolVersion, request.streamId, null, Map.of(), List.of(), answer(request.message));
    }

    private Message answer(Message request) {
        if (request instanceof Options) {
            return new Supported(Map.of());
        }
        return request instanceof Query query ? rows(query.query) : new Ready();
    }

    private Message rows(String query) {
        Matcher select = SELECT.matcher(query);
        if (!select.matches()) {
            throw new AssertionError(query);
        }
        List<Column> row = rows.apply(select.group(2));
        List<Column> wanted = select.group(1).equals("*")
                ? row
                : Stream.of(select.group(1).split(", *"))
                        .map(name -> row.isEmpty() ? Column.text(name, null) : column(name, row))
                        .toList();
        List<ColumnSpec> columns = new ArrayList<>();
        wanted.forEach(
                column -> columns.add(new ColumnSpec("system", "t", column.name(), columns.size(), column.type())));
        Queue<List<ByteBuffer>> data = new ArrayDeque<>();
        if (!row.isEmpty()) {
            data.add(wanted.stream()
                    .map(column ->
                            column.value() == null ? null : column.value().duplicate())
                    .toList());
        }
        return new DefaultRows(new RowsMetadata(columns, null, null, null), data);
    }

    private static Column column(String name, List<Column> row) {
        return row.stream()
                .filter(column -> column.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        try {
            socket.close();
            for (Socket connection : List.copyOf(accepted)) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
