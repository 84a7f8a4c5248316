package io.sluice.harness.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.DataSizes;
import io.sluice.streaming.planner.Planner;
import io.sluice.streaming.planner.PlannerOptions;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.ModeSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a forecast costs, and where a source has what is wanted of it. */
class ModeForecastTest {
    private static final int NODES = 24;
    private static final int VNODES = 16;
    private static final TableRef TABLE = new TableRef(new UUID(1, 1), "ks", "t");

    /** Counts how often it is asked. */
    private static final class CountedSizes implements DataSizes {
        private final DataSizes real = DataSizes.even(1L << 40);
        private long asked;

        @Override
        public long bytes(TableRef table, Node node, long first, long last) {
            asked++;
            return real.bytes(table, node, first, last);
        }

        @Override
        public List<SSTableSpan> spans(TableRef table, Node node) {
            return real.spans(table, node);
        }

        @Override
        public boolean knowsSSTables() {
            return real.knowsSSTables();
        }
    }

    private static Ring ring() {
        SplittableRandom random = new SplittableRandom(7);
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            nodes.add(new Node(
                            new UUID(0, i),
                            "n" + i,
                            new Address("127.0.0.1", 7000 + i),
                            random.longs(VNODES).mapToObj(Token::new).toList())
                    .in(i % 2 == 0 ? "old" : "fresh", "r"));
        }
        return new Ring(nodes, new Replication.NetworkTopology(Map.of("old", 3, "fresh", 3)));
    }

    @Test
    void a_source_is_looked_at_once_however_many_nodes_it_sends_to() throws IOException {
        Ring ring = ring();
        List<Node> targets = ring.nodes().stream()
                .filter(node -> node.location().dc().equals("fresh"))
                .toList();
        TopologyPlan plan = Planner.plan(
                new TopologyChange.Rebuild(targets, TokenRanges.FULL, TopologyChange.SourceFilter.inDc("old")),
                Map.of(TABLE, ring),
                DataSizes.even(1L << 40),
                PlannerOptions.DEFAULTS.cuttingSSTables());
        CountedSizes sizes = new CountedSizes();

        List<ModeForecast.ForecastTransfer> transfers = ModeForecast.of(
                plan,
                Map.of(TABLE, ring),
                sizes,
                table -> total -> ModelledSSTables.of(
                        ModelledSSTables.Strategy.SIZE_TIERED, total, 160L << 20, Optional.of(1 << 14)),
                StoredSSTables.NONE,
                ModeSettings.DEFAULTS);

        long owned = ring.nodes().stream()
                .mapToLong(node -> ring.rangesOf(node).ranges().size())
                .sum();
        long wanted = targets.stream()
                .flatMap(target -> plan.streamPlan(new UUID(0, 0), target).requests().stream())
                .mapToLong(request -> request.ranges().ranges().size())
                .sum();
        assertThat(transfers).isNotEmpty();
        assertThat(sizes.asked).isLessThanOrEqualTo(owned + 2 * wanted);
    }

    @Test
    void what_is_wanted_has_its_place_among_all_data_of_its_source() {
        Ring ring = ring();
        Node source = ring.nodes().get(0);
        TokenRanges owned = ring.rangesOf(source);
        DataSizes sizes = DataSizes.even(1L << 40);
        SourcePositions positions = new SourcePositions(TABLE, source, owned, sizes);
        TokenRange second = owned.ranges().get(1);
        long middle =
                second.start().value() + (second.end().value() - second.start().value()) / 2;
        TokenRange half = new TokenRange(new Token(middle), second.end());
        long before = bytes(sizes, source, owned.ranges().get(0));

        assertThat(positions.wanted(owned))
                .hasSameSizeAs(owned.ranges())
                .first()
                .satisfies(interval -> assertThat(interval.start()).isZero());
        assertThat(positions.wanted(owned).get(owned.ranges().size() - 1).end()).isEqualTo(positions.totalBytes());
        assertThat(positions.wanted(TokenRanges.of(half)))
                .containsExactly(new ModelledSSTables.Interval(
                        half,
                        before + sizes.bytes(TABLE, source, second.start().value() + 1, middle),
                        before
                                + sizes.bytes(TABLE, source, second.start().value() + 1, middle)
                                + bytes(sizes, source, half)));
        assertThat(positions.wanted(TokenRanges.FULL).stream()
                        .map(ModelledSSTables.Interval::range)
                        .toList())
                .isEqualTo(owned.ranges());
        assertThat(positions.wanted(TokenRanges.FULL.minus(owned))).isEmpty();
    }

    private static long bytes(DataSizes sizes, Node source, TokenRange range) {
        long last =
                range.end().equals(Token.MINIMUM) ? Long.MAX_VALUE : range.end().value();
        return sizes.bytes(TABLE, source, range.start().value() + 1, last);
    }
}
