package io.sluice.harness.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.generate.RandomTable;
import io.sluice.sstable.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MutationCodecTest {
    private final MutationCodec codec;

    MutationCodecTest() throws Exception {
        codec = new MutationCodec(TableSchema.parse(Tables.RICH_CQL).header(RandomTable.BASE));
    }

    private Bytes encoded(Mutation mutation) {
        GrowingBuffer out = new GrowingBuffer();
        codec.write(mutation, out);
        return out.toBytes();
    }

    @Test
    void what_is_written_is_read() throws Exception {
        for (long seed = 1; seed <= 10; seed++) {
            for (Mutation mutation : Tables.random(seed)) {
                ByteBuffer in = encoded(mutation).asBuffer();

                assertThat(codec.read(in)).isEqualTo(mutation);
                assertThat(in.hasRemaining()).isFalse();
            }
        }
    }

    @Test
    void bytes_that_end_early_are_refused() throws Exception {
        Bytes whole = encoded(Tables.random(1).get(0));

        for (int length = 0; length < whole.length(); length++) {
            ByteBuffer part = whole.slice(0, length).asBuffer();
            assertThatThrownBy(() -> codec.read(part)).isInstanceOf(SSTableException.class);
        }
    }

    @Test
    void damaged_bytes_are_refused_or_read_but_never_more() throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        Bytes whole = encoded(Tables.random(2).get(0));

        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = whole.toArray();
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                assertThat(codec.read(ByteBuffer.wrap(damaged))).isNotNull();
            } catch (SSTableException refused) {
                assertThat(refused).hasMessageStartingWith("mutation");
            }
        }
    }
}
