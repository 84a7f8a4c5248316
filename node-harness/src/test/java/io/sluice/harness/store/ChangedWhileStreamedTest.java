package io.sluice.harness.store;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A receiver that has a deletion, and has forgotten nothing yet, fetches older rows over real sockets; at each call
 * that streaming makes to its store something is done to the table there, or at the source.
 */
@Timeout(60)
class ChangedWhileStreamedTest {
    private static final TableRef TABLE = Tables.PLAIN;
    private static final TableRef OTHER = new TableRef(new UUID(7, 8), "ks", "other");
    private static final String CQL = "CREATE TABLE ks.%s (key text PRIMARY KEY, column1 int, value text)"
            + " WITH compression = {'enabled': false} AND gc_grace_seconds = 0;";

    @TempDir
    private Path temporary = Path.of("");

    private final ConcurrentLinkedQueue<CompletableFuture<Void>> begun = new ConcurrentLinkedQueue<>();

    private interface Change {
        void make(LocalStore store) throws IOException;
    }

    private LocalStore open(String name) throws IOException {
        LocalStore store = LocalStore.open(temporary.resolve(name), StoreOptions.DEFAULTS);
        store.load();
        for (TableRef table : List.of(TABLE, OTHER)) {
            if (!store.isDropped(table.id())) {
                store.createTable(table, CQL.formatted(table.name()));
            }
        }
        return store;
    }

    private static void compact(LocalStore store) throws IOException {
        store.compact(
                TABLE.id(),
                live -> live.stream().allMatch(one -> one.level() == 1)
                        ? Optional.empty()
                        : Optional.of(new CompactionStrategy.Task(live, 1, Long.MAX_VALUE)));
    }

    private static boolean hasRow(LocalStore store, TableRef table, String key) throws IOException {
        try (TableView view = store.view(table.id())) {
            return view.read(List.of(PartitionKey.of(Bytes.utf8(key)))).stream()
                    .anyMatch(found -> !found.items().isEmpty());
        }
    }

    /** The store as streaming calls it; {@code step} receives the name of each call before it is made. */
    private static TableStore heard(TableStore store, Consumer<String> step) {
        return (TableStore) Proxy.newProxyInstance(
                TableStore.class.getClassLoader(), new Class<?>[] {TableStore.class}, (p, m, a) -> {
                    boolean isOfTable = a != null && Stream.of(a).anyMatch(TABLE::equals);
                    if (isOfTable) {
                        step.accept(m.getName());
                    }
                    try {
                        return m.invoke(store, a);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        if (isOfTable) {
                            step.accept("after " + m.getName());
                        }
                    }
                });
    }

