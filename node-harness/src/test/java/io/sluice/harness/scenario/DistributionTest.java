package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.Step;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DistributionTest {
    @TempDir
    private Path folder = Path.of("");

    private static Node node(int number, long token) {
        return new Node(
                new UUID(0, number), "node" + number, Address.parse("127.0.0.1:" + number), List.of(new Token(token)));
    }

    @Test
    void a_compaction_says_how_far_it_is() throws IOException, ScenarioException {
        List<Step> said = new ArrayList<>();
        Ring ring = new Ring(List.of(node(1, 0), node(2, Long.MAX_VALUE)), new Replication.Simple(1));
        try (WorkDirectory work = WorkDirectory.open(folder.resolve("work"))) {
            GeneratedData data = GeneratedData.of(work, 1 << 20, ring.ranges());
            data.generate(how -> {});
            List<TableFiles> tables = TableFiles.openAll(data.directory());
            Distribution.link(tables, ring, work.root(), List.of());

            Distribution.compact(ring.nodes(), tables, work.root(), said::add);
        }

        long total = said.get(0).total();
        assertThat(total).isPositive();
        assertThat(said).extracting(Step::phase).containsOnly("compacting by size");
        assertThat(said).extracting(Step::note).containsExactly("node1", "node2", "");
        assertThat(said.get(1).done()).isBetween(1L, total - 1);
        assertThat(said.get(2).done()).isEqualTo(total);
    }
}
