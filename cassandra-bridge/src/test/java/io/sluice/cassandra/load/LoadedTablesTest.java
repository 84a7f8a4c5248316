package io.sluice.cassandra.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.TableDirectory;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadedTablesTest {
    private static final String ID = "-e583fa20e60611f1b9d67b44f81355a5";

    @TempDir
    Path data;

    @BeforeEach
    void data_of_a_node() throws IOException {
        for (String table : new String[] {"shop/users", "system/local", "system_schema/tables", "system_auth/roles"}) {
            Files.createDirectories(data.resolve(table + ID));
        }
    }

    @Test
    void of_all_data_the_tables_of_cassandra_itself_are_left_out() throws IOException {
        LoadedTables loaded = LoadedTables.in(data);

        assertThat(loaded.tables()).extracting(TableDirectory::name).containsExactly("users");
        assertThat(loaded.leftOut()).containsExactlyInAnyOrder("system", "system_schema", "system_auth");
    }

    @Test
    void roles_are_loaded_if_their_folder_is_given() throws IOException {
        assertThat(LoadedTables.in(data.resolve("system_auth")).tables())
                .extracting(TableDirectory::name)
                .containsExactly("roles");
        assertThat(LoadedTables.in(data.resolve("system_auth/roles" + ID)).leftOut())
                .isEmpty();
    }

    @Test
    void what_each_node_has_for_itself_is_refused() {
        for (String folder : new String[] {"system", "system_schema/tables" + ID}) {
            assertThatThrownBy(() -> LoadedTables.in(data.resolve(folder)))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("each node has keyspace system");
        }
    }

    @Test
    void a_folder_without_a_table_of_users_is_refused() throws IOException {
        Files.delete(data.resolve("shop/users" + ID));

        assertThatThrownBy(() -> LoadedTables.in(data))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("no table");
    }
}
