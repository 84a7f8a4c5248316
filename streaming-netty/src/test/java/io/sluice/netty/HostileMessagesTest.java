package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.ring.Node;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever handling one message of a peer throws ends that session at once, with a code, and nothing else. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class HostileMessagesTest {
    private static final UUID PEER = new UUID(6, 6);
    private static final UUID PLAN = new UUID(7, 7);

    @TempDir
    Path temp;

    /** A frame whose body has other bytes from {@code at} on, and the right checksum. */
    private static byte[] changed(Message message, int at, long value, int width) {
        ByteBuffer frame = MessageCodec.encode(message);
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        int body = bytes.length - MessageCodec.HEADER_LENGTH_BYTES - MessageCodec.TRAILER_LENGTH_BYTES;
        ByteBuffer changed = ByteBuffer.wrap(bytes);
        for (int i = 0; i < width; i++) {
            changed.put(MessageCodec.HEADER_LENGTH_BYTES + at + i, (byte) (value >>> (8 * (width - 1 - i))));
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, MessageCodec.HEADER_LENGTH_BYTES, body);
        changed.putInt(MessageCodec.HEADER_LENGTH_BYTES + body, (int) crc.getValue());
        return bytes;
    }

    private StreamingNode source(Node self, DirectoryStore store) throws IOException {
        return StreamingNode.start(self, StreamOptions.builder().build(), store);
    }

    /** A session whose tables are pinned and offered. */
    private static RawPeer offered(Node source) throws IOException {
        RawPeer control = RawPeer.welcome(source, PEER, Message.Role.CONTROL, PLAN, 0, 0);
        control.send(new Message.StreamInit(1));
        control.send(new Message.PrepareSyn(
                List.of(new Message.TableRequest(TestTables.table(0).id(), TokenRanges.FULL)), true));
        control.expect(Message.PrepareSynAck.class);
        return control;
    }

    @ParameterizedTest
    @CsvSource({"9223372036854775807", "-1", "-9223372036854775808", "17592186044417"})
    void a_fetch_of_bytes_that_no_file_has_ends_the_session_at_once(long offset) throws Exception {
        Node self = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp, 1, 64 << 10);
        try (StreamingNode source = source(self, store);
                RawPeer control = offered(self);
                RawPeer data = RawPeer.welcome(self, PEER, Message.Role.DATA, PLAN, 0, 0)) {
            data.send(changed(new Message.Fetch(List.of(new Extent(0, Component.DATA, 0, 1))), 9, offset, 8));

            assertThat(control.end().map(Message.SessionFailed::code)).hasValue(ErrorCode.PROTOCOL);
            assertThat(source.sending().get(10, SECONDS)).isEmpty();
            awaitUnpinned(source);
        }
        assertThat(store.pins).hasValue(0);
    }

    @Test
    void a_control_message_that_cannot_be_read_ends_the_session_with_a_code() throws Exception {
        Node self = TestTables.node("source");
        try (StreamingNode source = source(self, TestTables.store(temp, 1, 64 << 10));
                RawPeer control = offered(self)) {
            control.send(changed(new Message.PrepareSyn(List.of(), true), 1, Integer.MAX_VALUE, 4));

            assertThat(control.end()).hasValueSatisfying(end -> {
                assertThat(end.code()).isEqualTo(ErrorCode.PROTOCOL);
                assertThat(end.reason()).contains("number of requests: 2147483647");
            });
            awaitUnpinned(source);
        }
    }

    /** An assertion of the database, which runs with -ea, while a page of requests is looked at. */
    @Test
    void an_error_that_a_message_provokes_ends_its_session_and_no_other_one() throws Exception {
        Node self = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp.resolve("source"), 2, 64 << 10);
        store.onCall = call -> {
            if (call.equals("pin t0")) {
                throw new AssertionError("a database that is sure");
            }
        };
        try (StreamingNode source = source(self, store);
                StreamingNode honest = StreamingNode.start(
                        TestTables.node("honest"),
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("honest"), 2, 0));
                RawPeer control = RawPeer.welcome(self, PEER, Message.Role.CONTROL, PLAN, 0, 0)) {
            control.send(new Message.StreamInit(1));
            control.send(new Message.PrepareSyn(
                    List.of(new Message.TableRequest(TestTables.table(0).id(), TokenRanges.FULL)), true));

            assertThat(control.expect(Message.TableRefused.class).reason()).contains("a database that is sure");
            assertThat(honest.execute(TestTables.plan(self, 1)).get(20, SECONDS).isComplete())
                    .isTrue();
            assertThat(source.sending().get(10, SECONDS)).hasSize(1);
        }
    }

    private static void awaitUnpinned(StreamingNode node) throws InterruptedException {
        // pins are released by threads of their own
        await().until(() -> node.pins().open() == 0);
    }

    private static SSTableOffer offer() {
        return offer(0);
    }

    private static SSTableOffer offer(int number) {
        return new SSTableOffer(
                number,
                TestTables.table(0).id(),
                Descriptor.parse("nb-7-big-Data.db").orElseThrow().descriptor(),
                new Token(-5),
                new Token(9),
                new ModeChoice(TransferMode.WHOLE, "all of it"),
                List.of(
                        new ComponentManifest(Component.STATISTICS, 10, 1),
                        new ComponentManifest(Component.INDEX, 10, 1),
                        new ComponentManifest(Component.DATA, 10, 0)));
    }

    /** A source with prepared answers. */
    private CompletableFuture<Void> answer(ServerSocket listening, UUID self, byte[] offers, byte[] data) {
        return CompletableFuture.runAsync(() -> {
            try (RawPeer control = new RawPeer(listening.accept())) {
                control.expect(Message.Hello.class);
                control.send(new Message.Welcome(self, 0));
                control.expect(Message.PrepareSyn.class);
                control.send(offers);
                if (data.length > 0) {
                    control.expect(Message.PrepareAck.class);
                    try (RawPeer link = new RawPeer(listening.accept())) {
                        link.expect(Message.Hello.class);
                        link.send(new Message.Welcome(self, 0));
                        link.expect(Message.Fetch.class);
                        link.send(data);
                        link.end();
                    }
                }
                control.end();
            } catch (SocketException hungUp) {
                return; // what the receiver says of it is looked at
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static byte[] bytes(Message message) {
        return changed(message, 0, 0, 0);
    }

    private String reason(byte[] offers, byte[] data) throws Exception {
        UUID id = UUID.randomUUID();
        try (ServerSocket listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("receiver"),
                        StreamOptions.builder()
                                .connectionsPerHost(1)
                                .retries(CutAnywhereTest.ONCE)
                                .build(),
                        TestTables.store(temp.resolve("receiver"), 1, 0))) {
            CompletableFuture<Void> source = answer(listening, id, offers, data);
            PlanResult result = receiver.execute(
                            TestTables.plan(TestTables.node(id, "source", listening.getLocalPort()), 0))
                    .get(20, SECONDS);
            source.get(20, SECONDS);
            return result.tables().get(0).reason();
        }
    }

    @Test
    void offers_that_cannot_be_read_end_the_session_at_the_receiver() throws Exception {
        byte[] offers = changed(new Message.PrepareSynAck(List.of(offer()), true), 1, Integer.MAX_VALUE, 4);

        assertThat(reason(offers, new byte[0])).startsWith("PROTOCOL: ").contains("number of offers: 2147483647");
    }

    @Test
    void a_list_of_offers_that_does_not_end_is_refused_when_it_is_too_long_for_the_receiver() throws Exception {
        ByteArrayOutputStream pages = new ByteArrayOutputStream();
        for (int page = 0; page < 40; page++) { // 40,000 SSTables, and room for 26,000
            List<SSTableOffer> offers = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                offers.add(offer(page * 1_000 + i));
            }
            pages.writeBytes(bytes(new Message.PrepareSynAck(offers, false)));
        }

        assertThat(reason(pages.toByteArray(), new byte[0]))
                .startsWith("LIMIT: ")
                .contains("inventory: ")
                .contains("raise streaming_memory");
    }

    @Test
    void bytes_that_were_not_asked_for_end_the_session_at_the_receiver() throws Exception {
        byte[] offers = bytes(new Message.PrepareSynAck(List.of(offer()), true));
        byte[] data = bytes(new Message.Stream(new Extent(0, Component.DATA, 1L << 44, 64 << 20)));

        assertThat(reason(offers, data)).startsWith("PROTOCOL: ").contains("was not requested, or not in this order");
    }

    @Test
    void an_extent_that_cannot_be_one_ends_the_session_at_the_receiver() throws Exception {
        byte[] offers = bytes(new Message.PrepareSynAck(List.of(offer()), true));
        byte[] data = changed(new Message.Stream(new Extent(0, Component.DATA, 0, 1)), 5, Long.MAX_VALUE, 8);

        assertThat(reason(offers, data)).startsWith("PROTOCOL: ").contains("offset 9223372036854775807");
    }
}
