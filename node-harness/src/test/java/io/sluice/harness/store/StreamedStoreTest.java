package io.sluice.harness.store;

import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.metadata.CompactionState;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the harness's store does with each hook of streaming, also over a restart. Long because there are many. */
@Timeout(60)
class StreamedStoreTest {
    private static final TableRef TABLE = Tables.PLAIN;
    private static final String CQL = "CREATE TABLE ks.plain (key text PRIMARY KEY, column1 int, value text)"
            + " WITH compression = {'enabled': false} AND gc_grace_seconds = 100;";
    private static final long DELETED_AT_SECONDS = 1_000;
    private static final long LATER_SECONDS = 2_000;
    private static final UUID PLAN = new UUID(1, 1);
    private static final UUID INSTALL = new UUID(2, 2);

    @TempDir
    private Path data = Path.of("");

    @TempDir
    private Path sources = Path.of("");

    private volatile Instant now = Instant.ofEpochSecond(LATER_SECONDS);

    private LocalStore open() throws IOException {
        var options = new StoreOptions(SyncPolicy.BATCH, 16 << 20, CompactionStrategy.NONE, () -> now);
        return LocalStore.open(data, options);
    }

    private LocalStore opened() throws IOException {
        LocalStore store = open();
        store.load();
        if (store.streamed().table(TABLE.id()).isEmpty() && !store.isDropped(TABLE.id())) {
            store.createTable(TABLE, CQL);
        }
        return store;
    }

    private static Mutation delete(String key, long timestamp) {
        var header = new PartitionHeader(
                PartitionKey.of(Bytes.utf8(key)), new DeletionTime(timestamp, DELETED_AT_SECONDS), Row.NO_STATICS);
        return new Mutation(header, List.of());
    }

    private static void write(LocalStore store, Mutation... mutations) throws IOException {
        store.write(TABLE.id(), List.of(mutations));
        store.flush();
    }

    /** As a major compaction: everything becomes one. */
    private static void compact(LocalStore store) throws IOException {
        store.compact(
                TABLE.id(),
                live -> live.isEmpty() || (live.size() == 1 && live.get(0).level() == 1)
                        ? java.util.Optional.empty()
                        : java.util.Optional.of(new CompactionStrategy.Task(live, 1, Long.MAX_VALUE)));
    }

    private static List<Mutation> read(LocalStore store, String key) throws IOException {
        try (TableView view = store.view(TABLE.id())) {
            return view.read(List.of(PartitionKey.of(Bytes.utf8(key))));
        }
    }

    private static boolean hasRow(LocalStore store, String key) throws IOException {
        return read(store, key).stream().anyMatch(found -> !found.items().isEmpty());
    }

