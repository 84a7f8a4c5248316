package io.sluice.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableDirectoryTest {
    private static final String USERS = "users-0123456789abcdef0123456789abcdef";

    @TempDir
    Path data;

    @ParameterizedTest
    @ValueSource(strings = {".", "ks", "ks/" + USERS})
    void finds_tables_from_the_data_keyspace_or_table_folder(String start) throws IOException {
        Files.createDirectories(data.resolve("ks").resolve(USERS).resolve("snapshots/now"));
        Files.createDirectories(data.resolve("ks/users-not_an_id"));

        List<TableDirectory> tables = TableDirectory.find(data.resolve(start));

        assertThat(tables).hasSize(1);
        assertThat(tables.get(0).keyspace()).isEqualTo("ks");
        assertThat(tables.get(0).name()).isEqualTo("users");
        assertThat(tables.get(0).id()).isEqualTo(UUID.fromString("01234567-89ab-cdef-0123-456789abcdef"));
    }

    @Test
    void lists_sstables_by_id_and_nothing_else() throws IOException {
        TableDirectory table = table(
                "nb-10-big-Data.db",
                "nb-10-big-Index.db",
                "nb-10-big-Statistics.db",
                "nb-9-big-Data.db",
                "nb-9-big-Index.db",
                "nb-9-big-Statistics.db",
                "nb-9-big-SAI+aa.db",
                "nb-11-big-Data.db.tmp",
                "readme.txt",
                "nb_txn_flush_1.log");
        Files.createDirectories(table.path().resolve("backups"));

        assertThat(table.descriptors()).extracting(Descriptor::toString).containsExactly("nb-9-big", "nb-10-big");
    }

    @Test
    void a_folder_with_the_name_of_a_required_component_is_none() throws IOException {
        TableDirectory table = table("nb-1-big-Data.db", "nb-1-big-Statistics.db");
        Files.createDirectory(table.path().resolve("nb-1-big-Index.db"));
        Files.createDirectory(table.path().resolve("ms-1-big-Data.db"));

        assertThatThrownBy(table::descriptors)
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("nb-1-big: no Index.db");
        assertThat(table.contents().leftOut()).hasSize(1);
    }

    @Test
    void names_the_component_that_is_missing() throws IOException {
        TableDirectory table = table("nb-1-big-Data.db", "nb-1-big-Statistics.db");

        assertThatThrownBy(table::descriptors)
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("nb-1-big: no Index.db");
    }

    @Test
    void refuses_a_version_that_it_cannot_read_rather_than_leaving_data_out() throws IOException {
        TableDirectory table = table("ms-1-big-Data.db");

        assertThatThrownBy(table::descriptors)
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("ms-1-big-Data.db");
    }

    @ParameterizedTest
    @CsvSource({
        "nb-x-big-Data.db, id 'x' (expected: a number to 2147483647 or 28 letters and digits as 3g8r_0abc_...)",
        "nb-2147483648-big-Data.db, id '2147483648' (expected: a number to 2147483647 or",
        "nb-1-bti-Data.db, format 'bti' (expected: 'big' with version nb)",
        "da-1-big-Data.db, format 'big' (expected: 'bti' with version da)",
        "ms-1-big-Data.db, 'version ms (expected: mc, md,'"
    })
    void names_the_part_of_a_name_that_it_cannot_read(String file, String named) throws IOException {
        TableDirectory table = table(file);

        assertThatThrownBy(table::descriptors)
                .isInstanceOf(SSTableException.class)
                .hasMessageStartingWith(table.path().resolve(file) + ": " + named);
    }

    @Test
    void does_not_open_a_compressed_sstable_without_its_compression_info() throws IOException {
        Fixture fixture = Fixture.of("netflix_lz4", "nb").findFirst().orElseThrow();
        SSTable copy = fixture.copyTo(data);
        Files.delete(copy.path(Component.COMPRESSION_INFO));

        assertThatThrownBy(() -> SSTable.open(data, fixture.descriptor()))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining("no CompressionInfo.db");
    }

    private TableDirectory table(String... files) throws IOException {
        Path folder = Files.createDirectories(data.resolve("ks").resolve(USERS));
        for (String file : files) {
            Files.createFile(folder.resolve(file));
        }
        return TableDirectory.of(folder).orElseThrow();
    }

    @Test
    void names_become_the_folder_in_which_the_table_is_found_again() throws IOException {
        UUID id = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");
        Path folder = TableDirectory.in(data, "ks", "users", id);
        Files.createDirectories(folder);

        assertThat(folder).isEqualTo(data.resolve("ks").resolve(USERS));
        assertThat(TableDirectory.find(data)).containsExactly(new TableDirectory(folder, "ks", "users", id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "..", "a/b", "/x", "C:", "a.b", "a-b", "\0", "a\nb", "caf\u00e9", "\u0430", "a\u202eb"})
    void what_is_no_name_never_becomes_a_path(String name) {
        UUID id = UUID.randomUUID();

        assertThatThrownBy(() -> TableDirectory.in(data, name, "users", id))
                .hasMessageContaining("keyspace '")
                .hasMessageNotContainingAny("\n", "\0", "\u202e");
        assertThatThrownBy(() -> TableDirectory.in(data, "ks", name, id)).hasMessageContaining("table '");
        assertThatThrownBy(() -> TableDirectory.in(data, "x".repeat(223), "users", id))
                .hasMessageContaining("222");
    }
}
