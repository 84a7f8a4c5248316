package io.sluice.harness.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.harness.scenario.WorkDirectory;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.PageCache;
import io.sluice.streaming.store.PinnedTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node writes is its user's alone, whatever the umask is. */
class PrivateFilesTest {
    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void others_may_read_what_is_made_without_care() throws IOException {
        Path made = Files.createDirectory(folder.resolve("careless"));
        assumeTrue(mode(made).endsWith("r-x"), "the umask keeps others out by itself: nothing would be tested");
        Files.delete(made);
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void assertPrivate(Path root) throws IOException {
        try (Stream<Path> tree = Files.walk(root)) {
            assertThat(tree)
                    .hasSizeGreaterThan(5)
                    .allSatisfy(path -> assertThat(mode(path))
                            .as("%s", path)
                            .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------"));
        }
    }

    @Test
    void a_store_with_log_schema_sstables_and_snapshots() throws IOException {
        Path data = folder.resolve("node1").resolve("data");
        try (LocalStore store = LocalStore.open(data, new StoreOptions(SyncPolicy.BATCH, 1 << 20, new SizeTiered()))) {
            store.load();
            store.createTable(Tables.PLAIN, Tables.PLAIN_CQL);
            for (int i = 0; i < 5; i++) {
                store.write(Tables.PLAIN.id(), List.of(Tables.insert("k" + i, i, "v")));
                store.flush();
            }
            store.compact(Tables.PLAIN.id(), new SizeTiered());
            store.write(Tables.PLAIN.id(), List.of(Tables.insert("k", 9, "v")));
            try (PinnedTable pinned = store.streamed().pin(UUID.randomUUID(), Tables.PLAIN, TokenRanges.FULL)) {
                assertThat(pinned.sstables()).isNotEmpty();
                assertPrivate(folder.resolve("node1"));
            }
        }
    }

    @Test
    void the_folder_of_a_run_also_one_that_was_made_for_it() throws Exception {
        Path work = Files.createDirectory(folder.resolve("work"));

        WorkDirectory.open(work).close();

        assertThat(mode(work)).isEqualTo("rwx------");
    }

    @Test
    void what_is_staged() throws IOException {
        FileSystemDisk disk = new FileSystemDisk(PageCache.KEEP);
        Path staging = folder.resolve("a").resolve("b").resolve("staging");
        disk.createDirectories(staging);
        disk.create(staging.resolve("nb-1-big-Data.db")).close();
        disk.writeDurably(staging.resolve("commit"), new byte[] {1});
        disk.lock(staging.resolve("lock")).close();

        assertPrivate(folder.resolve("a"));
    }

    @Test
    void whoever_may_read_a_folder_may_read_the_components_that_are_written_into_it() throws IOException {
        Path open = Files.createDirectory(folder.resolve("for-all"));
        Path file = open.resolve("nb-1-big-TOC.txt");

        ComponentOutput.create(file).close();

        assertThat(mode(file)).isEqualTo("rw-r--r--");
    }
}
