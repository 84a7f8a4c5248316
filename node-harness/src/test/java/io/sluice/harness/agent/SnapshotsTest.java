package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.MoreFiles;
import io.sluice.harness.agent.AgentMessages.Pin;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.sstable.TableDirectory;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A table is pinned once its snapshot is complete, and as long as it is. */
@Timeout(60)
class SnapshotsTest {
    /** Each task has a thread of its own: the common pool may have a single one. */
    private static final Executor THREADS = task -> new Thread(task).start();

    private static final Path FIXTURES =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");
    private static final UUID OPERATION = new UUID(1, 1);
    private static final UUID TARGET = new UUID(2, 2);

    @TempDir
    private Path folder = Path.of("");

    private TableRef table = new TableRef(new UUID(3, 3), "fx", "multi_sstable");
    private final FakeNode node = new FakeNode();

    /** Links what the fixture has, after what the test wants to happen. */
    private final class FakeNode implements SnapshotSource {
        private final List<String> calls = new ArrayList<>();
        private String failure = "";
        private boolean isEmpty;
        private final CountDownLatch begun = new CountDownLatch(1);
        private CountDownLatch mayEnd = new CountDownLatch(0);

        private Path snapshot(String tag) {
            return folder.resolve("live").resolve("snapshots").resolve(tag);
        }

        @Override
        public List<Path> folders(TableRef of) {
            return List.of(folder.resolve("live"));
        }

        @Override
        public void takeSnapshot(String tag, TableRef of) throws IOException {
            calls.add("take");
            Path snapshot = Files.createDirectories(snapshot(tag));
            begun.countDown();
            await(mayEnd);
            if (!failure.isEmpty()) {
                throw new IOException(failure);
            }
            for (Path file : isEmpty ? List.<Path>of() : files(fixture())) {
                Files.copy(file, snapshot.resolve(String.valueOf(file.getFileName())));
            }
        }

        @Override
        public void clearSnapshot(String tag, String keyspace) throws IOException {
            calls.add("clear");
            if (Files.isDirectory(snapshot(tag))) {
                MoreFiles.deleteRecursively(snapshot(tag));
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static TableDirectory fixture() throws IOException {
        return TableDirectory.find(FIXTURES).get(0);
    }

    private static List<Path> files(TableDirectory of) throws IOException {
        try (Stream<Path> files = Files.list(of.path())) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    @BeforeEach
    void tableOfTheFixture() throws IOException {
        table = new TableRef(fixture().id(), fixture().keyspace(), fixture().name());
    }

    /** As of an agent that has just started. */
    private Snapshots snapshots() throws IOException {
        return new Snapshots(node, new OperationFile(folder.resolve("operation.json")));
    }

    private Pin pin() {
        return new Pin(OPERATION, TARGET, List.of(table));
    }

    @Test
    void a_pinned_table_is_pinned_once() throws IOException {
        List<Pinned> first = snapshots().take(pin());

        assertThat(first)
                .singleElement()
                .satisfies(pinned -> assertThat(pinned.sstables()).isEqualTo(3));
        assertThat(snapshots().take(pin())).isEqualTo(first);
        assertThat(snapshots().open(OPERATION, table)).hasSize(3);
        assertThat(node.calls).containsExactly("clear", "take");
    }

    @Test
    void a_snapshot_that_failed_is_not_there_and_is_taken_anew() throws IOException {
        node.failure = "no space left on device";
        assertThatThrownBy(() -> snapshots().take(pin())).hasMessage("no space left on device");
        assertThatThrownBy(() -> snapshots().open(OPERATION, table))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("fx.multi_sstable is not pinned here for operation " + OPERATION);
        assertThat(snapshots().refusal(TARGET, table)).isPresent();

        node.failure = "";
        List<Pinned> pinned = snapshots().take(pin());

        assertThat(pinned.get(0).sstables()).isEqualTo(3);
        assertThat(node.calls).containsExactly("clear", "take", "clear", "take");
        assertThat(snapshots().refusal(TARGET, table)).isEmpty();
    }

    @Test
    void what_is_left_of_a_snapshot_that_failed_is_cleared_with_the_operation() throws IOException {
        node.failure = "no space left on device";
        assertThatThrownBy(() -> snapshots().take(pin())).isInstanceOf(IOException.class);

        snapshots().clearAll(OPERATION);

        assertThat(node.calls).containsExactly("clear", "take", "clear");
        assertThat(snapshots().pins()).isEmpty();
    }

    @Test
    void a_snapshot_that_somebody_cleared_is_not_sent_and_is_taken_anew() throws IOException {
        List<Pinned> first = snapshots().take(pin());
        MoreFiles.deleteRecursively(folder.resolve("live").resolve("snapshots"));

        assertThatThrownBy(() -> snapshots().open(OPERATION, table))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has 0 SSTables of 0 bytes (expected: 3 of "
                        + first.get(0).bytes())
                .hasMessageContaining("clearsnapshot");
        assertThatThrownBy(() -> snapshots().view(table)).hasMessageContaining("has 0 SSTables");

        assertThat(snapshots().take(pin())).isEqualTo(first);
        assertThat(snapshots().open(OPERATION, table)).hasSize(3);
    }

    @Test
    void an_order_of_an_earlier_operation_takes_nothing_from_a_later_one() throws IOException {
        UUID later = new UUID(9, 9);
        snapshots().take(pin());
        Snapshots snapshots = snapshots();
        snapshots.take(new Pin(later, TARGET, List.of(table)));

        snapshots.clear(OPERATION, List.of(table));

        assertThat(snapshots.open(later, table)).hasSize(3);
        assertThat(snapshots().pins()).contains(new AgentMessages.Pins(later, TARGET));
        snapshots.clearAll(later);
        assertThat(folder.resolve("live").resolve("snapshots")).isEmptyDirectory();
        assertThat(snapshots().pins()).isEmpty();
    }

    @Test
    void an_empty_table_is_pinned_with_nothing_in_it() throws IOException {
        node.isEmpty = true;

        snapshots().take(pin());

        assertThat(snapshots().open(OPERATION, table)).isEmpty();
        assertThat(snapshots().take(pin()).get(0).sstables()).isZero();
        assertThat(node.calls).containsExactly("clear", "take");
    }

    @Test
    void a_second_pin_waits_for_the_first() throws Exception {
        Snapshots snapshots = snapshots();
        node.mayEnd = new CountDownLatch(1);
        CompletableFuture<List<Pinned>> first = CompletableFuture.supplyAsync(() -> take(snapshots), THREADS);
        node.begun.await();
        CompletableFuture<List<Pinned>> second = CompletableFuture.supplyAsync(() -> take(snapshots), THREADS);
        assertThatThrownBy(() -> snapshots.open(OPERATION, table))
                .as("half of it is linked")
                .isInstanceOf(IOException.class);

        node.mayEnd.countDown();

        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(first.get(30, TimeUnit.SECONDS));
        assertThat(node.calls).containsExactly("clear", "take");
    }

    private List<Pinned> take(Snapshots snapshots) {
        try {
            return snapshots.take(pin());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
