package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.guard.GuardedStore;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A staging directory is used by Sluice only: recovery removes what is in it. */
class FoldersApartTest {
    private static final TableRef TABLE = new TableRef(new UUID(1, 1), "ks", "t");

    @TempDir
    Path temp;

    /** A database with one table. */
    private record Database(Path live, List<Volume> volumes) implements TableStore {
        @Override
        public List<TableRef> knownTables() {
            return List.of(TABLE);
        }

        @Override
        public Optional<TableRef> table(UUID tableId) {
            return Optional.of(TABLE).filter(table -> table.id().equals(tableId));
        }

        @Override
        public PinnedTable pin(UUID planId, TableRef table, TokenRanges ranges) throws IOException {
            throw new IOException("nothing is sent from here");
        }

        @Override
        public Path liveDirectory(TableRef table) {
            return live;
        }

        @Override
        public Path stagingDirectory() {
            return volumes.get(0).stagingDirectory();
        }

        @Override
        public String newId(TableRef table) {
            return "1";
        }

        @Override
        public void activate(UUID installId, TableRef table, List<Path> dataFiles) {}
    }

    private static void open(Path live, Path... staging) throws IOException {
        List<TableStore.Volume> volumes =
                List.of(staging).stream().map(TableStore.Volume::new).toList();
        StagingArea.Options options = new StagingArea.Options(
                ReceivedSSTableCheck.opening(), StagingLimits.DEFAULTS, Optional.empty(), UUID::randomUUID);
        StagingArea.open(new GuardedStore(new Database(live, volumes)), new FileSystemDisk(), options)
                .close();
    }

    private Path sstable(Path folder) throws IOException {
        return Files.writeString(Files.createDirectories(folder).resolve("nb-1-big-Data.db"), "rows");
    }

    @Test
    void a_live_folder_in_staging_ends_the_start_before_anything_is_removed() throws IOException {
        Path live = temp.resolve("data/ks/t");
        Path file = sstable(live);

        assertThatThrownBy(() -> open(live, temp.resolve("data")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(live.toString())
                .hasMessageContaining("staging directory " + temp.resolve("data"));

        assertThat(file).hasContent("rows");
    }

    @Test
    void a_live_folder_that_is_the_staging_directory_or_linked_into_it_ends_the_start() throws IOException {
        Path live = temp.resolve("data/ks/t");
        Path file = sstable(live);
        Path link = Files.createSymbolicLink(temp.resolve("link"), live);

        assertThatThrownBy(() -> open(live, live)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> open(link, temp.resolve("data"))).isInstanceOf(IOException.class);

        assertThat(file).hasContent("rows");
    }

    @Test
    void a_staging_directory_in_another_ends_the_start_before_anything_is_removed() throws IOException {
        Path live = Files.createDirectories(temp.resolve("live"));
        Path file = sstable(temp.resolve("staging/in/plan/set"));

        assertThatThrownBy(() -> open(live, temp.resolve("staging"), temp.resolve("staging/in")))
                .hasMessageContaining(temp.resolve("staging/in") + " is inside");
        assertThatThrownBy(() -> open(live, temp.resolve("staging/in"), temp.resolve("staging")))
                .hasMessageContaining(temp.resolve("staging/in") + " is inside");

        assertThat(file).hasContent("rows");
    }

    @Test
    void folders_beside_each_other_may_begin_with_the_same_name() throws IOException {
        Path live = Files.createDirectories(temp.resolve("staging-live"));

        open(live, temp.resolve("staging"), temp.resolve("staging-2"));
    }
}
