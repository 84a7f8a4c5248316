package io.sluice.cassandra.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.wire.StreamMessage.PrepareSyn;
import io.sluice.cassandra.wire.StreamMessage.RangeRequest;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.memory.PeerShares;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What messages of peers that chose us may make us keep. */
class MessageMemoryTest {
    private static final InetSocketAddress NODE = new InetSocketAddress("127.0.0.2", 7000);
    private static final UUID PEER = new UUID(1, 1);
    private static final long POOL_BYTES = 8 << 20;

    private final PeerShares shares = new PeerShares(new MemoryPool("messages", POOL_BYTES));

    private MessageReader reader(Bytes message, int times) {
        List<InputStream> all = Collections.nCopies(times, message).stream()
                .<InputStream>map(each -> new ByteArrayInputStream(each.toArray()))
                .toList();
        return new MessageReader(
                new WireInput(new SequenceInputStream(Collections.enumeration(all))), Optional.of(shares.of(PEER)));
    }

    private long usedBytes() {
        return shares.sample().used();
    }

    @Test
    void what_a_session_keeps_is_paid_for_until_its_connection_is_over() throws IOException {
        Bytes many = MessageWriter.encode(new PrepareSyn(
                List.of(new RangeRequest("ks", NODE, TokenRanges.FULL, Collections.nCopies(100_000, "t"))), List.of()));
        MessageReader first = reader(many, 1);
        MessageReader second = reader(many, 1);

        assertThat(first.next()).isPresent();
        assertThat(usedBytes()).isGreaterThan(10L * many.length());
        assertThatThrownBy(second::next)
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT));
        second.release();
        first.release();

        assertThat(usedBytes()).isZero();
        assertThat(reader(many, 1).next()).isPresent();
    }

    @Test
    void the_header_of_a_file_is_paid_for_until_the_next_one() throws IOException {
        var chunks = new PartCompression.Builder();
        for (int i = 0; i < 100_000; i++) {
            chunks.add(5_004L * i, 5_000);
        }
        Bytes part = MessageWriter.encode(new FileHeader(
                new FileHeader.Route(new UUID(2, 2), NODE, new UUID(3, 3), false, 0, 3, 0, Optional.empty()),
                "oa",
                "big",
                128,
                List.of(new Section(0, 100)),
                Optional.of(chunks.build(CompressionParameters.lz4())),
                2,
                Bytes.hex("8101" + "c04000" + "00" + "0141" + "010142" + "00" + "00"),
                Optional.empty()));
        MessageReader reader = reader(part, 20);

        for (int i = 0; i < 20; i++) {
            assertThat(reader.next()).isPresent();
            assertThat(usedBytes()).isBetween(2L * part.length(), POOL_BYTES / 2);
        }

        assertThat(reader.next()).isEmpty();
        assertThat(usedBytes()).isZero();
    }
}
