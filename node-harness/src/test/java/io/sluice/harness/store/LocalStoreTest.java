package io.sluice.harness.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.data.Cell;
import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.GrowingBuffer;
import io.sluice.sstable.generate.RandomTable;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.block.OpenedTable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes, flushes, truncations and restarts of a store. Long because each may be cut at any step. */
class LocalStoreTest {
    private static final UUID ID = Tables.PLAIN.id();

    private static final Mutation EMPTY = new Mutation(PartitionHeader.of(PartitionKey.of(Bytes.utf8("a"))), List.of());

    @TempDir
    private Path data = Path.of("");

    private LocalStore open(StoreOptions options) throws IOException {
        LocalStore store = LocalStore.open(data, options);
        store.load();
        return store;
    }

    private LocalStore opened() throws IOException {
        LocalStore store = open(StoreOptions.DEFAULTS);
        store.createTable(Tables.PLAIN, Tables.PLAIN_CQL);
        return store;
    }

    private static String value(LocalStore store, String key) throws IOException {
        try (TableView view = store.view(ID)) {
            List<Mutation> found = view.read(List.of(PartitionKey.of(Bytes.utf8(key))));
            return found.isEmpty()
                    ? ""
                    : ((Cell) ((Row) found.get(0).items().get(0)).columns().get(1))
                            .value()
                            .utf8();
        }
    }

    private static ContentDigest digest(LocalStore store, TableRef table) throws IOException {
        try (TableView view = store.view(table.id())) {
            return view.digest(TokenRanges.FULL);
        }
    }

