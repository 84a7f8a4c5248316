package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.List;
import org.junit.jupiter.api.Test;

class VolumePlacementTest {
    private static final TokenRanges LOW = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0));
    private static final TokenRanges HIGH = TokenRanges.of(TokenRange.of(0, Long.MIN_VALUE));

    private static List<Integer> order(long first, long last, VolumePlacement.Candidate... volumes) {
        return VolumePlacement.order(List.of(volumes), new Token(first), new Token(last));
    }

    private static VolumePlacement.Candidate volume(TokenRanges tokens, long freeBytes) {
        return new VolumePlacement.Candidate(tokens, freeBytes);
    }

    @Test
    void most_room_comes_first_where_the_ring_is_not_divided() {
        assertThat(order(1, 9, volume(TokenRanges.NONE, 5), volume(TokenRanges.NONE, 7), volume(TokenRanges.NONE, 6)))
                .containsExactly(1, 2, 0);
    }

    @Test
    void equal_room_is_taken_in_the_order_of_the_database() {
        assertThat(order(1, 9, volume(TokenRanges.NONE, 5), volume(TokenRanges.NONE, 5)))
                .containsExactly(0, 1);
    }

    @Test
    void an_sstable_within_the_tokens_of_one_volume_goes_there_whatever_room_others_have() {
        assertThat(order(1, 9, volume(LOW, 100), volume(HIGH, 1))).containsExactly(1, 0);
        assertThat(order(-9, -1, volume(LOW, 1), volume(HIGH, 100))).containsExactly(0, 1);
        assertThat(order(-9, 0, volume(LOW, 1), volume(HIGH, 100))).containsExactly(0, 1);
    }

    @Test
    void an_sstable_across_a_boundary_goes_where_most_room_is() {
        assertThat(order(0, 1, volume(LOW, 1), volume(HIGH, 100))).containsExactly(1, 0);
        assertThat(order(-9, 9, volume(LOW, 100), volume(HIGH, 1))).containsExactly(0, 1);
    }

    @Test
    void tokens_of_no_volume_go_where_most_room_is() {
        TokenRanges few = TokenRanges.of(TokenRange.of(100, 200));

        assertThat(order(1, 9, volume(few, 1), volume(TokenRanges.NONE, 100))).containsExactly(1, 0);
    }

    @Test
    void an_sstable_over_a_gap_between_the_tokens_of_one_volume_is_that_volumes() {
        TokenRanges parts = TokenRanges.of(TokenRange.of(0, 100), TokenRange.of(200, 300));
        TokenRanges others = TokenRanges.of(TokenRange.of(400, 500));

        assertThat(order(50, 250, volume(others, 100), volume(parts, 1))).containsExactly(1, 0);
    }
}
