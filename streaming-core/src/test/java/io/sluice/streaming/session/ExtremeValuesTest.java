package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.progress.TransferMode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever number a peer writes into whatever field of whatever message, in whatever state: it is refused where it is
 * read, or the session answers it. Neither end ever throws.
 */
class ExtremeValuesTest {
    private static final UUID TABLE = new UUID(1, 2);
    private static final int EXTENT = 4 << 10;
    private static final Deadlines DEADLINES = Deadlines.of(Duration.ofSeconds(5));
    private static final int HEADER = MessageCodec.HEADER_LENGTH_BYTES;

    private static SSTableOffer offer(int number, long dataLength) {
        return new SSTableOffer(
                number,
                TABLE,
                Descriptor.parse("nb-7-big-Data.db").orElseThrow().descriptor(),
                new Token(-5),
                new Token(9),
                new ModeChoice(TransferMode.WHOLE, "all of it"),
                List.of(
                        new ComponentManifest(Component.STATISTICS, 100, 1),
                        new ComponentManifest(Component.INDEX, 12, 1),
                        new ComponentManifest(Component.DATA, dataLength, 0)));
    }

    private static final Extent FIRST = new Extent(0, Component.STATISTICS, 0, 100);

    static Stream<Message> messages() {
        Message.Cluster cluster = new Message.Cluster("c", TABLE, "P");
        return Stream.of(
                new Message.Hello(cluster, TABLE, TABLE, Message.Role.DATA, TABLE, Message.SessionNumber.FIRST, 0),
                new Message.Welcome(TABLE, 0),
                new Message.SpansQuery(List.of(new Message.TableRanges(TABLE, TokenRanges.FULL))),
                new Message.Spans(
                        List.of(new Message.TableSpans(
                                TABLE, List.of(new SSTableSpan(new Token(-1), new Token(1), 77)))),
                        true),
                new Message.StreamInit(1),
                new Message.PrepareSyn(List.of(new Message.TableRequest(TABLE, TokenRanges.FULL)), true),
                new Message.PrepareSynAck(List.of(offer(0, 10)), true),
                new Message.PrepareAck(),
                new Message.Fetch(List.of(FIRST)),
                new Message.Stream(FIRST),
                new Message.Received(0),
                new Message.Installed(TABLE),
                new Message.Complete(),
                new Message.SessionFailed(ErrorCode.DISK_FULL, "r"),
                new Message.KeepAlive(new Message.Doing("s", 1, 2, 3, 4), 5),
                new Message.TableRefused(TABLE, ErrorCode.UNKNOWN_TABLE, "w"),
                new Message.Released(TABLE, ErrorCode.CANCELLED, "n"),
                new Message.CheckFile(0, Component.STATISTICS, EXTENT),
                new Message.FileSums(0, Component.STATISTICS, 0, List.of(1), true));
    }

    /** Every number at every place of the body, whether a field begins there or not. */
    private static List<Message> changed(Message message) {
        ByteBuffer frame = MessageCodec.encode(message);
        List<Message> all = new ArrayList<>(List.of(message));
        for (int at = HEADER; at < frame.limit() - MessageCodec.TRAILER_LENGTH_BYTES; at++) {
            for (long value : new long[] {Long.MIN_VALUE, -1, Long.MAX_VALUE}) {
                decoded(frame, at, 8, value).ifPresent(all::add);
                decoded(frame, at, 4, value >> 32).ifPresent(all::add);
            }
        }
        return all;
    }

    private static Optional<Message> decoded(ByteBuffer original, int at, int width, long value) {
        byte[] bytes = new byte[original.limit()];
        original.duplicate().get(bytes);
        int body = original.limit() - HEADER - MessageCodec.TRAILER_LENGTH_BYTES;
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        for (int i = 0; i < width && at + i < HEADER + body; i++) {
            frame.put(at + i, (byte) (value >>> (8 * (width - 1 - i))));
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, HEADER, body);
        frame.putInt(HEADER + body, (int) crc.getValue());
        try {
            return Optional.of(MessageCodec.decode(frame));
        } catch (StreamException refused) {
            assertThat(refused.code()).isEqualTo(ErrorCode.PROTOCOL);
            return Optional.empty();
        }
    }

