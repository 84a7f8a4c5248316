package io.sluice.sstable.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PageAlignedTest {
    @Test
    void a_buffer_begins_at_a_page_and_has_the_length_that_was_asked_for() {
        for (int length : new int[] {1, 100, 4096, 65_536, 100_000, 1 << 20}) {
            ByteBuffer buffer = PageAligned.allocate(length);

            assertThat(buffer.alignmentOffset(0, PageAligned.PAGE_BYTES)).isZero();
            assertThat(buffer.capacity()).isEqualTo(length);
            assertThat(buffer.remaining()).isEqualTo(length);
        }
    }
}
