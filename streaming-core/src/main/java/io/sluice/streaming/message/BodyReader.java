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
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Reads the fields of the body of one message. It checks every count against its limit and the remaining bytes before
 * it allocates memory for it.
 */
final class BodyReader {
    static final int MAX_STRING_LENGTH_BYTES = 1_024;
    private static final int MAX_RANGES = 30_000;
    private static final int MAX_SPANS = 30_000;

    private final ByteBuffer in;

    BodyReader(ByteBuffer body) {
        this.in = body;
    }

    Message.Doing doing() {
        return new Message.Doing(string(), in.getInt(), in.getLong(), in.getLong(), in.getInt());
    }

    /** A code and its reason, which names the number of a code that this release does not know. */
    <T> T failure(BiFunction<ErrorCode, String, T> message) {
        int number = in.getInt();
        String reason = string();
        return ErrorCode.of(number)
                .map(code -> message.apply(code, reason))
                .orElseGet(() -> message.apply(
                        ErrorCode.INTERNAL, number + ", a code that this release does not know: " + reason));
    }

    Message.TableSpans tableSpans() {
        return new Message.TableSpans(uuid(), list("spans", MAX_SPANS, 24, this::span));
    }

    Message.TableRanges tableRanges() {
        return new Message.TableRanges(uuid(), ranges());
    }

    Message.Role role() {
        int code = u8();
        for (Message.Role role : Message.Role.values()) {
            if (role.code() == code) {
                return role;
            }
        }
        throw new IllegalArgumentException("role " + code + " (expected: 0 to 2)");
    }

    SSTableOffer offer() {
        int number = in.getInt();
        UUID table = uuid();
        Descriptor source = descriptor(string());
        Token first = new Token(in.getLong());
        Token last = new Token(in.getLong());
        ModeChoice choice = new ModeChoice(TransferMode.of(u8()), string());
        int components = u8();
        List<ComponentManifest> manifest = new ArrayList<>();
        for (int i = 0; i < components; i++) {
            Component component = WireComponent.of(u8());
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

    Message.TableRequest request() {
        return new Message.TableRequest(uuid(), in.getLong(), ranges());
    }

    Extent extent() {
        return new Extent(in.getInt(), WireComponent.of(u8()), in.getLong(), in.getInt());
    }

    private TokenRanges ranges() {
        return TokenRanges.of(list("ranges", MAX_RANGES, 16, () -> TokenRange.of(in.getLong(), in.getLong())));
    }

    /** Reads a text of the peer, and escapes it so that it is one harmless line in logs and reports. */
    String string() {
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

    int u8() {
        return in.get() & 0xff;
    }

    boolean bool() {
        return in.get() != 0;
    }

    int i32() {
        return in.getInt();
    }

    long i64() {
        return in.getLong();
    }

    Component component() {
        return WireComponent.of(u8());
    }

    UUID uuid() {
        return new UUID(in.getLong(), in.getLong());
    }

    <T> List<T> list(String what, int max, int minLengthBytes, Supplier<T> element) {
        int count = count("number of " + what, max, minLengthBytes);
        List<T> elements = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            elements.add(element.get());
        }
        return elements;
    }

    int count(String what, int max, int minLengthBytes) {
        int count = in.getInt();
        if (count < 0 || count > max || (long) count * minLengthBytes > in.remaining()) {
            throw new IllegalArgumentException(what + ": " + count + " (expected: 0 to " + max
                    + ", and no more than fit in " + in.remaining() + " bytes)");
        }
        return count;
    }
}
