package io.sluice.streaming.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.progress.TransferMode;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MessageCodecTest {
    private static final UUID ID = new UUID(3, 4);
    private static final Descriptor SOURCE =
            Descriptor.parse("nb-7-big-Data.db").orElseThrow().descriptor();
    private static final Extent EXTENT = new Extent(2, Component.DATA, 1L << 40, 4096);

    static Stream<Message> one_of_each_type() {
        SSTableOffer offer = new SSTableOffer(
                0,
                ID,
                SOURCE,
                new Token(-5),
                new Token(9),
                new ModeChoice(TransferMode.SLICE, "a part is wanted"),
                List.of(
                        new ComponentManifest(Component.STATISTICS, 4_700, 0xffff_ffffL),
                        new ComponentManifest(Component.INDEX, 12, 1),
                        new ComponentManifest(Component.DATA, 1L << 40, 0)));
        SSTableOffer rows = new SSTableOffer(
                1,
                ID,
                SOURCE,
                new Token(-5),
                new Token(9),
                new ModeChoice(TransferMode.ROWS, "it has a view"),
                List.of(new ComponentManifest(Component.PART, 1_000, 5)));
        TokenRanges ranges = TokenRanges.of(TokenRange.of(1, 5), TokenRange.of(9, -9));
        return Stream.of(
                new Message.Hello(
                        new Message.Cluster("cluster", new UUID(3, 4), "P"),
                        ID,
                        new UUID(1, 2),
                        Message.Role.DATA,
                        ID,
                        new Message.SessionNumber(2, 9),
                        3),
                new Message.Welcome(ID, 5),
                new Message.SpansQuery(List.of(
                        new Message.TableRanges(ID, ranges),
                        new Message.TableRanges(new UUID(5, 6), TokenRanges.NONE))),
                new Message.Spans(
                        List.of(
                                new Message.TableSpans(ID, List.of(new SSTableSpan(new Token(-1), new Token(1), 77))),
                                new Message.TableSpans(new UUID(5, 6), List.of())),
                        false),
                new Message.StreamInit(2, new ReceiverFeatures(true, false, true), 1L << 40),
                new Message.PrepareSyn(List.of(new Message.TableRequest(ID, ranges)), true),
                new Message.PrepareSynAck(List.of(offer, rows), true),
                new Message.PrepareSynAck(List.of(), false),
                new Message.PrepareSynAck(List.of(), false, true),
                new Message.PrepareAck(),
                new Message.Fetch(List.of(EXTENT, new Extent(0, Component.ROWS, 0, 1))),
                new Message.Stream(EXTENT),
                new Message.Received(7),
                new Message.Installed(ID),
                new Message.Complete(),
                new Message.SessionFailed(ErrorCode.DISK_FULL, "no room: é"),
                new Message.KeepAlive(new Message.Doing("sends", 3, 1L << 40, 1L << 39, 7), 12),
                new Message.TableRefused(ID, ErrorCode.UNKNOWN_TABLE, "who?"),
                new Message.Released(ID, ErrorCode.CANCELLED, "not wanted"),
                new Message.CheckFile(3, Component.DATA, 8 << 20),
                new Message.FileSums(3, Component.DATA, 0, List.of(1, -1), false));
    }

    @ParameterizedTest
    @MethodSource("one_of_each_type")
    void reads_what_it_wrote(Message message) {
        ByteBuffer frame = MessageCodec.encode(message);

        assertThat(MessageCodec.frameLength(frame)).isEqualTo(frame.remaining());
        assertThat(MessageCodec.decode(frame)).isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("one_of_each_type")
    void notices_every_flipped_bit(Message message) {
        byte[] frame = bytes(message);
        for (int bit = 0; bit < frame.length * 8; bit++) {
            byte[] damaged = frame.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));

            assertThatThrownBy(() -> read(damaged)).as("bit %d", bit).isInstanceOf(StreamException.class);
        }
    }

    @Test
    void has_a_type_for_every_message() {
        assertThat(one_of_each_type().map(Message::getClass).distinct())
                .hasSize(Message.class.getPermittedSubclasses().length);
    }

    @ParameterizedTest
    @MethodSource("one_of_each_type")
    void gives_a_value_or_a_stream_exception_for_any_body(Message message) {
        Random random = new Random(11);
        byte[] frame = bytes(message);
        int bodyLength = frame.length - MessageCodec.HEADER_LENGTH_BYTES - MessageCodec.TRAILER_LENGTH_BYTES;
        for (int round = 0; round < 2_000 && bodyLength > 0; round++) {
            byte[] hostile = frame.clone();
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                hostile[MessageCodec.HEADER_LENGTH_BYTES + random.nextInt(bodyLength)] = (byte) random.nextInt();
            }
            byte[] sealed = seal(hostile);
            try {
                read(sealed);
            } catch (StreamException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
            }
        }
    }

    /** A frame with one byte changed, and checksums that are right. */
    private static ByteBuffer with(int at, int value, Message message) {
        ByteBuffer frame = MessageCodec.encode(message).put(at, (byte) value);
        int length = frame.limit() - MessageCodec.HEADER_LENGTH_BYTES - MessageCodec.TRAILER_LENGTH_BYTES;
        frame.putInt(8, crc(frame.slice(0, 8)));
        return frame.putInt(
                frame.limit() - MessageCodec.TRAILER_LENGTH_BYTES,
                crc(frame.slice(MessageCodec.HEADER_LENGTH_BYTES, length)));
    }

    private static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    @Test
    void names_bytes_as_they_are_documented() {
        Message message = new Message.CheckFile(1, Component.DATA, 512);

        assertThatThrownBy(() -> MessageCodec.frameLength(with(2, 255, message)))
                .hasMessage("protocol version 255 (expected: 3)");
        assertThatThrownBy(() -> MessageCodec.frameLength(with(1, 'K', message)))
                .hasMessage("a frame begins with 0x534b (expected: 0x534c): the peer does not use the Sluice protocol");
        assertThatThrownBy(() -> MessageCodec.decode(with(3, 250, message)))
                .hasMessageStartingWith("message of type 250 ");
        assertThatThrownBy(() -> MessageCodec.decode(with(16, 200, message)))
                .hasMessageEndingWith("component number 200 (expected: 1 to 12)");
    }

    @Test
    void says_of_a_code_of_a_newer_release_that_it_is_unknown_here() {
        Message message = new Message.SessionFailed(ErrorCode.DISK, "so there");

        assertThat(MessageCodec.decode(with(15, 77, message)))
                .isEqualTo(new Message.SessionFailed(
                        ErrorCode.INTERNAL, "77, a code that this release does not know: so there"));
    }

    @Test
    void refuses_counts_that_do_not_fit_before_it_allocates() {
        byte[] frame = bytes(new Message.Fetch(List.of(EXTENT)));
        ByteBuffer.wrap(frame).putInt(MessageCodec.HEADER_LENGTH_BYTES, Integer.MAX_VALUE);

        assertThatThrownBy(() -> read(seal(frame)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("number of extents: 2147483647");
    }

    private static byte[] bytes(Message message) {
        ByteBuffer frame = MessageCodec.encode(message);
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    private static Message read(byte[] bytes) {
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        if (MessageCodec.frameLength(frame) != bytes.length) {
            throw new StreamException(ErrorCode.PROTOCOL, "another length");
        }
        return MessageCodec.decode(frame);
    }

    /** Gives a changed body its right checksum, as a hostile peer would. */
    private static byte[] seal(byte[] frame) {
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        int length = frame.length - MessageCodec.HEADER_LENGTH_BYTES - MessageCodec.TRAILER_LENGTH_BYTES;
        crc.update(frame, MessageCodec.HEADER_LENGTH_BYTES, length);
        ByteBuffer.wrap(frame).putInt(frame.length - 4, (int) crc.getValue());
        return frame;
    }
}
