package io.sluice.streaming.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.TopologyChange.Difference;
import io.sluice.streaming.plan.TopologyChange.Repair;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A repair of three replicas: one of them differs from both others, in ranges that overlap. */
class OverlappingNeedsTest {
    private static final TableRef USERS = new TableRef(new UUID(0, 1), "ks", "users");
    private static final PlannerOptions CUTTING = PlannerOptions.DEFAULTS.cuttingSSTables();

    private final Node a = node(1, -1000);
    private final Node b = node(2, 0);
    private final Node c = node(3, 1000);
    private final Ring ring = new Ring(List.of(a, b, c), 3);

    private static Node node(long id, long token) {
        return new Node(new UUID(0, id), "n" + id, new Address("127.0.0." + id, 7000), List.of(new Token(token)));
    }

    private static SSTableSpan span(long first, long last) {
        return new SSTableSpan(new Token(first), new Token(last), 10);
    }

    /** What {@code a} asks of {@code source}, where the SSTables of {@code b} and {@code c} lie as they do. */
    private TokenRanges asked(
            TokenRanges fromB, TokenRanges fromC, Node source, List<SSTableSpan> ofB, List<SSTableSpan> ofC) {
        Repair repair =
                new Repair(List.of(new Difference(a, b, USERS, fromB), new Difference(a, c, USERS, fromC)), true);
        TopologyPlan plan = Planner.plan(
                repair, Map.of(USERS, ring), new SpansBySource(Map.of(USERS, Map.of(b, ofB, c, ofC))), CUTTING);

        assertThat(plan.transfers())
                .allMatch(
                        transfer -> transfer.first().value() <= transfer.last().value());
        return plan.streamPlan(new UUID(9, 9), a).requests().stream()
                .filter(request -> request.source().equals(source))
                .map(request -> request.ranges())
                .reduce(TokenRanges.NONE, TokenRanges::union);
    }

    /** Behind the shorter range a gap between SSTables begins, within the longer one. */
    @Test
    void each_source_is_asked_for_the_range_in_which_it_differs_and_no_more() {
        TokenRanges long100 = TokenRanges.of(TokenRange.of(0, 100));
        TokenRanges short10 = TokenRanges.of(TokenRange.of(10, 20));
        List<SSTableSpan> ofB = List.of(span(5, 40), span(60, 90));
        List<SSTableSpan> ofC = List.of(span(12, 18));

        assertThat(asked(long100, short10, b, ofB, ofC)).isEqualTo(long100);
        assertThat(asked(long100, short10, c, ofB, ofC)).isEqualTo(short10);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void so_it_is_with_random_ranges_and_sstables(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            TokenRanges fromB = ranges(random);
            TokenRanges fromC = ranges(random);
            List<SSTableSpan> ofB = spans(random);
            List<SSTableSpan> ofC = spans(random);

            assertThat(asked(fromB, fromC, b, ofB, ofC)).isEqualTo(fromB);
            assertThat(asked(fromB, fromC, c, ofB, ofC)).isEqualTo(fromC);
        }
    }

    private static TokenRanges ranges(Random random) {
        TokenRanges ranges = TokenRanges.NONE;
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            long start = random.nextInt(200);
            ranges = ranges.union(TokenRanges.of(TokenRange.of(start, start + 1 + random.nextInt(100))));
        }
        return ranges;
    }

    private static List<SSTableSpan> spans(Random random) {
        return random.ints(random.nextInt(5), 0, 300)
                .mapToObj(first -> span(first, first + random.nextInt(60)))
                .toList();
    }

    @Test
    void a_piece_without_a_token_is_refused() {
        PlanRanges pieces = new PlanRanges(List.of(USERS), new NodeNumbers(List.of(a, b)));

        assertThatThrownBy(() -> pieces.add(0, 0, 60, 20, new int[] {1}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tokens 60 to 20");
    }
}
