package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.metadata.CompactionState;
import io.sluice.sstable.metadata.Stats;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whether SSTables are repaired, and hold transient replicas, is carried over; their level only where the operation
 * wants it.
 */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class LevelsTest {
    private static final CompactionState LEVEL_3 =
            new CompactionState(3, 1_700_000_000_000L, Optional.of(new UUID(7, 7)), true, Optional.empty());

    @TempDir
    Path temp;

    private DirectoryStore source() throws IOException {
        DirectoryStore store = TestTables.store(temp.resolve("source"), 1, 1 << 20);
        for (SSTable sstable : sstables("source")) {
            Stats stats = sstable.statistics().stats();
            Files.write(
                    sstable.path(Component.STATISTICS),
                    sstable.statistics()
                            .withStats(stats.withPlacement(LEVEL_3))
                            .encode()
                            .toArray());
        }
        return store;
    }

    private List<SSTable> sstables(String node) throws IOException {
        TableDirectory directory = TableDirectory.find(temp.resolve(node)).get(0);
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : directory.descriptors()) {
            sstables.add(SSTable.open(directory.path(), descriptor));
        }
        return sstables;
    }

    @ParameterizedTest
    @CsvSource({
        "BOOTSTRAP, WHOLE, 3",
        "REPLACE, SLICE, 3",
        "MOVE, ROWS, 3",
        "REPAIR, WHOLE, 0",
        "REPAIR, SLICE, 0",
        "REMOVE_NODE, ROWS, 0",
        "BULK_LOAD, WHOLE, 0"
    })
    void stay_or_go_as_in_cassandra(Operation operation, TransferMode mode, int level) throws Exception {
        DirectoryStore from = source();
        DirectoryStore to = TestTables.store(temp.resolve("target"), 1, 0);
        Node sender = TestTables.node("source");
        StreamOptions options =
                StreamOptions.builder().streamSlices(mode == TransferMode.SLICE).build();
        TokenRanges ranges = mode == TransferMode.WHOLE
                ? TokenRanges.FULL
                : TokenRanges.of(TokenRange.of(Long.MIN_VALUE, Long.MIN_VALUE / 2));
        StreamPlan plan = new StreamPlan(
                UUID.randomUUID(), operation, List.of(new StreamRequest(sender, TestTables.table(0), ranges)));
        try (StreamingNode source = StreamingNode.start(sender, options, from);
                StreamingNode target = StreamingNode.start(TestTables.node("target"), options, to)) {
            assertThat(source.sending().get()).isEmpty();

            PlanResult result = target.execute(plan).get(30, SECONDS);

            assertThat(result.isComplete()).as(result.toString()).isTrue();
            assertThat(result.sessions().get(0).offered()).allMatch(offered -> offered.mode() == mode);
        }
        assertThat(sstables("target")).isNotEmpty().allSatisfy(sstable -> {
            assertThat(sstable.statistics().stats().placement()).isEqualTo(LEVEL_3.atLevel(level));
            assertThat(Verification.verify(sstable).problems()).isEmpty();
        });
    }
}
