package io.sluice.harness.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.data.DeletionTime;
import io.sluice.sstable.data.PartitionHeader;
import io.sluice.sstable.data.Row;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store with two data directories, the second of which may fail, or be missing. */
class SeveralDirectoriesTest {
    private static final UUID ID = Tables.PLAIN.id();
    private static final UUID PLAN = new UUID(5, 5);
    private static final int LONG_AGO_SECONDS = 1_000;

    @TempDir
    private Path temporary = Path.of("");

    private Path first() {
        return temporary.resolve("data1");
    }

    private Path second() {
        return temporary.resolve("data2");
    }

    private LocalStore opened() throws IOException {
        return opened(List.of(first(), second()));
    }

    private static LocalStore opened(List<Path> directories) throws IOException {
        LocalStore store = LocalStore.open(directories, StoreOptions.DEFAULTS);
        store.load();
        store.createTable(Tables.PLAIN, Tables.PLAIN_CQL);
        return store;
    }

    private static void write(LocalStore store, Mutation... mutations) throws IOException {
        store.write(ID, List.of(mutations));
        store.flush();
    }

    private static Mutation delete(String key, long timestamp) {
        var header = new PartitionHeader(
                PartitionKey.of(Bytes.utf8(key)), new DeletionTime(timestamp, LONG_AGO_SECONDS), Row.NO_STATICS);
        return new Mutation(header, List.of());
    }

    private static boolean hasRow(LocalStore store, String key) throws IOException {
        try (TableView view = store.view(ID)) {
            return view.read(List.of(PartitionKey.of(Bytes.utf8(key)))).stream()
                    .anyMatch(found -> !found.items().isEmpty());
        }
    }

    private static Path folder(Path data) {
        return data.resolve("ks").resolve("plain-" + ID.toString().replace("-", ""));
    }

