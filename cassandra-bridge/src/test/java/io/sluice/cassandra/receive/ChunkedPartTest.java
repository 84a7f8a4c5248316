package io.sluice.cassandra.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.index.Section;
import io.sluice.streaming.StreamException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChunkedPartTest {
    @Test
    void a_section_moves_by_the_chunks_before_it() {
        assertThat(ChunkedPart.move(List.of(new Section(25, 31)), 10, 2)).containsExactly(new Section(5, 11));
    }

    @Test
    void sections_that_share_a_chunk_share_it_afterwards() {
        assertThat(ChunkedPart.move(List.of(new Section(12, 14), new Section(17, 42)), 10, 4))
                .containsExactly(new Section(2, 4), new Section(7, 32));
    }

    @Test
    void chunks_between_two_sections_are_left_out() {
        assertThat(ChunkedPart.move(List.of(new Section(3, 20), new Section(55, 60), new Section(90, 91)), 10, 4))
                .containsExactly(new Section(3, 20), new Section(25, 30), new Section(30, 31));
    }

    @Test
    void another_number_of_chunks_than_the_sections_touch_is_refused() {
        assertThatThrownBy(() -> ChunkedPart.move(List.of(new Section(3, 20)), 10, 3))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("3 chunks for sections that touch 2");
    }
}