    /** Once; on a thread of its own, as a removal may have to wait for the install in which it was begun. */
    private Consumer<String> when(String step, LocalStore store, Change change, boolean awaits) {
        return call -> {
            if (call.equals(step)) {
                CompletableFuture<Void> changing = CompletableFuture.runAsync(() -> {
                    try {
                        change.make(store);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                begun.add(changing);
                if (awaits) {
                    changing.join();
                }
            }
        };
    }

    private static Node node(String name) throws IOException {
        return new Node(
                UUID.nameUUIDFromBytes(Bytes.utf8(name).toArray()),
                name,
                new Address("127.0.0.1", FreePort.onLoopback()),
                List.of(new Token(name.hashCode())));
    }

    private static StreamOptions options() {
        return StreamOptions.builder()
                .connectionsPerHost(1)
                .retries(new RetryPolicy(2, 4, Duration.ofMillis(20), Duration.ofMillis(50)))
                .schemaTimeout(Duration.ofMillis(100))
                .build();
    }

    private PlanResult stream(
            LocalStore source, LocalStore target, Consumer<String> atSource, Consumer<String> atTarget)
            throws Exception {
        for (TableRef table : List.of(TABLE, OTHER)) {
            source.write(table.id(), List.of(Tables.insert("deleted", 1, "old"), Tables.insert("kept", 1, "old")));
        }
        var deletion = new DeletionTime(2, Instant.now().getEpochSecond() - 60);
        target.write(
                TABLE.id(),
                List.of(new Mutation(
                        new PartitionHeader(PartitionKey.of(Bytes.utf8("deleted")), deletion, Row.NO_STATICS),
                        List.of())));
        target.flush();
        Node from = node("source");
        try (StreamingNode sender = StreamingNode.start(from, options(), heard(source.streamed(), atSource));
                StreamingNode receiver =
                        StreamingNode.start(node("target"), options(), heard(target.streamed(), atTarget))) {
            PlanResult result = receiver.execute(new StreamPlan(
                            UUID.randomUUID(),
                            Operation.BOOTSTRAP,
                            List.of(
                                    new StreamRequest(from, TABLE, TokenRanges.FULL),
                                    new StreamRequest(from, OTHER, TokenRanges.FULL))))
                    .get(30, TimeUnit.SECONDS);
            for (CompletableFuture<Void> change : begun) {
                change.get(30, TimeUnit.SECONDS);
            }
            await().until(() -> sender.sending().get().isEmpty());
            return result;
        }
    }

    /** A disk that loses the names of files, and says so once, as a kernel does: nobody knows what else is lost. */
    private static final class LossyDisk implements ForwardingDisk {
        private final Disk real = new FileSystemDisk();
        private final AtomicBoolean isLosing = new AtomicBoolean();

        @Override
        public Disk real() {
            return real;
        }

        @Override
        public void syncDirectory(Path directory) throws IOException {
            if (isLosing.compareAndSet(true, false)) {
                throw new IOException("Input/output error (injected)");
            }
            real.syncDirectory(directory);
        }
    }

    @Test
    void a_node_whose_disk_loses_what_was_streamed_takes_nothing_more() throws Exception {
        try (LocalStore source = open("source");
                LocalStore target = open("target")) {
            source.write(TABLE.id(), List.of(Tables.insert("streamed", 1, "x")));
            Node from = node("source");
            LossyDisk disk = new LossyDisk();
            try (StreamingNode sender = StreamingNode.start(from, options(), source.streamed());
                    StreamingNode receiver = StreamingNode.start(
                            node("target"), options(), target.streamed().on(disk))) {
                disk.isLosing.set(true);
                PlanResult result = receiver.execute(new StreamPlan(
                                UUID.randomUUID(),
                                Operation.BOOTSTRAP,
                                List.of(new StreamRequest(from, TABLE, TokenRanges.FULL))))
                        .get(30, TimeUnit.SECONDS);

                assertThat(disk.isLosing).isFalse();
                assertThat(isInstalled(result, TABLE)).isFalse();
                assertThat(result.tables().get(0).reason()).contains("injected");
                assertThat(sender.counters().sessionsFailed()).isLessThanOrEqualTo(1);
            }
            assertThatThrownBy(() -> target.write(TABLE.id(), List.of(Tables.insert("later", 2, "x"))))
                    .as("the store was notified by streaming")
                    .hasMessageContaining("injected");
            assertThatThrownBy(() -> target.streamed().pin(UUID.randomUUID(), TABLE, TokenRanges.FULL))
                    .hasMessageContaining("injected");
            source.write(TABLE.id(), List.of(Tables.insert("later", 2, "x")));
        }
        try (LocalStore again = open("target")) {
            assertThat(hasRow(again, TABLE, "streamed"))
                    .as("nothing of it is there")
                    .isFalse();
            again.write(TABLE.id(), List.of(Tables.insert("later", 3, "x")));
        }
    }

    private static boolean isInstalled(PlanResult result, TableRef table) {
        return result.tables().stream().anyMatch(one -> one.table().equals(table) && one.installed());
    }

    private long dataFiles(String store) throws IOException {
        try (Stream<Path> tree = Files.walk(temporary.resolve(store))) {
            String folder = "/" + TABLE.name() + "-";
            return tree.filter(file -> file.toString().contains(folder))
                    .filter(file -> file.toString().endsWith("-Data.db"))
                    .count();
        }
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"after expectArrivals", "newId", "permit", "activate", "after activate", "after activated"})
    void what_was_deleted_stays_deleted_whenever_the_receiver_compacts(String step) throws Exception {
        try (LocalStore source = open("source");
                LocalStore target = open("target")) {
            PlanResult result =
                    stream(source, target, call -> {}, when(step, target, ChangedWhileStreamedTest::compact, true));

            assertThat(result.isComplete()).isTrue();
            assertThat(begun).isNotEmpty();
            assertThat(hasRow(target, TABLE, "deleted")).isFalse();
            assertThat(hasRow(target, TABLE, "kept")).isTrue();
            target.write(TABLE.id(), List.of(Tables.insert("later", 3, "x")));
            target.flush(); // something to compact
            compact(target);
            try (TableView view = target.view(TABLE.id())) {
                assertThat(view.read(List.of(PartitionKey.of(Bytes.utf8("deleted")))))
                        .as("forgotten at last")
                        .isEmpty();
            }
        }
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"after expectArrivals", "newId", "permit", "after permit", "activate", "activated"})
    void a_table_that_the_receiver_truncates_is_empty_and_stays_so(String step) throws Exception {
        boolean awaits = !List.of("after permit", "activate", "activated").contains(step); // it waits for the permit
        try (LocalStore source = open("source");
                LocalStore target = open("target")) {
            PlanResult result =
                    stream(source, target, call -> {}, when(step, target, store -> store.truncate(TABLE.id()), awaits));

            if (awaits) {
                assertThat(isInstalled(result, TABLE)).isFalse();
                assertThat(result.tables()).anyMatch(one -> one.reason().startsWith("DISCARDED"));
            }
            assertThat(isInstalled(result, OTHER)).isTrue();
            assertThat(hasRow(target, TABLE, "kept")).isFalse();
            assertThat(hasRow(target, OTHER, "kept")).isTrue();
            assertThat(dataFiles("target")).isZero();
        }
        try (LocalStore target = open("target")) {
            assertThat(hasRow(target, TABLE, "kept")).isFalse();
        }
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"after expectArrivals", "newId", "permit", "after permit", "activate", "activated"})
    void a_table_that_the_receiver_drops_is_gone_and_the_other_one_comes(String step) throws Exception {
        boolean awaits = !List.of("after permit", "activate", "activated").contains(step);
        try (LocalStore source = open("source");
                LocalStore target = open("target")) {
            PlanResult result =
                    stream(source, target, call -> {}, when(step, target, store -> store.drop(TABLE.id()), awaits));

            if (awaits) {
                assertThat(isInstalled(result, TABLE)).isFalse();
                assertThat(result.tables()).anyMatch(one -> one.reason().startsWith("DISCARDED"));
            }
            assertThat(isInstalled(result, OTHER)).isTrue();
            assertThat(target.refs()).doesNotContain(TABLE);
        }
        try (LocalStore target = open("target")) {
            assertThat(target.refs()).doesNotContain(TABLE);
            assertThat(dataFiles("target")).isZero();
        }
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"pin", "after pin"})
    void what_a_truncation_has_emptied_at_both_ends_does_not_come_back(String step) throws Exception {
        try (LocalStore source = open("source");
                LocalStore target = open("target")) {
            Change both = any -> {
                source.truncate(TABLE.id());
                target.truncate(TABLE.id());
            };

            PlanResult result = stream(source, target, when(step, source, both, true), call -> {});

            assertThat(isInstalled(result, OTHER)).isTrue();
            assertThat(hasRow(source, TABLE, "kept")).isFalse();
            assertThat(hasRow(target, TABLE, "kept")).isFalse();
        }
    }

    @Test
    void a_receiver_compacts_truncates_and_drops_while_it_fetches() throws Exception {
        what_was_deleted_stays_deleted_whenever_the_receiver_compacts("after expectArrivals");
        begun.clear();
        temporary = Files.createDirectory(temporary.resolve("truncated"));
        a_table_that_the_receiver_truncates_is_empty_and_stays_so("after permit");
        begun.clear();
        temporary = Files.createDirectory(temporary.resolve("dropped"));
        a_table_that_the_receiver_drops_is_gone_and_the_other_one_comes("newId");
    }

    @Test
    @Tag("full")
    void a_source_that_drops_a_table_still_sends_what_it_has_pinned_of_it_or_says_why_not() throws Exception {
        try (LocalStore source = open("source");
                LocalStore target = open("target")) {
            PlanResult result = stream(
                    source, target, when("after pin", source, store -> store.drop(TABLE.id()), true), call -> {});

            assertThat(isInstalled(result, OTHER)).isTrue();
            assertThat(hasRow(target, TABLE, "kept")).isEqualTo(isInstalled(result, TABLE));
            assertThat(hasRow(target, TABLE, "deleted")).isFalse();
            assertThat(source.refs()).doesNotContain(TABLE);
        }
    }
}
