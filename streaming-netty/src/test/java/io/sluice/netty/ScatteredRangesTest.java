package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A receiver that wants every other partition of several SSTables makes its source keep two regions for each. */
@Timeout(120)
@ExtendWith(LeakCheck.class)
class ScatteredRangesTest {
    private static final int SSTABLES = 8;
    private static final int PARTITIONS = 20_000;

    @TempDir
    Path temp;

    private static TokenRanges everyOther(int ranges) {
        long width = Long.MAX_VALUE / ranges;
        List<TokenRange> all = new ArrayList<>();
        for (int i = -ranges; i < ranges; i += 2) {
            all.add(TokenRange.of(i * width, (i + 1) * width));
        }
        return TokenRanges.of(all);
    }

    /** Writes SSTables with partitions of all tokens. */
    private void write(Path folder) throws IOException {
        for (int i = 1; i <= SSTABLES; i++) {
            Path made = Files.createDirectories(temp.resolve("made" + i));
            new DataSetWriter(new DataSet(i, PARTITIONS, 1, 8), Version.NB, WriterOptions.DEFAULTS).write(made, 1);
            try (Stream<Path> files = Files.list(made)) {
                for (Path file : files.toList()) {
                    String name = file.getFileName().toString().replace("nb-1-", "nb-" + i + "-");
                    Files.move(file, folder.resolve(name));
                }
            }
        }
    }

    @Test
    void the_regions_of_offers_are_paid_for() throws Exception {
        Node self = TestTables.node("source");
        write(TestTables.folder(temp.resolve("source"), TestTables.table(0)));
        DirectoryStore store = new DirectoryStore(temp.resolve("source"), TableDirectory.find(temp.resolve("source")));
        StreamOptions little = StreamOptions.builder()
                .settings(Map.of("streaming_memory", "32MiB"))
                .build();
        try (StreamingNode source = StreamingNode.start(self, little, store);
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("receiver"),
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("receiver"), 1, 0))) {
            PlanResult refused = receiver.execute(plan(self, everyOther(8_000))).get(60, SECONDS);

            assertThat(refused.failure().map(PlanResult.Failure::code)).contains(ErrorCode.LIMIT);
            await().until(() -> source.sending().get().isEmpty());
            PlanResult few = receiver.execute(plan(self, everyOther(200))).get(60, SECONDS);
            assertThat(few.tables()).allMatch(PlanResult.TableResult::installed, "installed");
        }
    }

    @Test
    void a_table_of_too_many_regions_is_refused_alone() throws Exception {
        Node self = TestTables.node("source");
        Path data = temp.resolve("source");
        write(TestTables.folder(data, TestTables.table(0)));
        new DataSetWriter(new DataSet(9, 100, 1, 8), Version.NB, WriterOptions.DEFAULTS)
                .write(TestTables.folder(data, TestTables.table(1)), 1);
        StreamOptions little = StreamOptions.builder()
                .settings(Map.of("streaming_memory", "32MiB"))
                .build();
        StreamOptions once = StreamOptions.builder()
                .retries(new RetryPolicy(1, 1, Duration.ofMillis(10), Duration.ofMillis(10)))
                .build();
        try (StreamingNode source =
                        StreamingNode.start(self, little, new DirectoryStore(data, TableDirectory.find(data)));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("receiver"), once, TestTables.store(temp.resolve("receiver"), 2, 0))) {
            StreamPlan plan = new StreamPlan(
                    UUID.randomUUID(),
                    Operation.REPLACE,
                    List.of(
                            new StreamRequest(self, TestTables.table(0), everyOther(8_000)),
                            new StreamRequest(self, TestTables.table(1), TokenRanges.FULL)));

            PlanResult result = receiver.execute(plan).get(60, SECONDS);

            assertThat(result.failure().map(PlanResult.Failure::code)).contains(ErrorCode.LIMIT);
            assertThat(result.tables())
                    .filteredOn(PlanResult.TableResult::installed)
                    .extracting(PlanResult.TableResult::table)
                    .containsExactly(TestTables.table(1));
            await().until(() -> source.sending().get().isEmpty());
        }
    }

    private static StreamPlan plan(Node source, TokenRanges ranges) {
        return new StreamPlan(
                UUID.randomUUID(), Operation.REPLACE, List.of(new StreamRequest(source, TestTables.table(0), ranges)));
    }
}
