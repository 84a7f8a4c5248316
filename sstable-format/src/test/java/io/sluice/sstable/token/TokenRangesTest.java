package io.sluice.sstable.token;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenRangesTest {
    private static final long LOWEST = Long.MIN_VALUE;
    private static final long HIGHEST = Long.MAX_VALUE;

    @Test
    void unwraps_and_merges_what_touches() {
        TokenRanges ranges = TokenRanges.of(TokenRange.of(50, -50), TokenRange.of(-50, -10), TokenRange.of(-20, 0));

        assertThat(ranges.ranges()).containsExactly(TokenRange.of(LOWEST, 0), TokenRange.of(50, LOWEST));
    }

    @Test
    void is_the_whole_ring_when_start_is_end() {
        assertThat(TokenRanges.of(TokenRange.of(7, 7))).isEqualTo(TokenRanges.FULL);
        assertThat(TokenRanges.FULL.contains(new Token(HIGHEST))).isTrue();
        assertThat(TokenRanges.FULL.minus(TokenRanges.FULL)).isEqualTo(TokenRanges.NONE);
    }

    @Test
    void excludes_the_start_and_includes_the_end() {
        TokenRanges ranges = TokenRanges.of(TokenRange.of(10, 20));

        assertThat(ranges.contains(new Token(10))).isFalse();
        assertThat(ranges.contains(new Token(11))).isTrue();
        assertThat(ranges.contains(new Token(20))).isTrue();
        assertThat(ranges.contains(new Token(21))).isFalse();
    }

    /** Each range alone, and as a set: what is just before, at and just after its ends, and the ends of the ring. */
    @Test
    void one_range_excludes_its_start_and_includes_its_end_around_the_ring_too() {
        long[] ends = {LOWEST + 1, LOWEST + 2, -5, -1, 0, 1, 5, HIGHEST - 2, HIGHEST - 1, HIGHEST};
        for (long start : ends) {
            for (long end : ends) {
                TokenRange range = TokenRange.of(start, end);
                for (long around : new long[] {start, end, LOWEST + 1, 0, HIGHEST}) {
                    for (long token = around - 1; token != around + 2; token++) {
                        if (token == LOWEST) {
                            continue; // of the empty key, which no store accepts
                        }
                        // How far it is from the start, going up around the ring: the first is 1 away, the start itself
                        // a whole ring.
                        long away = token - start - 1;
                        boolean isIn = Long.compareUnsigned(away, end - start - 1) <= 0;
                        assertThat(range.contains(new Token(token)))
                                .as("%d in %s", token, range)
                                .isEqualTo(isIn);
                        assertThat(TokenRanges.of(range).contains(new Token(token)))
                                .as("%d in the set of %s", token, range)
                                .isEqualTo(isIn);
                    }
                }
            }
        }
    }

    @Test
    void ends_a_range_that_starts_at_the_highest_token_where_it_began() {
        assertThat(TokenRanges.of(TokenRange.of(HIGHEST, 5)).ranges()).containsExactly(TokenRange.of(LOWEST, 5));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void agrees_with_asking_each_range_alone(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            List<TokenRange> some = randomRanges(random);
            List<TokenRange> others = randomRanges(random);
            TokenRanges a = TokenRanges.of(some);
            TokenRanges b = TokenRanges.of(others);
            for (long token = -12; token <= 12; token++) {
                Token at = new Token(token);
                boolean inA = some.stream().anyMatch(range -> range.contains(at));
                boolean inB = others.stream().anyMatch(range -> range.contains(at));
                assertThat(a.contains(at)).as("%s in %s", at, some).isEqualTo(inA);
                assertThat(a.union(b).contains(at)).isEqualTo(inA || inB);
                assertThat(a.intersection(b).contains(at)).isEqualTo(inA && inB);
                assertThat(a.minus(b).contains(at)).isEqualTo(inA && !inB);
                for (long last = token; last <= 12; last++) {
                    boolean any = LongStream.rangeClosed(token, last)
                            .mapToObj(Token::new)
                            .anyMatch(a::contains);
                    assertThat(a.intersects(at, new Token(last)))
                            .as("%s to %d in %s", at, last, some)
                            .isEqualTo(any);
                }
            }
        }
    }

    @Test
    void intersects_at_both_ends_of_the_ring() {
        TokenRanges ends = TokenRanges.of(TokenRange.of(5, -5));

        assertThat(ends.intersects(new Token(LOWEST), new Token(LOWEST))).isTrue();
        assertThat(ends.intersects(new Token(HIGHEST), new Token(HIGHEST))).isTrue();
        assertThat(ends.intersects(new Token(-4), new Token(5))).isFalse();
        assertThat(ends.intersects(new Token(-5), new Token(5))).isTrue();
        assertThat(ends.intersects(new Token(-4), new Token(6))).isTrue();
        assertThat(TokenRanges.of(TokenRange.of(0, 5)).intersects(new Token(LOWEST), new Token(LOWEST)))
                .isFalse();
    }

    private static List<TokenRange> randomRanges(Random random) {
        List<TokenRange> ranges = new ArrayList<>();
        for (int count = random.nextInt(4); count > 0; count--) {
            ranges.add(TokenRange.of(random.nextInt(20) - 10, random.nextInt(20) - 10));
        }
        return ranges;
    }

    @Test
    void an_end_at_the_highest_token_is_the_end_of_the_ring() {
        assertThat(TokenRanges.of(TokenRange.of(0, Long.MAX_VALUE)))
                .isEqualTo(TokenRanges.of(TokenRange.of(0, Long.MIN_VALUE)));
        assertThat(TokenRanges.of(TokenRange.of(Long.MIN_VALUE, Long.MAX_VALUE)))
                .isEqualTo(TokenRanges.FULL);
    }
}