    private List<Path> files(String part) throws IOException {
        try (Stream<Path> tree = Files.walk(data)) {
            return tree.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().contains(part))
                    .toList();
        }
    }

    @Test
    void a_write_is_read_before_and_after_its_flush() throws IOException {
        try (LocalStore store = opened()) {
            store.write(ID, List.of(Tables.insert("a", 1, "one")));
            assertThat(value(store, "a")).isEqualTo("one");

            store.flush();

            assertThat(value(store, "a")).isEqualTo("one");
            assertThat(files("-Data.db")).hasSize(1);
        }
    }

    @Test
    void the_later_write_wins_wherever_it_lies() throws IOException {
        try (LocalStore store = opened()) {
            store.write(ID, List.of(Tables.insert("a", 2, "newer"), Tables.insert("b", 1, "older")));
            store.flush();
            store.write(ID, List.of(Tables.insert("a", 1, "older"), Tables.insert("b", 2, "newer")));

            assertThat(value(store, "a")).isEqualTo("newer");
            assertThat(value(store, "b")).isEqualTo("newer");
        }
    }

    @Test
    void what_was_not_flushed_comes_back_from_the_log() throws IOException {
        try (LocalStore store = opened()) {
            store.write(ID, List.of(Tables.insert("a", 1, "one")));
        }

        try (LocalStore store = open(StoreOptions.DEFAULTS)) {
            assertThat(value(store, "a")).isEqualTo("one");
            assertThat(files(".log")).hasSize(1);
        }
    }

    @Test
    void a_flush_empties_the_log() throws IOException {
        try (LocalStore store = opened()) {
            store.write(ID, List.of(Tables.insert("a", 1, "one")));
            Path before = files(".log").get(0);
            store.flush();

            assertThat(before).doesNotExist();
            assertThat(files(".log"))
                    .hasSize(1)
                    .allSatisfy(log -> assertThat(log).hasSize(LogSegment.MAGIC.length));
        }
    }

    @Test
    void truncated_rows_stay_away_though_an_earlier_flush_could_not_empty_the_log() throws IOException {
        try (LocalStore store = opened()) {
            store.write(ID, List.of(Tables.insert("a", 1, "one")));
            Path log = files(".log").get(0);
            Path aside = Files.move(log, data.resolve("aside"));
            Files.createDirectories(log.resolve("which cannot be deleted"));
            assertThatThrownBy(store::flush).isInstanceOf(DirectoryNotEmptyException.class);
            Files.delete(log.resolve("which cannot be deleted"));
            Files.move(aside, log, StandardCopyOption.REPLACE_EXISTING);

            store.truncate(ID);
        }

        try (LocalStore store = open(StoreOptions.DEFAULTS)) {
            assertThat(value(store, "a")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void any_rows_are_the_same_however_they_are_spread(long seed) throws Exception {
        List<Mutation> all = new ArrayList<>();
        ContentDigest reopened;
        try (LocalStore store = open(StoreOptions.DEFAULTS)) {
            store.createTable(Tables.RICH, Tables.RICH_CQL);
            for (long round = 0; round < 12; round++) {
                List<Mutation> mutations = Tables.random(seed * 100 + round);
                store.write(Tables.RICH.id(), mutations);
                all.addAll(mutations);
                if (round % 2 == 1) {
                    store.flush();
                }
                if (round == 8) {
                    store.compact(Tables.RICH.id(), new SizeTiered());
                }
            }
            store.write(Tables.RICH.id(), Tables.random(seed * 100 + 50));
            all.addAll(Tables.random(seed * 100 + 50));

            assertThat(digest(store, Tables.RICH)).isEqualTo(expected(all));
            reopened = digest(store, Tables.RICH);
        }
        try (LocalStore store = open(StoreOptions.DEFAULTS)) {
            assertThat(digest(store, Tables.RICH)).isEqualTo(reopened);
        }
    }

    private static ContentDigest expected(List<Mutation> mutations) throws Exception {
        var order = new ClusteringOrder(
                TableSchema.parse(Tables.RICH_CQL).header(RandomTable.BASE).clusteringTypes());
        try (var merged =
                new MergedPartitions(mutations.stream().map(Mutation::toSource).toList(), order)) {
            return ContentDigest.of(merged);
        }
    }

    @Test
    void compaction_leaves_one_sstable_of_the_same_content() throws IOException {
        try (LocalStore store = opened()) {
            for (int i = 0; i < 4; i++) {
                store.write(ID, List.of(Tables.insert("same", i, "v" + i), Tables.insert("k" + i, i, "v")));
                store.flush();
            }
            ContentDigest before = digest(store, Tables.PLAIN);

            store.compact(ID, new SizeTiered());

            assertThat(digest(store, Tables.PLAIN)).isEqualTo(before);
            assertThat(files("-Data.db")).hasSize(1);
            assertThat(files("obsolete")).isEmpty();
        }
    }

    @Test
    void a_compaction_is_abandoned_when_the_store_closes() throws IOException {
        try (LocalStore store = opened()) {
            for (int i = 0; i < 2; i++) {
                store.write(ID, List.of(Tables.insert("k" + i, i, "v")));
                store.flush();
            }
            StoredTable table = store.stored(ID);
            MajorCompaction all = new MajorCompaction();
            all.begin(table.candidates());

            assertThatThrownBy(() -> table.compact(all, () -> true))
                    .isInstanceOf(InterruptedIOException.class)
                    .hasMessageContaining("the store is closed");
            assertThat(files("-Data.db")).hasSize(2);
            assertThat(files(".tmp")).isEmpty();
        }
    }

    @Test
    void leveled_compaction_leaves_sstables_that_share_no_token_and_know_their_level() throws IOException {
        try (LocalStore store = opened()) {
            for (int i = 0; i < 8; i++) {
                for (int key = 0; key < 100; key++) {
                    store.write(ID, List.of(Tables.insert("k" + key, i, "x".repeat(100))));
                }
                store.flush();
            }

            store.compact(ID, new Leveled(4096));
        }
        try (LocalStore store = open(StoreOptions.DEFAULTS);
                TableView view = store.view(ID)) {
            List<CompactionStrategy.Candidate> live = view.sstables().stream()
                    .map(CompactionStrategy.Candidate::of)
                    .toList();
            assertThat(live).hasSizeGreaterThan(2).allSatisfy(one -> {
                assertThat(one.level()).isEqualTo(1);
                assertThat(live).noneMatch(other -> !other.equals(one) && other.overlaps(one));
            });
            for (SSTable sstable : view.sstables()) {
                assertThat(Verification.verify(sstable).problems()).isEmpty();
                assertThat(Files.getLastModifiedTime(sstable.path(Component.STATISTICS)))
                        .as("nothing of an SSTable is written after its table of contents")
                        .isLessThanOrEqualTo(Files.getLastModifiedTime(sstable.path(Component.TOC)));
            }
        }
    }

    @Test
    void what_is_pinned_stays_while_it_is_compacted() throws IOException {
        try (LocalStore store = opened()) {
            for (int i = 0; i < 4; i++) {
                store.write(ID, List.of(Tables.insert("k" + i, i, "v")));
                store.flush();
            }
            ContentDigest before = digest(store, Tables.PLAIN);
            try (PinnedTable pinned = store.streamed().pin(UUID.randomUUID(), Tables.PLAIN, TokenRanges.FULL)) {
                assertThat(pinned.obsoleteBytes()).isZero();
                store.compact(ID, new SizeTiered());

                long bytes =
                        opened(pinned).stream().mapToLong(SSTable::bytesOnDisk).sum();
                assertThat(pinned.obsoleteBytes()).isEqualTo(bytes).isPositive();
                assertThat(pinned.sstables()).hasSize(4);
                assertThat(ContentDigest.of(opened(pinned), TokenRanges.FULL)).isEqualTo(before);
            }
            assertThat(files("-Data.db")).hasSize(1);
        }
    }

    private static List<SSTable> opened(PinnedTable pinned) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Path dataFile : pinned.sstables()) {
            sstables.add(OpenedTable.open(dataFile));
        }
        return sstables;
    }

    @Test
    void a_pin_holds_all_that_was_acknowledged() throws IOException {
        try (LocalStore store = opened()) {
            store.write(ID, List.of(Tables.insert("a", 1, "one")));

            try (PinnedTable pinned = store.streamed().pin(UUID.randomUUID(), Tables.PLAIN, TokenRanges.FULL)) {
                assertThat(ContentDigest.of(opened(pinned), TokenRanges.FULL)).isEqualTo(digest(store, Tables.PLAIN));
            }
        }
    }

    @Test
    void a_reader_goes_on_while_its_sstables_are_compacted() throws IOException {
        try (LocalStore store = opened()) {
            for (int i = 0; i < 4; i++) {
                store.write(ID, List.of(Tables.insert("k" + i, i, "v")));
                store.flush();
            }
            ContentDigest before = digest(store, Tables.PLAIN);
            try (TableView view = store.view(ID)) {
                store.compact(ID, new SizeTiered());
                assertThat(files("-Data.db")).hasSize(5);

                assertThat(view.digest(TokenRanges.FULL)).isEqualTo(before);
            }
            assertThat(files("-Data.db")).hasSize(1);
        }
    }

    @Test
    void leftovers_of_a_crash_are_gone_at_the_next_start() throws IOException {
        try (LocalStore store = opened()) {
            store.write(ID, List.of(Tables.insert("a", 1, "one")));
            store.flush();
            store.write(ID, List.of(Tables.insert("b", 1, "two")));
            store.flush();
        }
        List<Path> tables = files("-TOC.txt");
        String unfinished = name(tables.get(0)).replace("TOC.txt", "");
        String obsolete = name(tables.get(1)).replace("-TOC.txt", "");
        Files.move(tables.get(0), tables.get(0).resolveSibling(unfinished + "TOC.txt.tmp"));
        Files.createFile(tables.get(1).resolveSibling("obsolete-" + obsolete));

        try (LocalStore store = open(StoreOptions.DEFAULTS)) {
            assertThat(value(store, "a")).isEmpty();
            assertThat(files(unfinished)).isEmpty();
            assertThat(files(obsolete)).isEmpty();
        }
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    @Test
    void memory_is_bounded_by_flushes() throws IOException {
        try (LocalStore store = open(new StoreOptions(SyncPolicy.PERIODIC, 10_000, CompactionStrategy.NONE))) {
            store.createTable(Tables.PLAIN, Tables.PLAIN_CQL);
            for (int i = 0; i < 100; i++) {
                store.write(ID, List.of(Tables.insert("k" + i, i, "x".repeat(1000))));
            }

            assertThat(files("-Data.db")).hasSizeBetween(8, 20);
            assertThat(digest(store, Tables.PLAIN).partitions()).isEqualTo(100);
        }
    }

    @Test
    void rows_that_do_not_fit_the_table_are_refused_before_they_are_logged() throws Exception {
        try (LocalStore store = opened()) {
            Mutation foreign = Tables.random(1).stream()
                    .filter(mutation -> !mutation.items().isEmpty())
                    .findFirst()
                    .orElseThrow();

            assertThatThrownBy(() -> store.write(ID, List.of(foreign)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("ks.plain");
        }
        try (LocalStore store = open(StoreOptions.DEFAULTS)) {
            assertThat(digest(store, Tables.PLAIN).partitions()).isZero();
        }
    }

    @Test
    void a_mutation_without_content_is_refused_and_the_next_flush_writes_what_was_not() throws IOException {
        try (LocalStore store = opened()) {
            assertThatThrownBy(() -> store.write(ID, List.of(EMPTY)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("ks.plain: mutation without rows and deletions");
            store.write(ID, List.of(Tables.insert("a", 1, "one")));

            store.flush();

            assertThat(files("-Data.db")).hasSize(1);
        }
    }

    @Test
    void a_mutation_without_content_in_a_log_does_not_prevent_the_start() throws IOException {
        try (LocalStore store = opened();
                CommitLog log = CommitLog.open(data.resolve("commitlog"), SyncPolicy.BATCH)) {
            GrowingBuffer record = new GrowingBuffer().putLong(ID.getMostSignificantBits());
            store.codec(ID).write(EMPTY, record.putLong(ID.getLeastSignificantBits()));
            log.acknowledge(log.append(record.written()));
        }

        try (LocalStore store = open(StoreOptions.DEFAULTS)) {
            assertThat(digest(store, Tables.PLAIN).partitions()).isZero();
            assertThat(files("-Data.db")).isEmpty();
        }
    }

    @Test
    void a_table_that_nobody_described_takes_no_writes() throws IOException {
        try (LocalStore store = open(StoreOptions.DEFAULTS)) {
            store.createTable(Tables.PLAIN);

            assertThatThrownBy(() -> store.write(ID, List.of(Tables.insert("a", 1, "one"))))
                    .hasMessageContaining("expected: the table to be created with its CQL first");
        }
    }

    @Test
    void sstables_have_all_components() throws IOException {
        try (LocalStore store = opened()) {
            store.write(ID, List.of(Tables.insert("a", 1, "one")));
            store.flush();
            try (TableView view = store.view(ID)) {
                assertThat(view.sstables().get(0).components())
                        .contains(Component.TOC, Component.FILTER, Component.SUMMARY, Component.DIGEST);
            }
        }
    }

    @Test
    void nodes_with_the_same_columns_have_the_same_schema_digest_and_others_another() throws IOException {
        try (LocalStore store = opened();
                LocalStore other = LocalStore.open(data.resolve("other"), StoreOptions.DEFAULTS)) {
            other.createTable(Tables.PLAIN, Tables.PLAIN_CQL.replace("CREATE TABLE", "CREATE  TABLE"));
            other.createTable(Tables.RICH, Tables.RICH_CQL);
            long digest = store.streamed().schemaDigest(Tables.PLAIN);

            assertThat(digest).isNotZero().isEqualTo(other.streamed().schemaDigest(Tables.PLAIN));
            assertThat(other.streamed().schemaDigest(Tables.RICH)).isNotZero().isNotEqualTo(digest);
        }
    }
}
