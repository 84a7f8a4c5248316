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
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.memory.PeerShares;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
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
    private static final int CHUNK_BYTES = Long.BYTES + Integer.BYTES;

    private final PeerShares shares = new PeerShares(new MemoryPool("messages", POOL_BYTES));

    private MessageReader reader(Bytes message, int times) {
        List<InputStream> all = Collections.nCopies(times, message).stream()
                .<InputStream>map(each -> new ByteArrayInputStream(each.toArray()))
                .toList();
        return new MessageReader(
                new WireInput(new SequenceInputStream(Collections.enumeration(all))), Optional.of(shares.of(PEER)));
    }

    /** The header of a whole SSTable with this many chunks, made while it is read. */
    private static InputStream whole(int chunks) {
        var entire = Optional.of(
                new FileHeader.Whole(List.of(new FileHeader.Entry("Data.db", 5_004L * chunks)), Bytes.hex("00")));
        byte[] none = MessageWriter.encode(header(Optional.empty(), entire)).toArray();
        byte[] one =
                MessageWriter.encode(header(Optional.of(chunks(1)), entire)).toArray();
        int count = Arrays.mismatch(none, one);
        byte[] before = Arrays.copyOf(one, count);
        byte[] after = Arrays.copyOfRange(one, count + Integer.BYTES + CHUNK_BYTES, one.length);
        InputStream table = new InputStream() {
            private int number;
            private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES).limit(0);

            @Override
            public int read() {
                byte[] next = new byte[1];
                return read(next, 0, 1) < 0 ? -1 : next[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                if (!chunk.hasRemaining() && number < chunks) {
                    chunk.clear().putLong(5_004L * number++).putInt(5_000).flip();
                }
                int read = Math.min(length, chunk.remaining());
                chunk.get(into, offset, read);
                return read == 0 ? -1 : read;
            }
        };
        return new SequenceInputStream(Collections.enumeration(List.of(
                new ByteArrayInputStream(before),
                new ByteArrayInputStream(
                        ByteBuffer.allocate(Integer.BYTES).putInt(chunks).array()),
                table,
                new ByteArrayInputStream(after))));
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

    private static PartCompression chunks(int count) {
        var chunks = new PartCompression.Builder();
        for (int i = 0; i < count; i++) {
            chunks.add(5_004L * i, 5_000);
        }
        return chunks.build(CompressionParameters.lz4());
    }

    private static FileHeader header(Optional<PartCompression> chunks, Optional<FileHeader.Whole> whole) {
        return new FileHeader(
                new FileHeader.Route(new UUID(2, 2), NODE, new UUID(3, 3), false, 0, 3, 0, Optional.empty()),
                "oa",
                "big",
                128,
                List.of(new Section(0, 100)),
                chunks,
                2,
                Bytes.hex("8101" + "c04000" + "00" + "0141" + "010142" + "00" + "00"),
                whole);
    }

    @Test
    void the_header_of_a_file_is_paid_for_until_the_next_one() throws IOException {
        Bytes part = MessageWriter.encode(header(Optional.of(chunks(100_000)), Optional.empty()));
        MessageReader reader = reader(part, 20);

        for (int i = 0; i < 20; i++) {
            assertThat(reader.next()).isPresent();
            assertThat(usedBytes()).isBetween(100_000L * Integer.BYTES - (1 << 16), POOL_BYTES / 2);
        }

        assertThat(reader.next()).isEmpty();
        assertThat(usedBytes()).isZero();
    }

    /** A file of 132 GiB with chunks of 16 KiB, or of 33 GiB with chunks of 4 KiB. */
    @Test
    void the_header_of_a_large_sstable_fits_and_its_chunks_are_not_kept() throws IOException {
        var pool = new PeerShares(new MemoryPool("messages", 389L << 20));
        MessageReader reader = new MessageReader(new WireInput(whole(9_000_000)), Optional.of(pool.of(PEER)));

        assertThat(reader.next().map(FileHeader.class::cast).orElseThrow().whole())
                .isPresent();
        assertThat(pool.sample().used()).isLessThan(1 << 16);
    }

    @Test
    void chunks_that_lie_apart_cost_more() throws IOException {
        var apart = new PartCompression.Builder();
        for (int i = 0; i < 100_000; i++) {
            apart.add(6_000L * i, 5_000);
        }
        Bytes part =
                MessageWriter.encode(header(Optional.of(apart.build(CompressionParameters.lz4())), Optional.empty()));
        MessageReader reader = reader(part, 1);

        StreamMessage read = reader.next().orElseThrow();

        assertThat(usedBytes()).isGreaterThan(3L * part.length());
        assertThat(MessageWriter.encode(read)).isEqualTo(part);
    }

    @Test
    void the_reason_names_what_a_command_has() {
        PeerMemory ours = new PeerShares(MemoryPool.ofHeap("messages")).of(PEER);

        assertThat(ours.shortage(1)).contains("three quarters of the heap").doesNotContain("streaming_memory");
    }
}