    private static List<Path> files(Path data, String part) throws IOException {
        try (Stream<Path> tree = Files.walk(data)) {
            return tree.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().contains(part))
                    .toList();
        }
    }

    /** A row in an SSTable of each directory: {@code a} in the first, {@code b} in the second. */
    private void fillBoth() throws IOException {
        try (LocalStore store = opened(List.of(first()))) {
            write(store, Tables.insert("b", 1, "x"));
        }
        Files.createDirectories(folder(second()));
        for (Path file : files(folder(first()), "nb-")) {
            Files.move(file, folder(second()).resolve(file.getFileName()));
        }
        try (LocalStore store = opened(List.of(first()))) {
            write(store, Tables.insert("a", 1, "x"));
        }
    }

    private static Path streamedTo(LocalStore store, Path data) {
        return store.streamed().volumes().stream()
                .map(TableStore.Volume::stagingDirectory)
                .filter(staging -> staging.startsWith(data))
                .findFirst()
                .orElseThrow();
    }

    private static void fail(LocalStore store, Path data) {
        store.streamed().diskFailed(streamedTo(store, data), "fsync: EIO");
    }

    @Test
    void what_lies_in_each_directory_is_read_compacted_and_removed_there() throws IOException {
        fillBoth();

        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "a")).isTrue();
            assertThat(hasRow(store, "b")).isTrue();

            store.compact(ID, new MajorCompaction());

            assertThat(hasRow(store, "a")).isTrue();
            assertThat(hasRow(store, "b")).isTrue();
            assertThat(files(temporary, "-Data.db")).hasSize(1);
            assertThat(files(temporary, "obsolete")).isEmpty();
        }
        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "a")).isTrue();
            assertThat(hasRow(store, "b")).isTrue();
        }
    }

    @Test
    void each_directory_has_staging_and_a_folder_for_each_table() throws IOException {
        try (LocalStore store = opened()) {
            List<TableStore.Volume> volumes = store.streamed().volumes();

            assertThat(volumes)
                    .extracting(TableStore.Volume::stagingDirectory)
                    .containsExactly(first().resolve(".sluice-staging"), second().resolve(".sluice-staging"));
            assertThat(store.streamed().liveDirectory(Tables.PLAIN, volumes.get(0)))
                    .isEqualTo(folder(first()))
                    .isDirectory();
            assertThat(store.streamed().liveDirectory(Tables.PLAIN, volumes.get(1)))
                    .isEqualTo(folder(second()))
                    .isDirectory();
        }
    }

    @Test
    void what_is_pinned_lies_beside_its_SSTable_and_goes() throws IOException {
        fillBoth();

        try (LocalStore store = opened()) {
            try (PinnedTable pinned = store.streamed().pin(PLAN, Tables.PLAIN, TokenRanges.FULL)) {
                assertThat(pinned.sstables()).hasSize(2);
                assertThat(pinned.sstables()).anyMatch(file -> file.startsWith(first()));
                assertThat(pinned.sstables()).anyMatch(file -> file.startsWith(second()));
            }
            assertThat(files(temporary, "-Data.db")).hasSize(2);
        }
    }

    @Test
    void what_a_stream_brings_is_live_wherever_it_lies() throws IOException {
        fillBoth();
        List<Path> brought = new ArrayList<>();
        Path aside = Files.createDirectories(temporary.resolve("aside"));
        for (Path data : List.of(first(), second())) {
            for (Path file : files(folder(data), "nb-")) {
                Files.move(file, aside.resolve(file.getFileName()));
            }
        }
        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "a")).isFalse();
            store.streamed().expectArrivals(PLAN, Tables.PLAIN, TokenRanges.FULL);
            List<Path> dataFiles = files(aside, "-Data.db");
            for (Path dataFile : dataFiles) {
                Path target = folder(brought.isEmpty() ? first() : second());
                String name = dataFile.getFileName().toString().replace("Data.db", "");
                for (Path file : files(aside, name)) {
                    Files.move(file, target.resolve(file.getFileName()));
                }
                brought.add(target.resolve(dataFile.getFileName()));
            }
            UUID install = new UUID(6, 6);
            store.streamed().permit(PLAN, install, Tables.PLAIN).release();
            store.streamed().activate(install, Tables.PLAIN, brought);
            store.streamed().activated(install, Tables.PLAIN);

            assertThat(hasRow(store, "a")).isTrue();
            assertThat(hasRow(store, "b")).isTrue();
        }
    }

    @Test
    void a_mark_of_SSTables_in_both_directories_counts_for_both_after_a_crash() throws IOException {
        fillBoth();
        List<Descriptor> all = descriptors();
        ObsoleteSSTables.mark(folder(first()), all);

        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "a")).isFalse();
            assertThat(hasRow(store, "b")).isFalse();
        }
        assertThat(files(temporary, "obsolete")).isEmpty();
    }

    @Test
    void a_truncation_is_noted_until_all_directories_have_lost_what_it_names() throws IOException {
        fillBoth();
        Removals.NONE.plus(descriptors(), Set.of()).write(folder(first()));
        Path away = Files.move(second(), temporary.resolve("away"));
        Files.createFile(second());
        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "a")).isFalse();
        }
        Files.delete(second());
        Files.move(away, second());

        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "b")).isFalse();
        }
        assertThat(Removals.read(folder(first()))).isEqualTo(Removals.NONE);
    }

    private List<Descriptor> descriptors() throws IOException {
        return files(temporary, "-Data.db").stream()
                .map(file -> Descriptor.parse(file.getFileName().toString())
                        .orElseThrow()
                        .descriptor())
                .toList();
    }

    /** As a node starts: what a crash has interrupted is installed before the tables are read. */
    @Test
    void what_recovery_has_installed_is_no_copy_when_tables_are_read() throws IOException {
        fillBoth();
        try (LocalStore store = LocalStore.open(List.of(first(), second()), StoreOptions.DEFAULTS)) {
            store.streamed().activate(new UUID(7, 7), Tables.PLAIN, files(temporary, "-Data.db"));
            store.load();

            assertThat(hasRow(store, "a")).isTrue();
            assertThat(hasRow(store, "b")).isTrue();
        }
    }

    @Test
    void one_SSTable_in_two_directories_is_refused() throws IOException {
        try (LocalStore store = opened()) {
            write(store, Tables.insert("a", 1, "x"));
        }
        Path written = files(temporary, "-Data.db").get(0);
        Path from = written.startsWith(first()) ? folder(first()) : folder(second());
        Path other = from.equals(folder(first())) ? folder(second()) : folder(first());
        for (Path file : files(from, "nb-")) {
            Files.copy(file, other.resolve(file.getFileName()));
        }

        assertThatThrownBy(this::opened)
                .hasMessageContaining("also exists in another data directory (expected: each SSTable in one)");
    }

    @Test
    void a_node_with_a_failed_volume_writes_to_the_other_and_sends_nothing_that_may_be_incomplete() throws IOException {
        fillBoth();

        try (LocalStore store = opened()) {
            fail(store, second());
            write(store, Tables.insert("c", 1, "x"));
            write(store, Tables.insert("d", 1, "x"));

            assertThat(files(folder(first()), "-Data.db")).hasSize(3);
            assertThat(hasRow(store, "d")).isTrue();
            assertThatThrownBy(() -> store.streamed().pin(PLAN, Tables.PLAIN, TokenRanges.FULL))
                    .hasMessageContaining("on a failed volume, " + folder(second()));
            assertThatThrownBy(() -> store.streamed().inspect(Tables.PLAIN, TokenRanges.FULL))
                    .hasMessageContaining("another replica");

            store.compact(ID, new MajorCompaction());
            assertThat(files(folder(first()), "-Data.db"))
                    .as("of the first alone")
                    .hasSize(1);
            assertThat(files(folder(second()), "-Data.db")).hasSize(1);
        }
    }

    @Test
    void a_table_of_which_nothing_lies_on_a_failed_volume_is_sent() throws IOException {
        try (LocalStore store = opened()) {
            fail(store, second());
            write(store, Tables.insert("a", 1, "x"));

            try (PinnedTable pinned = store.streamed().pin(PLAN, Tables.PLAIN, TokenRanges.FULL)) {
                assertThat(pinned.sstables()).hasSize(1);
            }
        }
    }

    @Test
    void a_volume_that_is_missing_at_the_start_is_left_alone_and_has_all_of_its_own_when_it_is_back()
            throws IOException {
        fillBoth();
        Path away = temporary.resolve("away");
        Files.move(second(), away);
        Files.createFile(second()); // in its place

        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "a")).isTrue();
            write(store, Tables.insert("c", 1, "x"));
            assertThatThrownBy(() -> store.streamed().pin(PLAN, Tables.PLAIN, TokenRanges.FULL))
                    .hasMessageContaining("may be, on a failed volume, " + second());
            assertThatThrownBy(() -> store.truncate(ID)).hasMessageContaining(second().toString());
        }
        Files.delete(second());
        Files.move(away, second());

        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "a")).isTrue();
            assertThat(hasRow(store, "b")).isTrue();
            assertThat(hasRow(store, "c")).isTrue();
        }
    }

    @Test
    void what_a_missing_volume_holds_stays_obsolete_and_deleted() throws IOException {
        fillBoth();
        List<Descriptor> obsolete = new ArrayList<>();
        for (Path file : files(second(), "-Data.db")) {
            obsolete.add(Descriptor.parse(file.getFileName().toString())
                    .orElseThrow()
                    .descriptor());
        }
        ObsoleteSSTables.mark(folder(first()), obsolete);
        Path away = temporary.resolve("away");
        Files.move(second(), away);
        Files.createFile(second());
        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "a")).isTrue();
            write(store, delete("a", 2));
            store.compact(ID, new MajorCompaction());

            assertThat(hasRow(store, "a")).isFalse();
            assertThat(files(first(), "-Data.db")).as("the deletion stays").hasSize(1);
        }
        Files.delete(second());
        Files.move(away, second());

        try (LocalStore store = opened()) {
            assertThat(hasRow(store, "b")).isFalse();
            assertThat(hasRow(store, "a")).isFalse();
        }
    }

    @Test
    void without_its_first_directory_a_node_takes_nothing() throws IOException {
        try (LocalStore store = opened()) {
            fail(store, first());

            assertThatThrownBy(() -> store.write(ID, List.of(Tables.insert("a", 1, "x"))))
                    .hasMessageContaining(first() + ": volume failed")
                    .hasMessageContaining("fsync: EIO");
            assertThatThrownBy(() -> store.streamed().expectArrivals(PLAN, Tables.PLAIN, TokenRanges.FULL))
                    .hasMessageContaining("fsync: EIO");
        }
        LocalStore store = LocalStore.open(List.of(first(), second()), StoreOptions.DEFAULTS);
        fail(store, first()); // as the engine finds out when it starts

        assertThatThrownBy(store::load).hasMessageContaining("fsync: EIO");
        store.close();
    }

    @Test
    void a_volume_that_takes_no_write_is_left_alone() throws IOException {
        try (LocalStore store = opened()) {
            DataDirectories directories = store.directories();
            directories.suspect(second());
            assertThat(directories.isUsable(second()))
                    .as("it can be written to")
                    .isTrue();
            Files.move(second(), temporary.resolve("away"));
            directories.suspect(second());

            assertThat(directories.isUsable(second())).isFalse();
            assertThat(directories.roomiest()).isEqualTo(first());
            write(store, Tables.insert("a", 1, "x"));
            try (TableView view = store.view(ID)) {
                assertThat(view.sstables()).extracting(SSTable::directory).containsExactly(folder(first()));
                assertThat(view.sstables().get(0).path(Component.DATA)).exists();
            }
        }
    }
}
