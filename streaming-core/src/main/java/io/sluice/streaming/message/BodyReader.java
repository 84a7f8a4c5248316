package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Printable;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.progress.TransferMode;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Reads the body of one message. It checks every count against its limit and the remaining bytes before it allocates
 * memory for it.
 */
final class BodyReader {
    static final int MAX_STRING_LENGTH_BYTES = 1_024;
    private static final int MAX_REQUESTS = 1_000;
    private static final int MAX_RANGES = 30_000;
    private static final int MAX_SPANS = 30_000;
    private static final int MAX_OFFERS = 1_000;
    private static final int MAX_EXTENTS = 10_000;
    private static final int MAX_CONNECTIONS = 0xffff;
    private static final int MAX_SUMS = 200_000;

    private final ByteBuffer in;

    BodyReader(ByteBuffer body) {
        this.in = body;
    }

    /**
     * Reads a message of this type.
     *
     * @throws IllegalArgumentException for a value outside its limits
     * @throws BufferUnderflowException if the body is too short
     */
    Message read(int type) {
        return switch (type) {
            case 1 ->
                new Message.Hello(
                        new Message.Cluster(string(), uuid(), string()),
                        uuid(),
                        uuid(),
                        role(),
                        uuid(),
                        new Message.SessionNumber(in.getInt(), in.getInt()),
                        count("connection, or versions", MAX_CONNECTIONS, 0));
            case 2 -> new Message.Welcome(uuid(), in.getLong());
            case 3 -> new Message.SpansQuery(list("tables", MAX_REQUESTS, 20, this::tableRanges));
            case 4 -> spans();
            case 5 -> streamInit();
            case 6 -> syn();
            case 7 -> synAck();
            case 8 -> new Message.PrepareAck();
            case 9 -> new Message.Fetch(list("extents", MAX_EXTENTS, 17, this::extent));
            case 10 -> new Message.Stream(extent());
            case 11 -> new Message.Received(in.getInt());
            case 12 -> new Message.Installed(uuid());
            case 13 -> new Message.Complete();
            case 14 -> new Message.SessionFailed(code(), string());
            case 15 -> new Message.KeepAlive(doing(), in.getLong());
            case 16 -> new Message.TableRefused(uuid(), code(), string());
            case 17 -> new Message.Released(uuid(), code(), string());
            case 18 -> new Message.CheckFile(in.getInt(), WireComponent.of(in.get()), in.getInt());
            case 19 -> sums();
            default -> throw new IllegalArgumentException("unknown type (expected: 1 to 19)");
        };
    }

    private Message.Doing doing() {
        return new Message.Doing(string(), in.getInt(), in.getLong(), in.getLong(), in.getInt());
    }

    private ErrorCode code() {
        return ErrorCode.of(in.getInt()).orElse(ErrorCode.INTERNAL);
    }

    private Message spans() {
        boolean last = in.get() != 0;
        return new Message.Spans(list("tables", MAX_REQUESTS, 20, this::tableSpans), last);
    }

    private Message.TableSpans tableSpans() {
        return new Message.TableSpans(uuid(), list("spans", MAX_SPANS, 24, this::span));
    }

    private Message.TableRanges tableRanges() {
        return new Message.TableRanges(uuid(), ranges());
    }

    private Message.StreamInit streamInit() {
        int bits = in.getInt();
        return new Message.StreamInit(
                bits & Message.StreamInit.MAX_OPERATION,
                ReceiverFeatures.of(bits >>> Message.StreamInit.FEATURES_SHIFT),
                in.getLong());
    }

    private Message syn() {
        boolean last = in.get() != 0;
        return new Message.PrepareSyn(list("requests", MAX_REQUESTS, 28, this::request), last);
    }

    private Message sums() {
        int offer = in.getInt();
        Component component = WireComponent.of(in.get());
        int first = in.getInt();
        boolean last = in.get() != 0;
        return new Message.FileSums(offer, component, first, list("checksums", MAX_SUMS, 4, in::getInt), last);
    }

    private Message synAck() {
        int code = in.get();
        boolean isFetchable = code == BodyWriter.FETCHABLE;
        boolean last = code != 0 && !isFetchable;
        return new Message.PrepareSynAck(list("offers", MAX_OFFERS, 40, this::offer), last, isFetchable);
    }

    private Message.Role role() {
        int code = in.get();
        for (Message.Role role : Message.Role.values()) {
            if (role.code() == code) {
                return role;
            }
        }
        throw new IllegalArgumentException("role " + code + " (expected: 0 to 2)");
    }

    private SSTableOffer offer() {
        int number = in.getInt();
        UUID table = uuid();
        Descriptor source = descriptor(string());
        Token first = new Token(in.getLong());
        Token last = new Token(in.getLong());
        ModeChoice choice = new ModeChoice(TransferMode.of(in.get()), string());
        int components = in.get() & 0xff;
        List<ComponentManifest> manifest = new ArrayList<>();
        for (int i = 0; i < components; i++) {
            Component component = WireComponent.of(in.get());
            manifest.add(new ComponentManifest(component, in.getLong(), in.getInt() & 0xffff_ffffL));
        }
        return new SSTableOffer(number, table, source, first, last, choice, manifest);
    }

    private static Descriptor descriptor(String text) {
        return Descriptor.parse(text + "-" + Component.DATA.fileName())
                .orElseThrow(() -> new IllegalArgumentException("SSTable descriptor has an unknown format"))
                .descriptor();
    }

    private SSTableSpan span() {
        return new SSTableSpan(new Token(in.getLong()), new Token(in.getLong()), in.getLong());
    }

    private Message.TableRequest request() {
        return new Message.TableRequest(uuid(), in.getLong(), ranges());
    }

    private Extent extent() {
        return new Extent(in.getInt(), WireComponent.of(in.get()), in.getLong(), in.getInt());
    }

    private TokenRanges ranges() {
        return TokenRanges.of(list("ranges", MAX_RANGES, 16, () -> TokenRange.of(in.getLong(), in.getLong())));
    }

    /** Reads a text of the peer, and escapes it so that it is one harmless line in logs and reports. */
    private String string() {
        int length = in.getShort() & 0xffff;
        if (length > MAX_STRING_LENGTH_BYTES) {
            throw new IllegalArgumentException("length of a text: " + length + " (expected: at most 1024)");
        }
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return Printable.text(new String(bytes, StandardCharsets.UTF_8));
    }

    private UUID uuid() {
        return new UUID(in.getLong(), in.getLong());
    }

    private <T> List<T> list(String what, int max, int minLengthBytes, Supplier<T> element) {
        int count = count("number of " + what, max, minLengthBytes);
        List<T> elements = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            elements.add(element.get());
        }
        return elements;
    }

    private int count(String what, int max, int minLengthBytes) {
        int count = in.getInt();
        if (count < 0 || count > max || (long) count * minLengthBytes > in.remaining()) {
            throw new IllegalArgumentException(what + ": " + count + " (expected: 0 to " + max
                    + ", and no more than fit in " + in.remaining() + " bytes)");
        }
        return count;
    }
}
