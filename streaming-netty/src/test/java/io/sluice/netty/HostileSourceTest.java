package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A source that knows the protocol and lies, to one live node: whatever it says, the plan ends with a reason or with
 * the right content, the node stays within its bounds, and an honest plan works afterwards.
 */
@ExtendWith(LeakCheck.class)
class HostileSourceTest {
    /** Short, so that a lie which is silence ends soon; long enough for a busy machine. */
    static final Deadlines SHORT = new Deadlines(
            Duration.ofMillis(200),
            Duration.ofSeconds(4),
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            Duration.ofSeconds(4));

    private static final long MOST_SECONDS = 60;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

    @TempDir
    Path temp;

    @TestFactory
    @Timeout(120)
    Stream<DynamicTest> a_lie_ends_the_plan_and_nothing_else() throws Exception {
        return tests(SourceLies.rows().stream().filter(SourceLies.Row::isQuick).toList());
    }

    @TestFactory
    @Tag("full")
    @Timeout(600)
    Stream<DynamicTest> a_lie_without_end_ends() throws Exception {
        return tests(SourceLies.rows().stream().filter(row -> !row.isQuick()).toList());
    }

    @TestFactory
    @Timeout(120)
    Stream<DynamicTest> whatever_a_source_says() throws Exception {
        return generated(10);
    }

    @TestFactory
    @Tag("full")
    @Timeout(1200)
    Stream<DynamicTest> whatever_many_sources_say() throws Exception {
        return generated(60);
    }

    @TestFactory
    @Tag("soak")
    @Timeout(1200)
    Stream<DynamicTest> whatever_very_many_sources_say() throws Exception {
        return generated(200);
    }

    private Stream<DynamicTest> generated(int seeds) throws Exception {
        return tests(LongStream.range(0, seeds)
                .mapToObj(seed -> new SourceLies.Row(
                        "seed " + seed,
                        List.of("installed", ""),
                        true,
                        GeneratedLies.ofSource(seed, TestTables.table(0).id())))
                .toList());
    }

    private Stream<DynamicTest> tests(List<SourceLies.Row> rows) throws Exception {
        World world = new World(temp);
        return rows.stream()
                .map(row -> DynamicTest.dynamicTest(row.name(), () -> world.hear(row)))
                .onClose(world::close);
    }

    /** A live node, an honest source and a hostile one, which have the same table. */
    static final class World {
        private final Path live;
        private final DirectoryStore liveStore;
        private final Node honestNode = TestTables.node("honest");
        private final StreamingNode honest;
        private final HostileSource hostile;
        private final StreamingNode node;
        private final LiveBounds bounds;
        private final String content;
        private final List<String> parts;

        World(Path temp) throws Exception {
            StreamOptions options = StreamOptions.builder()
                    .connectionsPerHost(1)
                    .retries(CutAnywhereTest.ONCE)
                    .deadlines(SHORT)
                    .memoryBytes(LiveBounds.MEMORY_BYTES)
                    .build();
            Path source = temp.resolve("source");
            DirectoryStore store = TestTables.store(source, 1, 4 << 10);
            live = temp.resolve("live");
            liveStore = TestTables.store(live, 1, 0);
            honest = StreamingNode.start(honestNode, options, store);
            hostile = new HostileSource(TestTables.store(source, 0, 0));
            node = StreamingNode.start(TestTables.node("live"), options, liveStore);
            content = digest(source);
            parts = parts(source);
            for (int i = 0; i < 5; i++) { // what is made once is there before anything counts
                requireHonestPlan();
            }
            bounds = new LiveBounds(node, "live");
        }

        void hear(SourceLies.Row row) throws Exception {
            clear();
            bounds.begin();
            hostile.tell(row.lie());
            CompletableFuture<PlanResult> running = node.execute(TestTables.plan(hostile.node(), 0));
            PlanResult result = await(running, row);
            if (result.isComplete()) {
                assertThat(row.ends()).as("%s: installed", row).containsAnyOf("installed", "empty");
                assertThat(digest(live)).as("%s: content, installed", row).isIn(contentsOf(row));
            } else {
                String reason = result.tables().get(0).reason();
                assertThat(row.ends()).as("%s: %s", row, reason).anyMatch(reason::startsWith);
                assertThat(liveFiles()).as("%s: visible", row).isEmpty();
            }
            clear();
            requireHonestPlan();
            hostile.tell((honestWord, line) -> line.send(honestWord));
            bounds.requireNothingLeft(row.name());
        }

        /** Who says that it has nothing, or only some of it, is trusted: nobody can know better. */
        private List<String> contentsOf(SourceLies.Row row) throws IOException {
            if (row.ends().contains("empty")) {
                return List.of(digest(List.of()));
            }
            return row.ends().contains("") ? parts : List.of(content);
        }

        private PlanResult await(CompletableFuture<PlanResult> running, SourceLies.Row row) throws Exception {
            if (!row.isQuick()) {
                Waiting.await()
                        .alias(row.name())
                        .atMost(Duration.ofSeconds(MOST_SECONDS))
                        .pollInterval(BETWEEN_LOOKS)
                        .until(() -> {
                            bounds.requireSmall(row.name());
                            return running.isDone();
                        });
            }
            return running.get(MOST_SECONDS, SECONDS);
        }

        private void requireHonestPlan() throws Exception {
            PlanResult result = node.execute(TestTables.plan(honestNode, 0)).get(30, SECONDS);
            assertThat(result.isComplete()).as("%s", result.tables()).isTrue();
            assertThat(digest(live)).isEqualTo(content);
            clear();
        }

        private List<Path> liveFiles() throws IOException {
            try (Stream<Path> files = Files.list(TestTables.folder(live, TestTables.table(0)))) {
                return files.toList();
            }
        }

        private void clear() throws IOException {
            for (Path file : liveFiles()) {
                Files.delete(file);
            }
            liveStore.live.clear();
            liveStore.calls.clear();
        }

        void close() {
            try {
                bounds.close();
                node.close();
                honest.close();
                hostile.close();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    static String digest(Path data) throws IOException {
        TableDirectory directory = TableDirectory.find(data).get(0);
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : directory.descriptors()) {
            sstables.add(SSTable.open(directory.path(), descriptor));
        }
        return digest(sstables);
    }

    /** The digests of everything, of nothing, and of each SSTable alone. */
    private static List<String> parts(Path data) throws IOException {
        TableDirectory directory = TableDirectory.find(data).get(0);
        List<String> parts = new ArrayList<>(List.of(digest(data), digest(List.of())));
        for (Descriptor descriptor : directory.descriptors()) {
            parts.add(digest(List.of(SSTable.open(directory.path(), descriptor))));
        }
        return parts;
    }

    private static String digest(List<SSTable> sstables) throws IOException {
        return ContentDigest.of(sstables, TokenRanges.FULL).toString();
    }
}
