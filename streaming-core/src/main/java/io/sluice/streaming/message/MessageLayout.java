package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A type of message: its number on the wire, and how its body is written and read. The only declaration of a message
 * but for its record. Immutable.
 *
 * @param number 1 to 255; never used for another message
 */
record MessageLayout<M extends Message>(
        int number, Class<M> kind, BiConsumer<M, BodyWriter> writer, Function<BodyReader, M> reader) {
    private static final int MAX_TABLES = 1_000;
    private static final int MAX_OFFERS = 1_000;
    private static final int MAX_EXTENTS = 10_000;
    private static final int MAX_CONNECTIONS = 0xffff;
    private static final int MAX_SUMS = 200_000;
    /** In place of the sign of the last page: another follows, and what is offered may be fetched already. */
    private static final int FETCHABLE = 2;

    private static final List<MessageLayout<?>> ALL = List.of(
            new MessageLayout<>(
                    1,
                    Message.Hello.class,
                    (m, out) -> out.string(m.cluster().name())
                            .uuid(m.cluster().id())
                            .string(m.cluster().partitioner())
                            .uuid(m.sender())
                            .uuid(m.target())
                            .u8(m.role().code())
                            .uuid(m.planId())
                            .i32(m.session().index())
                            .i32(m.session().attempt())
                            .i32(m.connectionOrOffer()),
                    in -> new Message.Hello(
                            new Message.Cluster(in.string(), in.uuid(), in.string()),
                            in.uuid(),
                            in.uuid(),
                            in.role(),
                            in.uuid(),
                            new Message.SessionNumber(in.i32(), in.i32()),
                            in.count("connection, or versions", MAX_CONNECTIONS, 0))),
            new MessageLayout<>(
                    2,
                    Message.Welcome.class,
                    (m, out) -> out.uuid(m.node()).i64(m.features()),
                    in -> new Message.Welcome(in.uuid(), in.i64())),
            new MessageLayout<>(
                    3,
                    Message.SpansQuery.class,
                    (m, out) -> out.list(
                            m.tables(), table -> out.uuid(table.tableId()).ranges(table.ranges())),
                    in -> new Message.SpansQuery(in.list("tables", MAX_TABLES, 20, in::tableRanges))),
            new MessageLayout<>(
                    4,
                    Message.Spans.class,
                    (m, out) -> out.bool(m.last())
                            .list(m.tables(), table -> out.uuid(table.tableId()).spans(table.spans())),
                    in -> {
                        boolean last = in.bool();
                        return new Message.Spans(in.list("tables", MAX_TABLES, 20, in::tableSpans), last);
                    }),
            new MessageLayout<>(
                    5,
                    Message.StreamInit.class,
                    (m, out) -> out.i32(m.receiver().bits() << Message.StreamInit.FEATURES_SHIFT | m.operation())
                            .i64(m.roomBytes()),
                    in -> {
                        int bits = in.i32();
                        return new Message.StreamInit(
                                bits & Message.StreamInit.MAX_OPERATION,
                                ReceiverFeatures.of(bits >>> Message.StreamInit.FEATURES_SHIFT),
                                in.i64());
                    }),
            new MessageLayout<>(
                    6,
                    Message.PrepareSyn.class,
                    (m, out) -> out.bool(m.last())
                            .list(
                                    m.requests(),
                                    request -> out.uuid(request.tableId())
                                            .i64(request.schemaDigest())
                                            .ranges(request.ranges())),
                    in -> {
                        boolean last = in.bool();
                        return new Message.PrepareSyn(in.list("requests", MAX_TABLES, 28, in::request), last);
                    }),
            new MessageLayout<>(
                    7,
                    Message.PrepareSynAck.class,
                    (m, out) -> {
                        int more = m.isFetchable() ? FETCHABLE : 0;
                        out.u8(m.last() ? 1 : more).list(m.offers(), out::offer);
                    },
                    in -> {
                        int code = in.u8();
                        boolean isFetchable = code == FETCHABLE;
                        boolean last = code != 0 && !isFetchable;
                        return new Message.PrepareSynAck(
                                in.list("offers", MAX_OFFERS, 40, in::offer), last, isFetchable);
                    }),
            new MessageLayout<>(8, Message.PrepareAck.class, (m, out) -> {}, in -> new Message.PrepareAck()),
            new MessageLayout<>(
                    9,
                    Message.Fetch.class,
                    (m, out) -> out.list(m.extents(), out::extent),
                    in -> new Message.Fetch(in.list("extents", MAX_EXTENTS, 17, in::extent))),
            new MessageLayout<>(
                    10,
                    Message.Stream.class,
                    (m, out) -> out.extent(m.extent()),
                    in -> new Message.Stream(in.extent())),
            new MessageLayout<>(
                    11, Message.Received.class, (m, out) -> out.i32(m.offer()), in -> new Message.Received(in.i32())),
            new MessageLayout<>(
                    12,
                    Message.Installed.class,
                    (m, out) -> out.uuid(m.tableId()),
                    in -> new Message.Installed(in.uuid())),
            new MessageLayout<>(13, Message.Complete.class, (m, out) -> {}, in -> new Message.Complete()),
            new MessageLayout<>(
                    14,
                    Message.SessionFailed.class,
                    (m, out) -> out.i32(m.code().code()).string(WithoutPaths.text(m.reason())),
                    in -> in.failure(Message.SessionFailed::new)),
            new MessageLayout<>(
                    15,
                    Message.KeepAlive.class,
                    (m, out) -> out.doing(m.doing()).i64(m.progress()),
                    in -> new Message.KeepAlive(in.doing(), in.i64())),
            new MessageLayout<>(
                    16,
                    Message.TableRefused.class,
                    (m, out) -> out.uuid(m.tableId()).i32(m.code().code()).string(WithoutPaths.text(m.reason())),
                    in -> {
                        UUID table = in.uuid();
                        return in.failure((code, reason) -> new Message.TableRefused(table, code, reason));
                    }),
            new MessageLayout<>(
                    17,
                    Message.Released.class,
                    (m, out) -> out.uuid(m.tableId()).i32(m.code().code()).string(WithoutPaths.text(m.reason())),
                    in -> {
                        UUID table = in.uuid();
                        return in.failure((code, reason) -> new Message.Released(table, code, reason));
                    }),
            new MessageLayout<>(
                    18,
                    Message.CheckFile.class,
                    (m, out) -> out.i32(m.offer()).component(m.component()).i32(m.extentLengthBytes()),
                    in -> new Message.CheckFile(in.i32(), in.component(), in.i32())),
            new MessageLayout<>(
                    19,
                    Message.FileSums.class,
                    (m, out) -> out.i32(m.offer())
                            .component(m.component())
                            .i32(m.first())
                            .bool(m.last())
                            .list(m.crc32s(), out::i32),
                    in -> {
                        int offer = in.i32();
                        Component component = in.component();
                        int first = in.i32();
                        boolean last = in.bool();
                        return new Message.FileSums(
                                offer, component, first, in.list("checksums", MAX_SUMS, 4, in::i32), last);
                    }));

    private static final Map<Class<?>, MessageLayout<?>> BY_KIND =
            ALL.stream().collect(Collectors.toUnmodifiableMap(MessageLayout::kind, type -> type));
    private static final Map<Integer, MessageLayout<?>> BY_NUMBER =
            ALL.stream().collect(Collectors.toUnmodifiableMap(MessageLayout::number, type -> type));

    /** The type of {@code message}. */
    static MessageLayout<?> of(Message message) {
        MessageLayout<?> type = BY_KIND.get(message.getClass());
        if (type == null) {
            throw new AssertionError("no type for " + message.getClass()); // MessageCodecTest has one of each
        }
        return type;
    }

    /**
     * The type of this number.
     *
     * @throws IllegalArgumentException if there is none
     */
    static MessageLayout<?> of(int number) {
        MessageLayout<?> type = BY_NUMBER.get(number);
        if (type == null) {
            throw new IllegalArgumentException("unknown type (expected: 1 to " + ALL.size() + ")");
        }
        return type;
    }

    /** Writes the body of {@code message}, which is of this type. */
    void write(Message message, BodyWriter out) {
        writer.accept(kind.cast(message), out);
    }

    /**
     * Reads the body of a message.
     *
     * @throws IllegalArgumentException for a value outside its limits
     * @throws java.nio.BufferUnderflowException if the body is too short
     */
    M read(BodyReader in) {
        return reader.apply(in);
    }
}