    private List<Path> files(String part) throws IOException {
        try (Stream<Path> tree = Files.walk(data)) {
            return tree.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().contains(part))
                    .toList();
        }
    }

    /** What a stream would bring: an SSTable in the live folder that nobody sees yet. */
    private List<Path> arrived(LocalStore store, String key, long timestamp) throws IOException {
        Path elsewhere = sources.resolve("source-" + timestamp);
        try (LocalStore source = LocalStore.open(elsewhere, StoreOptions.DEFAULTS)) {
            source.load();
            source.createTable(TABLE, CQL);
            write(source, Tables.insert(key, timestamp, "old"));
        }
        List<Path> brought = new ArrayList<>();
        try (Stream<Path> tree = Files.walk(elsewhere)) {
            for (Path file : tree.filter(one -> one.getFileName().toString().startsWith("nb-"))
                    .toList()) {
                Path live = store.streamed().liveDirectory(TABLE).resolve(file.getFileName());
                Files.copy(file, live);
                if (live.toString().endsWith("-Data.db")) {
                    brought.add(live);
                }
            }
        }
        return brought;
    }

    @Test
    void compaction_keeps_what_is_repaired_apart_and_says_since_when() throws IOException {
        try (LocalStore store = opened()) {
            for (String key : List.of("a", "b", "c", "d")) {
                write(store, Tables.insert(key, 1, "x"));
            }
        }
        long[] repairedAt = {0, 2_000, 0, 1_000};
        List<Path> statistics = files("-Statistics.db");
        for (int i = 0; i < repairedAt.length; i++) {
            Statistics old = Statistics.read(statistics.get(i), Version.NB);
            var placement = new CompactionState(0, repairedAt[i], Optional.empty(), false, Optional.empty());
            Files.write(
                    statistics.get(i),
                    old.withStats(old.stats().withPlacement(placement)).encode().toArray());
        }
        try (LocalStore store = opened()) {
            store.compact(TABLE.id(), new MajorCompaction());

            assertThat(files("-Statistics.db"))
                    .extracting(file -> Statistics.read(file, Version.NB)
                            .stats()
                            .placement()
                            .repairedAtMillis())
                    .containsExactlyInAnyOrder(0L, 1_000L);
        }
    }

    @Test
    void files_beside_an_sstable_are_pinned_with_it_and_go_with_it() throws IOException {
        try (LocalStore store = opened()) {
            write(store, Tables.insert("a", 1, "x"));
            write(store, Tables.insert("b", 1, "x"));
            for (Path toc : files("-TOC.txt")) {
                String index = toc.toString().replace("TOC.txt", "SAI+aa+by_name+Meta.db");
                Files.write(Path.of(index), new byte[] {1});
                Files.writeString(toc, "SAI+aa+by_name+Meta.db\n", StandardOpenOption.APPEND);
            }
        }
        try (LocalStore store = opened()) {
            try (PinnedTable pinned = store.streamed().pin(PLAN, TABLE, TokenRanges.FULL)) {
                compact(store);

                assertThat(pinned.sstables())
                        .hasSize(2)
                        .allSatisfy(data -> assertThat(
                                        Path.of(data.toString().replace("Data.db", "SAI+aa+by_name+Meta.db")))
                                .exists());
            }

            assertThat(files("SAI+")).isEmpty();
        }
    }

    private static void assertDiscarded(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISCARDED));
    }

    @Test
    void a_deletion_is_forgotten_after_its_grace_period_with_what_it_deleted() throws IOException {
        try (LocalStore store = opened()) {
            write(store, Tables.insert("a", 1, "x"), Tables.insert("b", 1, "x"));
            write(store, delete("a", 2));
            now = Instant.ofEpochSecond(DELETED_AT_SECONDS + 99);
            compact(store);
            assertThat(read(store, "a")).hasSize(1);
            write(store, Tables.insert("c", 1, "x"));
            now = Instant.ofEpochSecond(LATER_SECONDS);

            compact(store);

            assertThat(read(store, "a")).isEmpty();
            assertThat(hasRow(store, "b")).isTrue();
        }
    }

    @Test
    void a_deletion_stays_while_what_it_deletes_lies_in_another_sstable_or_in_memory() throws IOException {
        try (LocalStore store = opened()) {
            write(store, Tables.insert("a", 1, "x"));
            try (TableView older = store.view(TABLE.id())) {
                write(store, delete("a", 2), delete("m", 2));
                store.write(TABLE.id(), List.of(Tables.insert("m", 1, "late")));
                Descriptor kept = older.sstables().get(0).descriptor();
                store.compact(
                        TABLE.id(),
                        live -> live.size() < 2 || live.get(1).level() == 1
                                ? java.util.Optional.empty()
                                : java.util.Optional.of(new CompactionStrategy.Task(
                                        live.stream()
                                                .filter(one -> !one.descriptor().equals(kept))
                                                .toList(),
                                        1,
                                        Long.MAX_VALUE)));
            }

            assertThat(hasRow(store, "a")).isFalse();
            assertThat(hasRow(store, "m")).isFalse();
        }
    }

    @Test
    void a_table_of_which_nobody_said_the_grace_period_forgets_nothing() throws IOException {
        try (LocalStore store = opened()) {
            write(store, delete("a", 2));
        }
        Files.delete(files("schema.cql").get(0));
        try (LocalStore store = opened()) {
            compact(store);

            assertThat(read(store, "a")).hasSize(1);
        }
    }

    @Test
    void a_crash_while_inputs_of_a_compaction_go_brings_no_row_back_without_its_deletion() throws IOException {
        List<Descriptor> inputs = new ArrayList<>();
        Path folder;
        try (LocalStore store = opened()) {
            write(store, Tables.insert("a", 1, "x"));
            write(store, delete("a", 2));
            folder = store.streamed().liveDirectory(TABLE);
            try (TableView view = store.view(TABLE.id())) {
                view.sstables().forEach(sstable -> inputs.add(sstable.descriptor()));
            }
        }
        // Both are obsolete, for what became of them is nothing; the deletion's files are gone already.
        ObsoleteSSTables.mark(folder, inputs).removed(inputs.get(1));
        LiveSSTables.removeFiles(folder, Set.of(inputs.get(1)));

        try (LocalStore store = opened()) {
            assertThat(read(store, "a")).isEmpty();
            assertThat(files("obsolete")).isEmpty();
        }
    }

    @Test
    void what_was_deleted_does_not_come_back_with_a_stream() throws IOException {
        try (LocalStore store = opened()) {
            write(store, delete("a", 2));
            store.streamed().expectArrivals(PLAN, TABLE, TokenRanges.FULL);
            compact(store);
            TableStore.Permit permit = store.streamed().permit(PLAN, INSTALL, TABLE);
            store.streamed().activate(INSTALL, TABLE, arrived(store, "a", 1));
            store.streamed().activated(INSTALL, TABLE);
            permit.release();
            store.streamed().endArrivals(PLAN, TABLE);

            assertThat(hasRow(store, "a")).isFalse();
            compact(store);
            assertThat(read(store, "a")).isEmpty();
        }
    }

    @Test
    void a_compaction_that_forgot_a_deletion_before_its_row_was_expected_is_made_again() throws IOException {
        try (LocalStore store = opened()) {
            write(store, delete("a", 2));
            PurgedTokens purged = new PurgedTokens();
            purged.add(PartitionKey.of(Bytes.utf8("a")).token());
            IncomingStreams arrivals = store.stored(TABLE.id()).incoming();
            store.streamed().expectArrivals(PLAN, TABLE, TokenRanges.FULL);

            assertThat(arrivals.replaceUnlessExpected(purged, () -> {})).isFalse();
            store.streamed().endArrivals(PLAN, TABLE);
            assertThat(arrivals.replaceUnlessExpected(purged, () -> {})).isTrue();
        }
    }

    @Test
    void deletions_are_remembered_for_what_was_committed_and_is_not_live_when_its_plan_ends() throws IOException {
        try (LocalStore store = opened()) {
            write(store, delete("a", 2));
            store.streamed().expectArrivals(PLAN, TABLE, TokenRanges.FULL);
            store.streamed().permit(PLAN, INSTALL, TABLE).release(); // the install failed after its commit point
            store.streamed().endArrivals(PLAN, TABLE);
            compact(store);
            store.streamed().activate(INSTALL, TABLE, arrived(store, "a", 1));

            assertThat(hasRow(store, "a")).isFalse();
        }
    }

    @Test
    void a_truncated_table_is_empty_also_after_a_restart_and_takes_new_writes() throws IOException {
        try (LocalStore store = opened()) {
            write(store, Tables.insert("flushed", 1, "x"));
            store.write(TABLE.id(), List.of(Tables.insert("logged", 1, "x")));
            try (PinnedTable pinned = store.streamed().pin(PLAN, TABLE, TokenRanges.FULL)) {
                store.truncate(TABLE.id());
                assertThat(pinned.sstables())
                        .allSatisfy(sent -> assertThat(sent).exists());
            }
            store.write(TABLE.id(), List.of(Tables.insert("after", 2, "x")));

            assertThat(files("-Data.db")).isEmpty();
        }
        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "flushed")).isFalse();
            assertThat(hasRow(store, "logged")).isFalse();
            assertThat(hasRow(store, "after")).isTrue();
        }
    }

    @Test
    void a_truncation_that_crashed_after_its_note_has_happened() throws IOException {
        Descriptor live;
        try (LocalStore store = opened()) {
            write(store, Tables.insert("a", 1, "x"));
            try (TableView view = store.view(TABLE.id())) {
                live = view.sstables().get(0).descriptor();
            }
            Removals.NONE
                    .plus(List.of(live), Set.of(INSTALL))
                    .write(store.streamed().liveDirectory(TABLE));
        }
        try (LocalStore store = open()) {
            assertDiscarded(() -> store.streamed().activate(INSTALL, TABLE, List.of()));
            store.load();

            assertThat(hasRow(store, "a")).isFalse();
            assertThat(files("-Data.db")).isEmpty();
            assertThat(Removals.read(store.streamed().liveDirectory(TABLE)))
                    .as("each start would look for these files again")
                    .isEqualTo(new Removals(Set.of(), Set.of(INSTALL)));
        }
    }

    @Test
    void what_was_pinned_before_a_truncation_gets_no_permit_after_it() throws IOException {
        try (LocalStore store = opened()) {
            store.streamed().expectArrivals(PLAN, TABLE, TokenRanges.FULL);
            store.truncate(TABLE.id());

            assertDiscarded(() -> store.streamed().permit(PLAN, INSTALL, TABLE));
            UUID later = new UUID(1, 2);
            store.streamed().expectArrivals(later, TABLE, TokenRanges.FULL);
            store.streamed().permit(later, INSTALL, TABLE).release();
        }
    }

    @Test
    void a_truncation_waits_for_permits_and_revokes_them() throws Exception {
        try (LocalStore store = opened()) {
            store.streamed().expectArrivals(PLAN, TABLE, TokenRanges.FULL);
            TableStore.Permit permit = store.streamed().permit(PLAN, INSTALL, TABLE);
            assertThat(permit.isRevoked()).isFalse();
            CompletableFuture<Void> truncation = CompletableFuture.runAsync(() -> {
                try {
                    store.truncate(TABLE.id());
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            await().until(permit::isRevoked);
            assertDiscarded(() -> store.streamed().permit(PLAN, new UUID(2, 3), TABLE));
            // It was past its commit point, so it becomes live first, and goes with the rest.
            store.streamed().activate(INSTALL, TABLE, arrived(store, "a", 1));
            assertThat(truncation).isNotDone();
            assertThat(hasRow(store, "a")).isTrue();
            store.streamed().activated(INSTALL, TABLE);
            permit.release();
            truncation.get(10, TimeUnit.SECONDS);

            assertThat(hasRow(store, "a")).isFalse();
            assertThat(files("-Data.db")).isEmpty();
        }
    }

    @Test
    void an_install_without_an_answer_is_refused_after_a_truncation_also_over_a_restart() throws IOException {
        try (LocalStore store = opened()) {
            store.streamed().expectArrivals(PLAN, TABLE, TokenRanges.FULL);
            store.streamed().permit(PLAN, INSTALL, TABLE).release();
            store.truncate(TABLE.id());

            assertDiscarded(() -> store.streamed().activate(INSTALL, TABLE, List.of()));
        }
        try (LocalStore store = open()) {
            assertDiscarded(() -> store.streamed().activate(INSTALL, TABLE, List.of()));
        }
    }

    @Test
    void files_of_an_install_stay_until_it_is_settled_also_if_the_table_is_truncated() throws IOException {
        try (LocalStore store = opened()) {
            store.streamed().expectArrivals(PLAN, TABLE, TokenRanges.FULL);
            TableStore.Permit permit = store.streamed().permit(PLAN, INSTALL, TABLE);
            store.streamed().activate(INSTALL, TABLE, arrived(store, "a", 1));
            permit.release(); // the note that it is live could not be written
            store.truncate(TABLE.id());
            assertThat(hasRow(store, "a")).isFalse();
            assertThat(files("-Data.db")).hasSize(1);

            store.streamed().activated(INSTALL, TABLE);

            assertThat(files("-Data.db")).isEmpty();
        }
    }

    @Test
    void a_dropped_table_is_remembered_and_its_name_may_be_used_again() throws IOException {
        TableRef again = new TableRef(new UUID(9, 9), TABLE.keyspace(), TABLE.name());
        try (LocalStore store = opened()) {
            store.write(TABLE.id(), List.of(Tables.insert("a", 1, "x")));
            store.streamed().expectArrivals(PLAN, TABLE, TokenRanges.FULL);
            store.drop(TABLE.id());

            assertThat(store.streamed().table(TABLE.id())).isEmpty();
            assertThat(store.streamed().isDropped(TABLE.id())).isTrue();
            assertDiscarded(() -> store.streamed().permit(PLAN, INSTALL, TABLE));
            assertThatThrownBy(() -> store.createTable(TABLE)).hasMessageContaining("was dropped");
            store.createTable(again, CQL);
        }
        try (LocalStore store = open()) {
            assertThat(store.streamed().isDropped(TABLE.id())).isTrue();
            assertThat(store.streamed().isDropped(again.id())).isFalse();
            store.load();
            assertThat(store.refs()).containsExactly(again);
            try (TableView view = store.view(again.id())) {
                assertThat(view.read(List.of(PartitionKey.of(Bytes.utf8("a"))))).isEmpty();
            }
        }
    }

    @Test
    void writes_count_since_the_latest_part_of_the_ranges_and_not_at_all_if_one_is_missing() throws IOException {
        TokenRanges left = TokenRanges.of(TokenRange.of(0, 100));
        TokenRanges right = TokenRanges.of(TokenRange.of(100, 200));
        TokenRanges both = left.union(right);
        Instant first = Instant.ofEpochSecond(1);
        Instant second = Instant.ofEpochSecond(2);
        try (LocalStore store = opened()) {
            StreamedStore streamed = store.streamed();
            assertThat(streamed.writesSince(TABLE, left)).isEmpty();
            streamed.takePart(TABLE.id(), left, first);
            assertThat(streamed.writesSince(TABLE, left)).contains(first);
            assertThat(streamed.writesSince(TABLE, both)).isEmpty();
            streamed.takePart(TABLE.id(), both, second);
            assertThat(streamed.writesSince(TABLE, left)).contains(first);
            assertThat(streamed.writesSince(TABLE, both)).contains(second);
            streamed.takePart(TABLE.id(), right, second);
            assertThat(streamed.writesSince(TABLE, left)).isEmpty();
        }
        try (LocalStore store = opened()) {
            assertThat(store.streamed().writesSince(TABLE, right)).isEmpty();
        }
    }

    @Test
    void a_node_whose_disk_has_failed_takes_no_writes_and_no_streams() throws IOException {
        try (LocalStore store = opened()) {
            store.streamed().expectArrivals(PLAN, TABLE, TokenRanges.FULL);
            store.streamed().diskFailed(store.streamed().stagingDirectory(), "fsync: EIO");

            assertThatThrownBy(() -> store.write(TABLE.id(), List.of(Tables.insert("a", 1, "x"))))
                    .hasMessageContaining("fsync: EIO");
            assertThatThrownBy(() -> store.streamed().permit(PLAN, INSTALL, TABLE))
                    .hasMessageContaining("fsync: EIO");
            assertThatThrownBy(() -> store.streamed().pin(PLAN, TABLE, TokenRanges.FULL))
                    .hasMessageContaining("fsync: EIO");
            assertThatThrownBy(() -> store.createTable(new TableRef(new UUID(9, 9), "ks", "other")))
                    .hasMessageContaining("fsync: EIO");
        }
    }
}
