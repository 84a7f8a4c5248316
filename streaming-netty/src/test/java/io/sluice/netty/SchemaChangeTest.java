package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table is dropped while it is streamed, with another one: at each step, at either end. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class SchemaChangeTest {
    @TempDir
    Path temp;

    private static StreamOptions options() {
        return StreamOptions.builder()
                .connectionsPerHost(2)
                .retries(new RetryPolicy(3, 10, Duration.ofMillis(20), Duration.ofMillis(100)))
                .schemaTimeout(Duration.ofSeconds(1))
                .build();
    }

    private PlanResult fetchTwo(DirectoryStore from, DirectoryStore to) throws Exception {
        Node source = TestTables.node("source");
        try (StreamingNode sender = StreamingNode.start(source, options(), from);
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options(), to)) {
            PlanResult result = receiver.execute(TestTables.plan(source, 0, 1)).get(30, SECONDS);
            await().until(() -> sender.sending().get().isEmpty());
            return result;
        }
    }

    private static PlanResult.TableResult of(PlanResult result, int table) {
        return result.tables().stream()
                .filter(found -> found.table().equals(TestTables.table(table)))
                .findFirst()
                .orElseThrow();
    }

    private static void assertNothingIsStaged(DirectoryStore store) throws IOException {
        try (Stream<Path> left = Files.list(store.stagingDirectory())) {
            assertThat(left.map(path -> path.getFileName().toString())).isSubsetOf("lock", "node", "complete-plans");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"expect t0", "newId t0", "permit t0", "activate t0"})
    void a_table_that_is_dropped_here_is_given_up_alone(String step) throws Exception {
        DirectoryStore from = TestTables.store(temp.resolve("source"), 2, 1 << 20);
        DirectoryStore to = TestTables.store(temp.resolve("target"), 2, 0);
        AtomicBoolean isDropped = new AtomicBoolean();
        to.onCall = call -> {
            if (call.equals(step)) {
                isDropped.set(true);
                to.hidden.add(TestTables.table(0).id());
            }
        };
        to.answer = table -> {
            if (to.hidden.contains(table.id())) {
                throw new IOException("there is no table " + table + " any more");
            }
        };

        PlanResult result = fetchTwo(from, to);

        assertThat(isDropped).isTrue();
        assertThat(of(result, 0).reason()).startsWith("DISCARDED: ").contains("t0 was dropped while it was streamed");
        assertThat(of(result, 1).installed()).isTrue();
        assertThat(to.live).hasSize(2);
        assertThat(from.pins).hasValue(0);
        assertThat(to.calls).containsOnlyOnce("end t0").containsOnlyOnce("end t1");
        assertNothingIsStaged(to);
    }

    @Test
    void a_table_that_is_dropped_at_its_source_is_refused_alone() throws Exception {
        DirectoryStore from = TestTables.store(temp.resolve("source"), 2, 1 << 20);
        DirectoryStore to = TestTables.store(temp.resolve("target"), 2, 0);
        from.hidden.add(TestTables.table(0).id());

        PlanResult result = fetchTwo(from, to);

        assertThat(of(result, 0).reason()).startsWith("UNKNOWN_TABLE: ");
        assertThat(of(result, 1).installed()).isTrue();
        assertThat(from.pins).hasValue(0);
        assertNothingIsStaged(to);
    }
}