    /** The sending end, before and after each step of its life. */
    private static SendingSession sending(int steps) {
        SendingSession session = new SendingSession("peer", DEADLINES, 0);
        List<SendingSession.Event> life = List.of(
                new SendingSession.Event.Received(new Message.StreamInit(1)),
                new SendingSession.Event.Received(
                        new Message.PrepareSyn(List.of(new Message.TableRequest(TABLE, TokenRanges.FULL)), true)),
                new SendingSession.Event.Pinned(List.of(offer(0, 10)), Map.of()),
                new SendingSession.Event.Received(new Message.PrepareAck()),
                new SendingSession.Event.Received(new Message.Received(0)));
        life.subList(0, steps).forEach(event -> session.on(event, 0));
        return session;
    }

    private static ReceivingSession receiving(int steps) {
        ReceivingSession session = new ReceivingSession(
                Operation.REPLACE,
                "peer",
                List.of(new Message.TableRequest(TABLE, TokenRanges.FULL)),
                new SessionSettings(1, 1, EXTENT, 4, 100, DEADLINES),
                0);
        List<ReceivingSession.Event> life = List.of(
                new ReceivingSession.Event.Connected(),
                new ReceivingSession.Event.Received(new Message.PrepareSynAck(List.of(offer(0, 10)), true)),
                new ReceivingSession.Event.Prepared(List.of()),
                new ReceivingSession.Event.DataConnected(0),
                new ReceivingSession.Event.ExtentReceived(0, FIRST, 2)); // another checksum than promised
        life.subList(0, steps).forEach(event -> session.on(event, 0));
        return session;
    }

    @ParameterizedTest
    @MethodSource("messages")
    void no_number_in_a_message_makes_an_end_of_a_session_throw(Message message) {
        for (Message changed : changed(message)) {
            for (int steps = 0; steps <= 5; steps++) {
                try {
                    feed(changed, steps);
                } catch (RuntimeException e) {
                    throw new AssertionError(changed + " after " + steps + " steps", e);
                }
            }
        }
    }

    private static void feed(Message message, int steps) {
        SendingSession sending = sending(steps);
        if (message instanceof Message.Fetch fetch) {
            sending.on(new SendingSession.Event.Fetched(0, fetch.extents()), 1);
        } else {
            sending.on(new SendingSession.Event.Received(message), 1);
        }
        sending.on(new SendingSession.Event.Tick(), 2);
        ReceivingSession receiving = receiving(steps);
        receiving.on(new ReceivingSession.Event.Received(message), 1);
        receiving.on(new ReceivingSession.Event.Tick(), 2);
    }

    /** Numbers that are fine each by itself. */
    @Test
    void offers_of_more_bytes_than_there_are_numbers_for_end_the_session() {
        ReceivingSession session = receiving(1);
        List<ReceivingSession.Action> actions = List.of();
        for (int page = 0; page < 40 && !session.state().isFinal(); page++) {
            List<SSTableOffer> offers = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                offers.add(longest(page * 1_000 + i));
            }
            actions = session.on(new ReceivingSession.Event.Received(new Message.PrepareSynAck(offers, false)), 1);
        }

        assertThat(session.state()).isEqualTo(ReceivingSession.State.FAILED);
        assertThat(actions.get(0).toString())
                .contains("PROTOCOL")
                .contains("offers of more than 4611686018427387904 bytes in total");
    }

    private static SSTableOffer longest(int number) {
        SSTableOffer one = offer(number, 10);
        List<ComponentManifest> components = Stream.of(Component.values())
                .filter(Component::isStreamed)
                .filter(component -> Component.ofSSTables().contains(component))
                .map(component -> new ComponentManifest(component, ComponentManifest.MAX_LENGTH_BYTES, 0))
                .toList();
        return new SSTableOffer(number, TABLE, one.source(), one.first(), one.last(), one.choice(), components);
    }
}
