package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.agent.AgentMessages.Fetch;
import io.sluice.harness.content.DigestWorkers;
import io.sluice.harness.content.StoredDigest;
import io.sluice.harness.content.StoredRuns;
import io.sluice.harness.content.TableFiles;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whether what has been read is used shows once the files are gone. */
@Timeout(60)
class ArrivedDigestsTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");
    private static final UUID PLAN = new UUID(1, 1);
    private static final TokenRanges RANGES =
            TokenRanges.of(TokenRange.of(-5_000_000_000_000_000_000L, 0), TokenRange.of(1, 5_000_000_000_000_000_000L));

    @TempDir
    private Path folder = Path.of("");

    private final DigestWorkers workers = new DigestWorkers(1);
    private final Map<UUID, Fetch> orders = new ConcurrentHashMap<>();
    private final ArrivedDigests arrived = new ArrivedDigests(workers, orders, 100);
    private List<SSTable> sstables = List.of();
    private List<StoredDigest> expected = List.of();

    @BeforeEach
    void copy() throws IOException {
        TableFiles table = TableFiles.openAll(FIXTURE).get(0);
        try (Stream<Path> files = Files.list(table.directory())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, folder.resolve(file.getFileName()));
            }
        }
        List<SSTable> copies = new ArrayList<>();
        for (SSTable sstable : table.sstables()) {
            copies.add(SSTable.open(folder, sstable.descriptor()));
        }
        sstables = copies;
        expected = workers.recorded(sstables, RANGES.ranges());
        orders.put(PLAN, fetch(RANGES));
    }

    @AfterEach
    void close() {
        workers.close();
    }

    private static Fetch fetch(TokenRanges ranges) {
        UUID source = new UUID(2, 2);
        Address address = new Address("127.0.0.1", 7000);
        TableRef table = new TableRef(new UUID(3, 3), "shop", "users");
        return new Fetch(
                new UUID(4, 4),
                new UUID(5, 5),
                PLAN,
                Operation.REPLACE,
                new Node(source, "source", address, List.of()),
                List.of(table),
                ranges);
    }

    private void begin() {
        sstables.forEach(sstable -> arrived.begin(PLAN, sstable.path(Component.DATA)));
    }

    /** On the only thread of the workers, so that all that was begun before is read. */
    private void removeOnceRead() throws IOException {
        workers.recorded(sstables, RANGES.ranges());
        for (SSTable sstable : sstables) {
            Files.delete(sstable.path(Component.DATA));
        }
    }

    private void requireNothingHeld() throws IOException {
        removeOnceRead();
        assertThatThrownBy(() -> arrived.of(sstables, RANGES.ranges())).isInstanceOf(IOException.class);
    }

    @Test
    void what_was_read_when_it_arrived_is_not_read_again() throws IOException {
        begin();
        removeOnceRead();

        assertThat(arrived.of(sstables, RANGES.ranges())).isEqualTo(expected);
    }

    @Test
    void some_may_have_been_read() throws IOException {
        arrived.begin(PLAN, sstables.get(0).path(Component.DATA));

        assertThat(arrived.of(sstables, RANGES.ranges())).isEqualTo(expected);
    }

    @Test
    void nothing_is_read_early_of_a_plan_that_nobody_ordered() throws IOException {
        orders.clear();
        begin();

        requireNothingHeld();
    }

    @Test
    void what_cannot_be_read_early_is_read_when_it_is_asked_for() throws IOException {
        sstables.forEach(sstable -> arrived.begin(
                PLAN,
                folder.resolve("gone").resolve(sstable.path(Component.DATA).getFileName())));

        assertThat(arrived.of(sstables, RANGES.ranges())).isEqualTo(expected);
    }

    @Test
    void other_ranges_are_read_when_they_are_asked_for() throws IOException {
        orders.put(PLAN, fetch(TokenRanges.FULL));
        begin();

        assertThat(arrived.of(sstables, RANGES.ranges())).isEqualTo(expected);
    }

    @Test
    void what_was_read_of_a_plan_is_forgotten_with_it() throws IOException {
        begin();
        orders.clear();
        arrived.retainOrdered();

        requireNothingHeld();
    }

    @Test
    void whoever_waits_for_what_is_being_read_can_be_interrupted() {
        CountDownLatch never = new CountDownLatch(1);
        Future<StoredRuns> blocked = workers.begin(
                () -> {
                    never.await();
                    return sstables.get(0);
                },
                RANGES.ranges());
        begin();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> arrived.of(sstables, RANGES.ranges())).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(blocked.isDone()).isFalse();
    }

    @Test
    void no_more_is_held_than_there_is_room_for() throws IOException {
        ArrivedDigests few = new ArrivedDigests(workers, orders, RANGES.ranges().size());
        sstables.forEach(sstable -> few.begin(PLAN, sstable.path(Component.DATA)));
        removeOnceRead();

        assertThat(few.of(sstables.subList(0, 1), RANGES.ranges())).hasSize(2);
        assertThatThrownBy(() -> few.of(sstables.subList(1, 2), RANGES.ranges()))
                .isInstanceOf(IOException.class);
        assertThat(few.of(List.of(), RANGES.ranges())).hasSize(2);
    }
}
