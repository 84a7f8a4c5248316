package io.sluice.cassandra.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.ClusterView;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MatchedTablesTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "many", "nb");
    private static final String ID = "-e583fa20e60611f1b9d67b44f81355a5";
    private static final CassandraNode NODE = new CassandraNode(
            new UUID(2, 2), new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000), "dc1", "5.0.9");

    @TempDir
    Path data;

    @Test
    void a_view_is_left_out_and_its_base_table_is_delivered() throws IOException {
        sstableIn(data.resolve("shop/users" + ID));
        sstableIn(data.resolve("shop/users_by_mail" + ID));

        MatchedTables matched = match(data.resolve("shop"), Map.of(NODE, TokenRanges.FULL));

        assertThat(matched.viewsLeftOut()).containsExactly(new ViewLeftOut("shop.users_by_mail", "shop.users", true));
        assertThat(matched.tables()).singleElement().satisfies(match -> {
            var receiver = new Receiver(NODE, TokenRanges.FULL, 12);
            assertThat(LoadPlanner.plan(match.table(), match.sstables(), List.of(receiver)))
                    .extracting(delivery -> delivery.table().name())
                    .containsExactly("users");
        });
    }

    /** An ordinary table of that name, perhaps: then nobody writes its rows. */
    @Test
    void a_view_whose_base_table_is_not_loaded_is_known() throws IOException {
        sstableIn(data.resolve("shop/orders" + ID));
        sstableIn(data.resolve("shop/users_by_mail" + ID));
        var orders = new LiveTable("shop", "orders", new UUID(1, 1), "", List.of());

        MatchedTables matched = MatchedTables.of(
                LoadedTables.in(data).tables(), Optional.empty(), keyspace -> view(keyspace, List.of(orders)));

        assertThat(matched.viewsLeftOut()).containsExactly(new ViewLeftOut("shop.users_by_mail", "shop.users", false));
    }

    @Test
    void tables_of_several_keyspaces_are_not_put_into_one() throws IOException {
        sstableIn(data.resolve("shop/users" + ID));
        sstableIn(data.resolve("old/users" + ID));
        Files.createDirectories(data.resolve("empty/users" + ID));
        var users = new LiveTable("new", "users", new UUID(1, 1), "", List.of());

        assertThatThrownBy(() -> MatchedTables.of(
                        LoadedTables.in(data).tables(), Optional.of("new"), keyspace -> view(keyspace, List.of(users))))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("SSTables of several keyspaces [old, shop] would be put into new");
        assertThat(MatchedTables.of(
                                LoadedTables.in(data.resolve("old")).tables(),
                                Optional.of("new"),
                                keyspace -> view(keyspace, List.of(users)))
                        .tables())
                .hasSize(1);
    }

    private static ClusterView view(String keyspace, List<LiveTable> tables) {
        return new ClusterView(
                "c", keyspace, "v", Map.of(NODE, TokenRanges.FULL), tables, Map.of("users_by_mail", "users"));
    }

    @Test
    void nothing_but_views_is_refused() throws IOException {
        sstableIn(data.resolve("shop/users_by_mail" + ID));

        assertThatThrownBy(() -> match(data, Map.of(NODE, TokenRanges.FULL)))
                .isInstanceOf(StreamException.class)
                .hasMessage("[shop.users_by_mail]: materialized views (expected: their base tables, from which the"
                        + " nodes write them)");
    }

    @Test
    void a_table_that_the_cluster_does_not_have_is_refused() throws IOException {
        sstableIn(data.resolve("shop/orders" + ID));

        assertThatThrownBy(() -> match(data, Map.of(NODE, TokenRanges.FULL)))
                .hasMessageContaining("the cluster has no table shop.orders");
    }

    /** As that of a dropped table. */
    @Test
    void a_folder_that_has_only_snapshots_is_refused_and_they_are_named() throws IOException {
        Path table = data.resolve("shop/users" + ID);
        sstableIn(table.resolve("snapshots/dropped-1"));

        assertThatThrownBy(() -> match(table, Map.of(NODE, TokenRanges.FULL)))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_TABLE))
                .hasMessage("[" + table + "]: no SSTable, but snapshots in [" + table.resolve("snapshots")
                        + "] (load one by its folder, TAG in it)");
    }

    @Test
    void a_snapshot_is_loaded_by_its_folder() throws IOException {
        Path tag = data.resolve("shop/users" + ID + "/snapshots/dropped-1");
        sstableIn(tag);

        assertThat(match(tag, Map.of(NODE, TokenRanges.FULL)).tables())
                .singleElement()
                .satisfies(match -> {
                    assertThat(match.table()).hasToString("shop.users");
                    assertThat(match.sstables()).hasSize(1);
                });
    }

    @Test
    void an_empty_folder_is_refused() throws IOException {
        Path table = Files.createDirectories(data.resolve("shop/users" + ID));

        assertThatThrownBy(() -> match(table, Map.of(NODE, TokenRanges.FULL)))
                .hasMessage("[" + table + "]: no SSTable");
    }

    @Test
    void a_keyspace_of_which_no_node_owns_anything_is_refused() throws IOException {
        sstableIn(data.resolve("shop/users" + ID));

        assertThatThrownBy(() -> match(data, Map.of()))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("shop.users: no node owns any of it");
    }

    private static MatchedTables match(Path folder, Map<CassandraNode, TokenRanges> owned) throws IOException {
        var users = new LiveTable("shop", "users", new UUID(1, 1), "", List.of());
        return MatchedTables.of(
                LoadedTables.in(folder).tables(),
                Optional.empty(),
                keyspace ->
                        new ClusterView("c", keyspace, "v", owned, List.of(users), Map.of("users_by_mail", "users")));
    }

    private static void sstableIn(Path folder) throws IOException {
        Files.createDirectories(folder);
        try (Stream<Path> files = Files.list(TableDirectory.find(FIXTURE).get(0).path())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, folder.resolve(file.getFileName()));
            }
        }
    }
}
