package io.sluice.streaming.transfer.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageCodec;
import io.sluice.streaming.throttle.CombinedThrottle;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** What a source sends on a data connection, in any pieces, and what it must not send. */
class ExtentStreamTest {
    private static final Extent FIRST = new Extent(0, Component.DATA, 0, 10);
    private static final Extent SECOND = new Extent(0, Component.INDEX, 4, 3);

    private final Kept kept = new Kept();
    private final ExtentStream stream = new ExtentStream(kept);

    /** Keeps what lands, in memory. */
    private static final class Kept implements DataReceiver {
        final Map<Extent, byte[]> arrived = new LinkedHashMap<>();
        final List<Long> sums = new ArrayList<>();
        int open;
        boolean isFull;
        private ByteArrayOutputStream landing = new ByteArrayOutputStream();

        @Override
        public ByteBuffer takeBuffer() {
            throw new AssertionError("a stream needs none of its own");
        }

        @Override
        public void releaseBuffer(ByteBuffer buffer) {}

        @Override
        public CombinedThrottle limits() {
            throw new AssertionError("limits are the connection's matter");
        }

        @Override
        public int dutyPercent() {
            throw new AssertionError("its duty is the connection's matter");
        }

        @Override
        public void opened() {}

        @Override
        public Landing begin(Extent extent) {
            open++;
            landing = new ByteArrayOutputStream();
            return new Landing() {
                @Override
                public void write(ByteBuffer bytes, long position) throws IOException {
                    if (isFull) {
                        throw new IOException("no room");
                    }
                    assertThat(position).isEqualTo(extent.offset() + landing.size());
                    byte[] part = new byte[bytes.remaining()];
                    bytes.get(part);
                    landing.write(part);
                }

                @Override
                public void close() {
                    open--;
                }
            };
        }

        @Override
        public void received(Extent extent, long crc32) {
            arrived.put(extent, landing.toByteArray());
            sums.add(crc32);
        }

        @Override
        public void lost(String reason) {}

        @Override
        public void failed(Throwable cause) {}
    }

    private static byte[] bytes(Extent extent) {
        byte[] bytes = new byte[extent.lengthBytes()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (extent.offset() + i);
        }
        return bytes;
    }

    private static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    private static ByteBuffer sent(Object... parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Object part : parts) {
            if (part instanceof Message message) {
                ByteBuffer frame = MessageCodec.encode(message);
                byte[] bytes = new byte[frame.remaining()];
                frame.get(bytes);
                all.write(bytes);
            } else {
                all.write((byte[]) part);
            }
        }
        return ByteBuffer.wrap(all.toByteArray());
    }

    private static Message heartbeat() {
        return new Message.KeepAlive(new Message.Doing("a fetch", 0, 0, 0, 1), 0);
    }

    @Test
    void lands_extents_whatever_the_pieces_are_that_they_come_in() throws IOException {
        ByteBuffer all =
                sent(new Message.Stream(FIRST), bytes(FIRST), heartbeat(), new Message.Stream(SECOND), bytes(SECOND));
        for (int piece = 1; piece <= all.limit(); piece++) {
            Kept own = new Kept();
            ExtentStream pieces = new ExtentStream(own);
            pieces.fetching(List.of(FIRST, SECOND));
            ByteBuffer buffer = ByteBuffer.allocate(all.limit()).flip();
            for (int at = 0; at < all.limit(); at += piece) {
                buffer.compact()
                        .put(all.slice(at, Math.min(piece, all.limit() - at)))
                        .flip();
                pieces.consume(buffer);
            }

            assertThat(own.arrived).as("in pieces of %d", piece).containsOnlyKeys(FIRST, SECOND);
            assertThat(own.arrived.get(SECOND)).isEqualTo(bytes(SECOND));
            assertThat(own.sums).containsExactly(crc(bytes(FIRST)), crc(bytes(SECOND)));
            assertThat(own.open).isZero();
            assertThat(pieces.isIdle()).isTrue();
        }
    }

    @Test
    void takes_only_what_was_fetched_in_that_order() throws IOException {
        stream.fetching(List.of(FIRST, SECOND));
        ByteBuffer wrong = sent(new Message.Stream(SECOND), bytes(SECOND));

        assertThatThrownBy(() -> stream.consume(wrong))
                .isInstanceOf(ExtentStream.FinalException.class)
                .hasMessageContaining("was not requested, or not in this order")
                .hasCauseInstanceOf(StreamException.class);
        assertThat(kept.arrived).isEmpty();
    }

    @Test
    void knows_how_much_is_on_its_way() throws IOException {
        stream.fetching(List.of(FIRST, SECOND));
        assertThat(stream.outstanding()).isEqualTo(2);

        stream.consume(sent(new Message.Stream(FIRST), new byte[4]));

        assertThat(stream.arrivingBytes()).isEqualTo(4);
        assertThat(stream.outstanding()).isEqualTo(1);
        assertThat(stream.isIdle()).isFalse();
    }

    @Test
    void lets_go_of_the_file_when_the_connection_ends_in_the_middle_of_an_extent() throws IOException {
        stream.fetching(List.of(FIRST));
        stream.consume(sent(new Message.Stream(FIRST), new byte[4]));
        assertThat(kept.open).isEqualTo(1);

        stream.close();
        stream.close();

        assertThat(kept.open).isZero();
    }

    @Test
    void calls_final_what_another_connection_would_not_mend() throws IOException {
        stream.fetching(List.of(FIRST));
        kept.isFull = true;
        ByteBuffer bytes = sent(new Message.Stream(FIRST), bytes(FIRST));

        assertThatThrownBy(() -> stream.consume(bytes))
                .isInstanceOf(ExtentStream.FinalException.class)
                .hasMessage("no room");
    }

    @Test
    void a_damaged_frame_and_a_source_that_ends_leave_hope_for_another_connection() throws IOException {
        ByteBuffer damaged = sent(heartbeat());
        damaged.put(damaged.limit() - 1, (byte) (damaged.get(damaged.limit() - 1) ^ 1));
        ByteBuffer ended = sent(new Message.SessionFailed(ErrorCode.CANCELLED, "over"));

        assertThatThrownBy(() -> stream.consume(damaged))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_IN_FLIGHT));
        assertThatThrownBy(() -> stream.consume(ended))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(ExtentStream.FinalException.class)
                .hasMessageContaining("over");
    }

    @Test
    void refuses_a_message_that_is_longer_than_any_before_it_is_there() {
        ByteBuffer frame = MessageCodec.encode(new Message.Fetch(Collections.nCopies(1_000, FIRST)));
        ByteBuffer header = frame.slice(frame.position(), MessageCodec.HEADER_LENGTH_BYTES);

        assertThatThrownBy(() -> stream.consume(header)).hasMessageContaining("bytes on a data connection");
    }
}
