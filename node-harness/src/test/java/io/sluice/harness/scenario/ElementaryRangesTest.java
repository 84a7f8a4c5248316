package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElementaryRangesTest {
    private static Node node(String name, long token) {
        return new Node(
                UUID.nameUUIDFromBytes(name.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                name,
                new Address("127.0.0.1", 1),
                List.of(new Token(token)));
    }

    @Test
    void between_two_rings_no_range_has_an_end_of_either_inside() {
        Ring before = new Ring(List.of(node("a", Long.MIN_VALUE), node("b", 0)), 1);
        Ring after = before.with(node("c", 100));

        assertThat(ElementaryRanges.between(before, after))
                .containsExactly(
                        TokenRange.of(100, Long.MIN_VALUE), TokenRange.of(Long.MIN_VALUE, 0), TokenRange.of(0, 100));
        assertThat(ElementaryRanges.replicas(before, TokenRange.of(0, 100))).containsExactly(node("a", 0));
        assertThat(ElementaryRanges.replicas(after, TokenRange.of(0, 100))).containsExactly(node("c", 0));
        assertThat(ElementaryRanges.replicas(after, TokenRange.of(100, Long.MIN_VALUE)))
                .containsExactly(node("a", 0));
    }

    @ParameterizedTest
    @CsvSource({"0, 1600", "9223372036854775000, -9223372036854775000", "5, 5", "-9223372036854775808, 0"})
    void parts_are_the_whole_and_do_not_overlap(long start, long end) {
        TokenRange range = TokenRange.of(start, end);

        List<TokenRange> parts = ElementaryRanges.split(range, 16);

        assertThat(parts).hasSize(16);
        assertThat(TokenRanges.of(parts)).isEqualTo(TokenRanges.of(range));
        assertThat(parts.get(0).start()).isEqualTo(range.start());
        for (int i = 1; i < parts.size(); i++) {
            assertThat(parts.get(i).start()).isEqualTo(parts.get(i - 1).end());
        }
    }

    @Test
    void what_is_too_narrow_stays_whole() {
        assertThat(ElementaryRanges.split(TokenRange.of(3, 8), 16)).containsExactly(TokenRange.of(3, 8));
    }
}
