package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.report.Step;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DifferencesTest {
    private static final TableRef TABLE = new TableRef(new UUID(0, 9), "shop", "users");

    private static Node node(int number) {
        List<Token> tokens = LongStream.range(0, 10)
                .mapToObj(i -> new Token(100 * i + number))
                .toList();
        return new Node(new UUID(0, number), "n" + number, Address.parse("127.0.0.1:" + number), tokens);
    }

    @Test
    void a_comparison_says_how_far_it_is() throws IOException {
        List<Step> said = new ArrayList<>();
        Differences.Digests equal = (table, ranges) -> ranges.stream()
                .map(range -> new RangeDigest(range, ContentDigest.EMPTY))
                .toList();
        Ring ring = new Ring(List.of(node(1), node(2)), new Replication.Simple(2));
        Differences compared = new Differences(Map.of(new UUID(0, 1), equal, new UUID(0, 2), equal), said::add);

        Differences.Found found = compared.find(TABLE, ring);

        assertThat(found.differences()).isEmpty();
        long total = 2L * found.ranges();
        assertThat(said).hasSizeGreaterThan(4);
        assertThat(said.get(0)).isEqualTo(new Step("comparing shop.users", 0, total, "ranges of replicas"));
        assertThat(said).anyMatch(step -> step.done() > 0 && step.done() < total);
        assertThat(said).contains(new Step("comparing shop.users", total, total, "ranges of replicas"));
    }
}
