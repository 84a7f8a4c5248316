package io.sluice.cassandra.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.SSTableTransfer;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.TableGenerator;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadPlannerTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");
    private static final LiveTable TABLE = new LiveTable("fx", "many", new UUID(1, 1), "", List.of());
    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(0, Long.MAX_VALUE));

    @Test
    void a_node_that_owns_everything_gets_the_sstable_whole() throws IOException {
        List<Delivery> deliveries =
                LoadPlanner.plan(TABLE, List.of(sstable("nb")), List.of(receiver("5.0.9", TokenRanges.FULL, 12)));

        assertThat(deliveries).singleElement().satisfies(delivery -> {
            assertThat(delivery.whole()).isEqualTo(1);
            assertThat(delivery.lengthBytes()).isPositive();
        });
    }

    @Test
    void a_manifest_has_no_table_of_contents_and_the_data_last() throws IOException {
        Delivery delivery = LoadPlanner.plan(
                        TABLE, List.of(sstable("nb")), List.of(receiver("4.1.10", TokenRanges.FULL, 12)))
                .get(0);

        SSTableTransfer.Whole whole =
                (SSTableTransfer.Whole) delivery.transfers().get(0);
        assertThat(whole.components())
                .extracting(SSTableTransfer.ComponentLength::name)
                .doesNotContain("TOC.txt")
                .endsWith("Data.db");
    }

    private static long plainBytes(SSTable sstable, TokenRanges ranges) throws IOException {
        return sstable.sections(ranges).stream().mapToLong(Section::lengthBytes).sum();
    }

    private static long storedBytes(SSTable sstable, TokenRanges ranges) throws IOException {
        return SSTableTransfer.storedLengthBytes(sstable, plainBytes(sstable, ranges));
    }

    @Test
    void a_node_that_owns_a_small_part_gets_exactly_its_sections() throws IOException {
        SSTable sstable = sstable("nb");

        List<Delivery> deliveries = LoadPlanner.plan(TABLE, List.of(sstable), List.of(receiver("5.0.9", HALF, 12)));

        assertThat(deliveries)
                .singleElement()
                .extracting(Delivery::transfers)
                .isEqualTo(List.of(new SSTableTransfer.Part(sstable, HALF, storedBytes(sstable, HALF))));
    }

    @Test
    void parts_of_nodes_that_share_the_ring_add_up_to_the_whole() throws IOException {
        SSTable sstable = sstable("nb");
        TokenRanges rest = TokenRanges.FULL.minus(HALF);

        List<Delivery> deliveries = LoadPlanner.plan(
                TABLE, List.of(sstable), List.of(receiver("5.0.9", HALF, 12), receiver("5.0.9", rest, 12)));

        assertThat(deliveries).hasSize(2);
        assertThat(deliveries)
                .extracting(
                        delivery -> ((SSTableTransfer.Part) delivery.transfers().get(0)).ranges())
                .containsExactly(HALF, rest);
        assertThat(plainBytes(sstable, HALF) + plainBytes(sstable, rest)).isEqualTo(sstable.dataLengthBytes());
    }

    @Test
    void a_node_that_owns_a_large_part_gets_one_slice_for_all_its_ranges(@TempDir Path folder)
            throws IOException, SchemaException {
        TableSchema schema = TableSchema.parse("CREATE TABLE fx.many (k text PRIMARY KEY, v blob);");
        var order = new TableGenerator.Order(8 << 20, OptionalInt.empty(), OptionalInt.of(1), false, 1);
        Descriptor made = new TableGenerator(schema, Version.NB, WriterOptions.DEFAULTS, bytes -> {})
                .write(folder, order)
                .get(0);
        SSTable sstable = SSTable.open(folder, made);
        TokenRanges owned = TokenRanges.of(TokenRange.of(0, 1L << 62), TokenRange.of(-1L << 62, -1L << 60));

        List<Delivery> deliveries = LoadPlanner.plan(TABLE, List.of(sstable), List.of(receiver("5.0.9", owned, 12)));

        assertThat(deliveries).singleElement().satisfies(delivery -> {
            assertThat(delivery.transfers())
                    .singleElement()
                    .extracting(transfer -> ((SSTableTransfer.Slice) transfer).ranges())
                    .isEqualTo(owned);
            assertThat(delivery.lengthBytes()).isBetween(sstable.dataLengthBytes() / 4, sstable.dataLengthBytes());
        });
    }

    @Test
    void a_node_that_owns_nothing_of_it_gets_nothing() throws IOException {
        assertThat(LoadPlanner.plan(TABLE, List.of(sstable("nb")), List.of(receiver("5.0.9", TokenRanges.NONE, 12))))
                .isEmpty();
    }

    @Test
    void oa_goes_only_where_it_would_be_read_after_a_restart() throws IOException {
        SSTable sstable = sstable("oa");

        assertThat(LoadPlanner.plan(TABLE, List.of(sstable), List.of(receiver("5.0.9", TokenRanges.FULL, 13))))
                .hasSize(1);
        assertThatThrownBy(() ->
                        LoadPlanner.plan(TABLE, List.of(sstable), List.of(receiver("5.0.9", TokenRanges.FULL, 12))))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("could not restart")
                .hasMessageContaining("storage_compatibility_mode: NONE");
    }

    @Test
    void older_nodes_take_nb_only() throws IOException {
        SSTable sstable = sstable("da");

        assertThatThrownBy(() ->
                        LoadPlanner.plan(TABLE, List.of(sstable), List.of(receiver("4.1.10", TokenRanges.FULL, 12))))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("cannot read da (expected: nb");
    }

    @Test
    void attached_indexes_are_refused_by_name() throws IOException {
        var indexed = new LiveTable("fx", "many", new UUID(1, 1), "", List.of("by_v"));
        List<SSTable> sstables = List.of(sstable("nb"));

        assertThatThrownBy(() -> LoadPlanner.plan(indexed, sstables, List.of()))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("storage-attached indexes [by_v]");
    }

    private static CassandraNode node(int number) throws IOException {
        InetAddress address = InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
        return new CassandraNode(new UUID(2, number), new InetSocketAddress(address, 7000), "dc1", "5.0.9");
    }

    private static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(host, port);
    }

    @Test
    void what_an_ignored_node_owns_is_named_with_its_length() throws IOException {
        SSTable sstable = sstable("nb");
        Map<CassandraNode, TokenRanges> owned = Map.of(node(1), TokenRanges.FULL, node(2), HALF);

        Set<CassandraNode> ignored = IgnoredNodes.among(owned.keySet(), List.of(address("10.0.0.2", 0)));
        List<LeftOut> leftOut = IgnoredNodes.of(TABLE, List.of(sstable), owned, ignored);

        assertThat(ignored).containsExactly(node(2));
        assertThat(leftOut).singleElement().satisfies(left -> {
            assertThat(left.node()).isEqualTo(node(2));
            assertThat(left.table()).isEqualTo(TABLE);
            long stored = sstable.lengthBytes(Component.DATA);
            assertThat(left.lengthBytes()).isBetween(stored / 4, stored);
        });
    }

    @Test
    void an_ignored_node_that_owns_nothing_of_it_lacks_nothing() throws IOException {
        Map<CassandraNode, TokenRanges> owned = Map.of(node(1), TokenRanges.FULL, node(2), TokenRanges.NONE);

        assertThat(IgnoredNodes.of(TABLE, List.of(sstable("nb")), owned, Set.of(node(2))))
                .isEmpty();
    }

    @Test
    void what_only_ignored_nodes_own_is_refused() throws IOException {
        List<SSTable> sstables = List.of(sstable("nb"));
        Map<CassandraNode, TokenRanges> owned = Map.of(node(1), HALF, node(2), TokenRanges.FULL.minus(HALF));

        assertThatThrownBy(() -> IgnoredNodes.of(TABLE, sstables, owned, Set.of(node(2))))
                .isInstanceOf(StreamException.class)
                .hasMessage("fx.many: [10.0.0.2:7000] are all the replicas of some of it, which would be nowhere then"
                        + " (expected: a replica of each range that is not ignored)");
    }

    @Test
    void one_partition_that_only_an_ignored_node_owns_is_refused_too() throws IOException {
        SSTable sstable = sstable("nb");
        long token = sstable.firstToken().value();
        TokenRanges one = TokenRanges.of(TokenRange.of(token - 1, token));
        Map<CassandraNode, TokenRanges> owned = Map.of(node(1), TokenRanges.FULL.minus(one), node(2), one);

        assertThatThrownBy(() -> IgnoredNodes.of(TABLE, List.of(sstable), owned, Set.of(node(2))))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("are all the replicas of some of it");
    }

    @Test
    void a_node_to_ignore_that_is_not_of_the_cluster_is_refused_with_those_that_are() throws IOException {
        Set<CassandraNode> cluster = Set.of(node(1), node(2));

        assertThatCode(() -> IgnoredNodes.requireKnown(cluster, List.of(address("10.0.0.2", 7000))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> IgnoredNodes.requireKnown(cluster, List.of(address("10.0.0.2", 7001))))
                .isInstanceOf(StreamException.class)
                .hasMessage("no node at 10.0.0.2 to ignore (expected: one of [10.0.0.1:7000, 10.0.0.2:7000])");
    }

    /** As one in a data centre in which the keyspace has no replica. */
    @Test
    void a_node_to_ignore_need_not_own_something_of_each_keyspace() throws IOException {
        List<InetSocketAddress> ignored = List.of(address("10.0.0.2", 7000));

        assertThat(IgnoredNodes.among(Set.of(node(1), node(2)), ignored)).containsExactly(node(2));
        assertThat(IgnoredNodes.among(Set.of(node(1)), ignored)).isEmpty();
    }

    private static Receiver receiver(String release, TokenRanges owned, int wireVersion) {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000);
        return new Receiver(new CassandraNode(new UUID(2, 2), address, "dc1", release), owned, wireVersion);
    }

    private static SSTable sstable(String label) throws IOException {
        TableDirectory table =
                TableDirectory.find(FIXTURES.resolve("many").resolve(label)).get(0);
        return SSTable.open(table.path(), table.descriptors().get(0));
    }
}
