package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** One number bounds the memory of streaming: what does not fit waits, or is refused with the number in the reason. */
@Timeout(180)
@ExtendWith(LeakCheck.class)
@Tag("full")
class MemoryTest {
    private static final long LITTLE = 16 << 20;
    private static final RetryPolicy QUICK = new RetryPolicy(2, 4, Duration.ofMillis(20), Duration.ofMillis(50));

    @TempDir
    Path temp;

    private static StreamOptions.Builder little() {
        return StreamOptions.builder().memoryBytes(LITTLE).retries(QUICK);
    }

    private static QueueSample queue(StreamingNode node, String name) {
        return node.queues().stream()
                .filter(queue -> queue.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_process_with_a_small_heap_fetches_more_at_once_than_it_has_memory_for() throws Exception {
        int tables = 40; // and 32 buffers
        Node source = TestTables.node("source");
        try (StreamingNode node =
                StreamingNode.start(source, StreamOptions.builder().build(), sourceStore(tables, 2 << 20))) {
            Path data = temp.resolve("target");
            List<String> options =
                    List.of("-Xmx64m", "-XX:MaxDirectMemorySize=24m", "-Dlogback.configurationFile=quiet.xml");
            String said = String.join(
                    "\n",
                    StartedProcess.run(JavaCommand.words(
                            options,
                            SmallProcess.class.getName(),
                            data,
                            tables,
                            LITTLE,
                            source.id(),
                            source.address().port())));

            assertThat(said).contains("result " + tables).doesNotContain("OutOfMemory");
            assertThat(most(said, "receiving")).isPositive().isLessThanOrEqualTo(LITTLE / 4);
            assertThat(most(said, "receiving.waiting")).isPositive();
            assertThat(most(said, "inventory")).isPositive().isLessThanOrEqualTo(LITTLE / 8);
            assertThat(node.counters().bytesSent()).isGreaterThan(64 << 20);
            for (int i = 0; i < tables; i++) {
                TableRef table = TestTables.table(i);
                assertThat(digest(data, table)).as("%s", table).isEqualTo(digest(temp.resolve("source"), table));
            }
        }
    }

    private DirectoryStore sourceStore(int tables, long bytesOfEach) throws IOException {
        return TestTables.store(temp.resolve("source"), tables, bytesOfEach);
    }

    private static long most(String said, String queue) {
        return said.lines()
                .filter(line -> line.startsWith("queue " + queue + " "))
                .mapToLong(line -> Long.parseLong(line.split(" ", -1)[2]))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no queue " + queue + " in: " + said));
    }

    private static Object digest(Path data, TableRef table) throws IOException {
        Path folder = TestTables.folder(data, table);
        List<SSTable> sstables = new ArrayList<>();
        for (var descriptor : new TableDirectory(folder, table.keyspace(), table.name(), table.id()).descriptors()) {
            sstables.add(SSTable.open(folder, descriptor));
        }
        assertThat(sstables).isNotEmpty();
        return ContentDigest.of(sstables, TokenRanges.FULL);
    }

    @Test
    void a_source_refuses_connections_beyond_its_memory_and_every_session_is_done_with_those_it_has() throws Exception {
        int tables = 3;
        Node source = TestTables.node("source");
        try (StreamingNode sender = StreamingNode.start(source, little().build(), sourceStore(tables, 1 << 20));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"),
                        StreamOptions.builder().connectionsPerHost(32).build(),
                        TestTables.store(temp.resolve("target"), tables, 0))) {
            List<CompletableFuture<PlanResult>> results = new ArrayList<>();
            for (int table = 0; table < tables; table++) { // 96 connections, of which there is room for about 30
                results.add(receiver.execute(TestTables.plan(source, table)));
            }

            for (CompletableFuture<PlanResult> result : results) {
                assertThat(result.get(60, SECONDS).tables()).allMatch(PlanResult.TableResult::installed, "installed");
            }
            assertThat(queue(sender, "sending").limit()).isEqualTo(LITTLE / 8);
            awaitEmpty(sender, "sending");
            awaitEmpty(sender, "inventory");
            awaitEmpty(receiver, "inventory");
            awaitEmpty(receiver, "receiving");
        }
    }

    private static void awaitEmpty(StreamingNode node, String queue) throws InterruptedException {
        // connections end some seconds after their session
        await().until(() -> queue(node, queue).used() == 0);
    }

    /** More SSTables than a list of them may take: the same one, under many names. */
    private void fill(Path folder, int count) throws IOException {
        List<Path> originals;
        try (Stream<Path> files = Files.list(folder)) {
            originals = files.toList();
        }
        String first = originals.get(0).getFileName().toString().split("-", -1)[1];
        for (int i = 0; i < count; i++) {
            for (Path original : originals) {
                String[] name = original.getFileName().toString().split("-", 3);
                if (name[1].equals(first)) {
                    Files.createLink(folder.resolve(name[0] + "-" + (1000 + i) + "-" + name[2]), original);
                }
            }
        }
    }

    @Test
    void a_list_that_does_not_fit_is_refused_by_the_end_that_has_no_room_for_it() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore store = sourceStore(1, 4 << 10);
        fill(TestTables.folder(temp.resolve("source"), TestTables.table(0)), 1100);
        for (boolean isSourceSmall : new boolean[] {true, false}) {
            StreamOptions large = StreamOptions.builder().retries(QUICK).build();
            try (StreamingNode sender = StreamingNode.start(source, isSourceSmall ? little().build() : large, store);
                    StreamingNode receiver = StreamingNode.start(
                            TestTables.node("target"),
                            isSourceSmall ? large : little().build(),
                            TestTables.store(temp.resolve("target" + isSourceSmall), 1, 0))) {
                PlanResult result = receiver.execute(TestTables.plan(source, 0)).get(60, SECONDS);

                assertThat(result.tables().get(0).reason())
                        .startsWith("LIMIT: ")
                        .contains("inventory: ")
                        .contains("at most 2097152 in total")
                        .contains("raise streaming_memory");
                awaitEmpty(sender, "inventory");
                awaitEmpty(receiver, "inventory");
                await().until(() -> store.pins.get() == 0); // released after the memory
            }
        }
    }

    @Test
    void less_than_one_connection_needs_is_refused_at_once() {
        assertThatThrownBy(() -> StreamOptions.builder().memoryBytes(LITTLE - 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "streaming_memory: '16777215B' (expected: bytes with a unit, from 16MiB to 1024TiB)");
    }

    @Test
    void every_queue_has_a_name_of_its_own() throws Exception {
        try (StreamingNode node = StreamingNode.start(TestTables.node("node"), little().build(), sourceStore(1, 0))) {
            assertThat(node.queues().stream().collect(Collectors.toMap(QueueSample::name, QueueSample::limit)))
                    .containsAllEntriesOf(Map.of(
                            "receiving", LITTLE / 4,
                            "dirty", LITTLE / 2,
                            "sending", LITTLE / 8,
                            "inventory", LITTLE / 8,
                            "handshakes", 912L));
        }
    }
}
