package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.replace.Agreement.Piece;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Of replicas that have the same, one sends. */
class AgreementTest {
    private static final ContentDigest SOME = new ContentDigest(1, 2, 3, 4, 5);
    private static final ContentDigest MORE = new ContentDigest(6, 7, 8, 9, 10);
    private static final TokenRange LOW = TokenRange.of(0, 50);
    private static final TokenRange HIGH = TokenRange.of(50, 90);

    private static JoinPlan plan(Map<String, TokenRanges> bySource, Map<String, TokenRanges> chosen) {
        return plan(List.of("(0,90]"), bySource, chosen);
    }

    private static JoinPlan plan(
            List<String> ranges, Map<String, TokenRanges> bySource, Map<String, TokenRanges> chosen) {
        return new JoinPlan("shop", ranges, bySource, chosen);
    }

    @Test
    void the_ring_is_cut_where_its_replicas_change_and_the_chosen_one_is_first() {
        JoinPlan plan = plan(
                Map.of("a", TokenRanges.of(LOW), "b", TokenRanges.of(LOW, HIGH), "c", TokenRanges.of(HIGH)),
                Map.of("b", TokenRanges.of(LOW), "c", TokenRanges.of(HIGH)));

        assertThat(Agreement.pieces(plan))
                .containsExactlyInAnyOrder(new Piece(LOW, List.of("b", "a")), new Piece(HIGH, List.of("c", "b")));
    }

    @Test
    void ranges_with_the_same_replicas_are_compared_one_by_one() {
        Map<String, TokenRanges> all = Map.of("a", TokenRanges.of(LOW, HIGH));

        assertThat(Agreement.pieces(plan(List.of("(0,50]", "(50,90]"), all, all)))
                .containsExactly(new Piece(LOW, List.of("a")), new Piece(HIGH, List.of("a")));
    }

    @Test
    void a_replica_of_a_part_of_what_is_chosen_cuts_it() {
        JoinPlan plan = plan(
                Map.of("a", TokenRanges.of(LOW, HIGH), "b", TokenRanges.of(HIGH)),
                Map.of("a", TokenRanges.of(LOW, HIGH)));

        assertThat(Agreement.pieces(plan))
                .containsExactlyInAnyOrder(new Piece(LOW, List.of("a")), new Piece(HIGH, List.of("a", "b")));
    }

    private static Map<String, TokenRanges> needed(ContentDigest a, ContentDigest b, ContentDigest c) {
        return Agreement.needed(
                List.of(new Piece(LOW, List.of("b", "a", "c"))),
                Map.of("a", Map.of(LOW, a), "b", Map.of(LOW, b), "c", Map.of(LOW, c)));
    }

    @Test
    void of_each_content_one_replica_sends() {
        TokenRanges low = TokenRanges.of(LOW);
        assertThat(needed(SOME, SOME, SOME)).isEqualTo(Map.of("b", low));
        assertThat(needed(SOME, MORE, SOME)).isEqualTo(Map.of("a", low, "b", low));
        assertThat(needed(SOME, MORE, ContentDigest.EMPTY)).isEqualTo(Map.of("a", low, "b", low));
        assertThat(needed(SOME, ContentDigest.EMPTY, ContentDigest.EMPTY)).isEqualTo(Map.of("a", low));
    }

    @Test
    void where_all_have_nothing_one_says_so() {
        assertThat(needed(ContentDigest.EMPTY, ContentDigest.EMPTY, ContentDigest.EMPTY))
                .isEqualTo(Map.of("b", TokenRanges.of(LOW)));
    }

    @Test
    void parts_of_a_sender_that_are_next_to_each_other_are_one_range() {
        List<Piece> pieces = List.of(new Piece(LOW, List.of("a", "b")), new Piece(HIGH, List.of("a", "c")));

        assertThat(Agreement.needed(pieces, Map.of("a", Map.of(LOW, SOME, HIGH, MORE))))
                .isEqualTo(Map.of("a", TokenRanges.of(TokenRange.of(0, 90))));
    }
}
