package io.sluice.streaming.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplacePlannerTest {
    private static final TableRef USERS = new TableRef(new UUID(0, 1), "ks", "users");
    private static final UUID PLAN = new UUID(9, 9);

    private final Node a = node(1, -1000);
    private final Node b = node(2, 0);
    private final Node c = node(3, 1000);
    private final Ring ring = new Ring(List.of(a, b, c), 3);

    @Test
    void splits_the_bytes_evenly_between_the_survivors() {
        List<SSTableSpan> spans =
                List.of(span(-900, -800, 10), span(-700, -1, 10), span(100, 200, 10), span(300, 900, 10));

        StreamPlan plan = ReplacePlanner.plan(PLAN, ring, c, Map.of(USERS, Map.of(a, spans, b, spans)));

        assertThat(bytesBySource(plan, spans)).containsOnly(Map.entry(a, 20L), Map.entry(b, 20L));
        assertThat(covered(plan)).isEqualTo(TokenRanges.FULL);
    }

    @Test
    void never_cuts_an_sstable_that_lies_across_ranges() {
        List<SSTableSpan> spans = List.of(span(-5000, 5000, 10));

        StreamPlan plan = ReplacePlanner.plan(PLAN, ring, c, Map.of(USERS, Map.of(a, spans, b, spans)));

        assertThat(plan.requests().stream()
                        .filter(request -> request.ranges().intersects(new Token(-5000), new Token(5000))))
                .hasSize(1);
    }

    @Test
    void names_the_range_that_has_no_live_source() {
        Ring single = new Ring(List.of(a, b, c), 1);

        assertThatThrownBy(() ->
                        ReplacePlanner.plan(PLAN, single, c, Map.of(USERS, Map.of(a, List.of(), b, List.of()))))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SOURCE))
                .hasMessageContaining("ks.users (0,1000]");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void covers_what_the_dead_node_held_exactly_once(long seed) {
        Random random = new Random(seed);
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 3 + random.nextInt(5); i++) {
            nodes.add(node(i, random.nextLong()));
        }
        Ring some = new Ring(nodes, 3);
        Map<Node, List<SSTableSpan>> spans = new HashMap<>();
        nodes.stream().skip(1).forEach(node -> spans.put(node, spansInside(some, node, random)));

        StreamPlan plan = ReplacePlanner.plan(PLAN, some, nodes.get(0), Map.of(USERS, spans));

        assertThat(covered(plan)).isEqualTo(some.rangesOf(nodes.get(0)));
        for (StreamRequest request : plan.requests()) {
            assertThat(request.ranges().minus(some.rangesOf(request.source()))).isEqualTo(TokenRanges.NONE);
        }
    }

    private static List<SSTableSpan> spansInside(Ring ring, Node node, Random random) {
        List<SSTableSpan> spans = new ArrayList<>();
        for (var range : ring.rangesOf(node).ranges()) {
            long first = range.start().value() + 1 + random.nextInt(1000);
            spans.add(span(first, first + random.nextInt(1000), 1 + random.nextInt(100)));
        }
        return spans;
    }

    private static TokenRanges covered(StreamPlan plan) {
        TokenRanges covered = TokenRanges.NONE;
        for (StreamRequest request : plan.requests()) {
            assertThat(covered.intersection(request.ranges()))
                    .as("asked for twice")
                    .isEqualTo(TokenRanges.NONE);
            covered = covered.union(request.ranges());
        }
        return covered;
    }

    private static Map<Node, Long> bytesBySource(StreamPlan plan, List<SSTableSpan> spans) {
        Map<Node, Long> bytes = new HashMap<>();
        for (StreamRequest request : plan.requests()) {
            spans.stream()
                    .filter(span -> request.ranges().contains(span.first()))
                    .forEach(span -> bytes.merge(request.source(), span.lengthBytes(), Long::sum));
        }
        return bytes;
    }

    private static SSTableSpan span(long first, long last, long bytes) {
        return new SSTableSpan(new Token(first), new Token(last), bytes);
    }

    private static Node node(int number, long token) {
        return new Node(
                new UUID(0, number),
                "node" + number,
                new Address("127.0.0.1", 7000 + number),
                List.of(new Token(token)));
    }
}
