package io.sluice.cassandra.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.util.NetUtil;
import io.sluice.cassandra.wire.StreamMessage.PrepareSyn;
import io.sluice.cassandra.wire.StreamMessage.RangeRequest;
import io.sluice.cassandra.wire.StreamMessage.StreamInit;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MessageCodecTest {
    private static final InetSocketAddress NODE = new InetSocketAddress("127.0.0.2", 7000);
    private static final UUID PLAN = UUID.fromString("8b5c3e70-1c2d-11f1-8000-000000000001");
    private static final UUID TABLE = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private static final StreamInit INIT = new StreamInit(NODE, 0, PLAN, StreamInit.BULK_LOAD, Optional.empty(), 0);
    private static final PrepareSyn PULL =
            new PrepareSyn(List.of(new RangeRequest("ks", NODE, TokenRanges.FULL, List.of("t"))), List.of());
    private static final PrepareSyn PUSH = new PrepareSyn(List.of(), List.of(new Summary(TABLE, 7, 1_000_000)));
    private static final FileHeader.Route ROUTE =
            new FileHeader.Route(TABLE, NODE, PLAN, false, 0, 3, 0, Optional.of(PLAN));
    /** Times, key type, one clustering type, no static and two regular columns. */
    private static final Bytes HEADER =
            Bytes.hex("8101" + "c04000" + "00" + "0141" + "010142" + "00" + "02" + "0161" + "0143" + "0162" + "0144");

    private static FileHeader wholeFile() {
        var whole = new FileHeader.Whole(
                List.of(new FileHeader.Entry("Data.db", 1_000_000), new FileHeader.Entry("Statistics.db", 200)),
                Bytes.hex("00000001"));
        return new FileHeader(ROUTE, "nb", "big", 0, List.of(), Optional.empty(), 0, HEADER, Optional.of(whole));
    }

    private static FileHeader part() {
        var chunks = new PartCompression.Builder();
        chunks.add(0, 5_000);
        chunks.add(5_004, 6_000);
        return new FileHeader(
                ROUTE,
                "oa",
                "big",
                128,
                List.of(new Section(0, 100), new Section(200, 30_000)),
                Optional.of(chunks.build(CompressionParameters.lz4())),
                2,
                HEADER,
                Optional.empty());
    }

    static Stream<StreamMessage> messages() {
        return Stream.of(
                INIT,
                new StreamInit(NODE, 2, PLAN, "Repair", Optional.of(TABLE), 3),
                new StreamInit(
                        new InetSocketAddress(NetUtil.createInetAddressFromIpAddressString("::1"), 65_535),
                        2,
                        PLAN,
                        StreamInit.REBUILD,
                        Optional.empty(),
                        0),
                PULL,
                PUSH,
                new StreamMessage.PrepareSynAck(PUSH.summaries()),
                new StreamMessage.PrepareAck(),
                new StreamMessage.Received(TABLE, 4),
                new StreamMessage.Complete(),
                new StreamMessage.SessionFailed(),
                new StreamMessage.KeepAlive(),
                wholeFile(),
                part());
    }

    private static Optional<StreamMessage> decode(Bytes bytes) throws IOException {
        return new MessageReader(new WireInput(new ByteArrayInputStream(bytes.toArray()))).next();
    }

    @Test
    void writes_the_bytes_that_real_nodes_take() {
        assertThat(MessageWriter.encode(INIT).hex())
                .isEqualTo("0a067f0000021b58000000008b5c3e701c2d11f18000000000000001000942756c6b204c6f61640000000000");
        assertThat(MessageWriter.encode(PULL).hex())
                .isEqualTo("010000000100026b7300000001067f0000021b58000000010000000880000000000000000000000880000000"
                        + "000000000000000000017400000000");
        assertThat(MessageWriter.encode(PUSH).hex())
                .isEqualTo("01000000000000000100112233445566778899aabbccddeeff0000000700000000000f4240");
        assertThat(MessageWriter.encode(new StreamMessage.Complete()).hex()).isEqualTo("05");
    }

    @Test
    void ends_the_header_of_a_whole_file_with_its_manifest_and_first_key() {
        assertThat(MessageWriter.encode(wholeFile()).hex())
                .endsWith("0102" + "0007446174612e6462cf4240" + "000d537461746973746963732e646280c8" + "0400000001");
    }

    @ParameterizedTest
    @MethodSource("messages")
    void reads_what_it_writes(StreamMessage message) throws IOException {
        Bytes bytes = MessageWriter.encode(message);

        StreamMessage read = decode(bytes).orElseThrow();

        assertThat(MessageWriter.encode(read)).isEqualTo(bytes);
        assertThat(read.getClass()).isEqualTo(message.getClass());
    }

    @ParameterizedTest
    @MethodSource("messages")
    void tells_an_end_in_the_middle_wherever_it_is(StreamMessage message) throws IOException {
        Bytes bytes = MessageWriter.encode(message);

        for (int length = 1; length < bytes.length(); length++) {
            Bytes cut = bytes.slice(0, length);
            assertThatThrownBy(() -> decode(cut)).isInstanceOf(IOException.class);
        }
        assertThat(decode(Bytes.EMPTY)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("messages")
    void answers_any_damage_with_its_own_exception(StreamMessage message) {
        byte[] bytes = MessageWriter.encode(message).toArray();
        var random = new SplittableRandom(9);
        for (int round = 0; round < 3_000; round++) {
            byte[] damaged = bytes.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }

            Throwable thrown = catchThrowable(() -> decode(Bytes.wrap(damaged)));

            assertThat(thrown == null || thrown instanceof IOException || thrown instanceof StreamException)
                    .as("%s of %s", thrown, Bytes.wrap(damaged))
                    .isTrue();
        }
    }

    @Test
    void believes_no_count_before_the_bytes_are_there() {
        Bytes twoBillionSummaries = Bytes.hex("087fffffff");
        Bytes manyRanges = Bytes.hex("010000000100026b7300000001067f0000021b58000f4240");

        assertThatThrownBy(() -> decode(twoBillionSummaries))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("number of summaries: 2147483647");
        assertThatThrownBy(() -> decode(manyRanges)).isInstanceOf(IOException.class);
    }

    @Test
    void refuses_sections_that_overlap() {
        String bytes = MessageWriter.encode(part()).hex();
        String overlapping =
                bytes.replace("00000000000000c8" + "0000000000007530", "0000000000000063" + "0000000000007530");

        assertThat(overlapping).isNotEqualTo(bytes);
        assertThatThrownBy(() -> decode(Bytes.hex(overlapping)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("start of a section: 99");
    }
}
