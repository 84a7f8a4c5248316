package io.sluice.cassandra.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveColumns;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.generate.TableGenerator;
import io.sluice.sstable.metadata.Statistics;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which SSTables are refused since the columns of the live table are others. */
class ColumnCheckTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");

    @TempDir
    Path folder;

    static Stream<Path> fixtures() throws IOException {
        try (Stream<Path> files = Files.list(FIXTURES)) {
            return files.filter(Files::isDirectory).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void what_cassandra_wrote_fits_the_table_that_it_wrote(Path fixture) throws IOException, SchemaException {
        String cql = Files.readString(fixture.resolve("schema.cql")).replace("COMPACT STORAGE AND", "");
        LiveTable table = live(cql, Set.of());

        for (TableDirectory directory : TableDirectory.find(fixture)) {
            for (Descriptor descriptor : directory.descriptors()) {
                assertThat(plan(table, SSTable.open(directory.path(), descriptor)))
                        .hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            id int, v text, PRIMARY KEY (id) | id int, v int, PRIMARY KEY (id) | column v is text, in d.t int
            id int, v counter, PRIMARY KEY (id) | id int, v bigint, PRIMARY KEY (id) | column v is counter, in d.t bigint
            id int, v counter, PRIMARY KEY (id) | id int, v blob, PRIMARY KEY (id) | column v is counter, in d.t blob
            id int, v vector<float, 8>, PRIMARY KEY (id) | id int, v vector<float, 4>, PRIMARY KEY (id) | column v is vector<float, 8>, in d.t vector<float, 4>
            id int, v text, PRIMARY KEY (id) | id text, v text, PRIMARY KEY (id) | partition key column id is int, in d.t text
            id int, v text, PRIMARY KEY (id) | id varint, v text, PRIMARY KEY (id) | partition key column id is int, in d.t varint
            id frozen<list<int>>, v text, PRIMARY KEY (id) | id frozen<list<varint>>, v text, PRIMARY KEY (id) | partition key column id is frozen<list<int>>, in d.t frozen<list<varint>>
            id frozen<set<tuple<int>>>, v text, PRIMARY KEY (id) | id frozen<set<tuple<int, int>>>, v text, PRIMARY KEY (id) | partition key column id is frozen<set<tuple[int]>>, in d.t frozen<set<tuple[int, int]>>
            id int, a tuple<bigint>, v text, PRIMARY KEY ((id, a)) | id int, a tuple<varint>, v text, PRIMARY KEY ((id, a)) | partition key column a is tuple[bigint], in d.t tuple[varint]
            id int, a int, v text, PRIMARY KEY ((id, a)) | id int, a int, v text, PRIMARY KEY (id, a) | partition key columns: [int, int], those of d.t: [int]
            id int, c text, v text, PRIMARY KEY (id, c)) WITH CLUSTERING ORDER BY (c DESC | id int, c text, v text, PRIMARY KEY (id, c) | clustering column c is text DESC, in d.t text
            id int, c text, v text, PRIMARY KEY (id, c) | id int, c text, v text, PRIMARY KEY (id, c)) WITH CLUSTERING ORDER BY (c DESC | clustering column c is text, in d.t text DESC
            id int, c int, v text, PRIMARY KEY (id, c) | id int, c blob, v text, PRIMARY KEY (id, c) | clustering column c is int, in d.t blob
            id int, c text, v text, PRIMARY KEY (id, c) | id int, c text, v text, PRIMARY KEY (id) | clustering columns: [text], those of d.t: []
            id int, v list<int>, PRIMARY KEY (id) | id int, v frozen<list<int>>, PRIMARY KEY (id) | column v is list<int>, in d.t frozen<list<int>>
            id int, v map<text, int>, PRIMARY KEY (id) | id int, v map<text, text>, PRIMARY KEY (id) | column v is map<text, int>, in d.t map<text, text>
            id int, v set<int>, PRIMARY KEY (id) | id int, v set<blob>, PRIMARY KEY (id) | column v is set<int>, in d.t set<blob>
            id int, v tuple<int, int>, PRIMARY KEY (id) | id int, v tuple<int>, PRIMARY KEY (id) | column v is tuple[int, int], in d.t tuple[int]
            id int, c int, v int STATIC, PRIMARY KEY (id, c) | id int, c int, v int, PRIMARY KEY (id, c) | column v is static, in d.t it is not
            id int, v int, PRIMARY KEY (id) | id int, w int, PRIMARY KEY (id) | has column v (int), which d.t has not (expected: add it, or add and drop it, as at the source)
            """)
    void an_sstable_that_a_node_would_misread_is_refused(String source, String target, String reason)
            throws IOException, SchemaException {
        SSTable sstable = sstable(source);

        assertThatThrownBy(() -> plan(live(cql(target), Set.of()), sstable))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA))
                .hasMessageContaining(sstable + ": " + reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            id int, v int, PRIMARY KEY (id) | id int, v int, more text, PRIMARY KEY (id)
            id int, v int, old text, PRIMARY KEY (id) | id int, v int, PRIMARY KEY (id)
            id int, v ascii, PRIMARY KEY (id) | id int, v text, PRIMARY KEY (id)
            id int, v double, PRIMARY KEY (id) | id int, v blob, PRIMARY KEY (id)
            id int, v bigint, PRIMARY KEY (id) | id int, v varint, PRIMARY KEY (id)
            id timeuuid, v int, PRIMARY KEY (id) | id uuid, v int, PRIMARY KEY (id)
            id int, v int, PRIMARY KEY (id) | id blob, v int, PRIMARY KEY (id)
            id frozen<list<ascii>>, v int, PRIMARY KEY (id) | id frozen<list<text>>, v int, PRIMARY KEY (id)
            id int, c ascii, PRIMARY KEY (id, c) | id int, c blob, PRIMARY KEY (id, c)
            id int, c bigint, PRIMARY KEY (id, c) | id int, c timestamp, PRIMARY KEY (id, c)
            id int, v tuple<int>, PRIMARY KEY (id) | id int, v tuple<int, text>, PRIMARY KEY (id)
            id int, v list<int>, PRIMARY KEY (id) | id int, v list<varint>, PRIMARY KEY (id)
            """)
    void what_nodes_read_all_the_same_is_planned(String source, String target) throws IOException, SchemaException {
        LiveTable table = live(cql(target), Set.of("old"));

        assertThat(plan(table, sstable(source))).hasSize(1);
    }

    @Test
    void a_user_type_may_have_more_fields_and_another_keyspace() throws IOException, SchemaException {
        String table = "CREATE TABLE d.t (id int PRIMARY KEY, v frozen<u>, w u);";
        SSTable sstable = written("CREATE TYPE d.u (a int);" + table);

        assertThat(plan(live("CREATE TYPE other.u (a int, b text);" + table, Set.of()), sstable))
                .hasSize(1);
        assertThatThrownBy(() -> plan(live("CREATE TYPE d.u (a text);" + table, Set.of()), sstable))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("column v is frozen<u[int]>, in d.t frozen<u[text]>");
    }

    /** The token is of the key's bytes: with another field a node looks for them elsewhere. */
    @Test
    void a_user_type_in_a_partition_key_may_not_have_more_fields() throws IOException, SchemaException {
        String table = "CREATE TABLE d.t (id frozen<u> PRIMARY KEY, v int);";
        SSTable sstable = written("CREATE TYPE d.u (a int);" + table);

        assertThat(plan(live("CREATE TYPE d.u (b int);" + table, Set.of()), sstable))
                .hasSize(1);
        assertThatThrownBy(() -> plan(live("CREATE TYPE d.u (a int, b text);" + table, Set.of()), sstable))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("partition key column id is frozen<u[int]>, in d.t frozen<u[int, text]>");
    }

    @Test
    void an_sstable_of_a_type_that_is_unknown_here_is_left_to_the_nodes() throws IOException, SchemaException {
        SSTable sstable = withHeader("AsciiType", "OtherType");

        assertThat(plan(live(cql("id int, v int, PRIMARY KEY (id)"), Set.of()), sstable))
                .hasSize(1);
    }

    @Test
    void a_malformed_header_is_refused_with_its_file() throws IOException, SchemaException {
        SSTable sstable = withHeader("AsciiType", "(sciiType");

        assertThatThrownBy(() -> plan(live(cql("id int, v int, PRIMARY KEY (id)"), Set.of()), sstable))
                .isInstanceOf(SSTableException.class)
                .hasMessageStartingWith(sstable.path(Component.STATISTICS) + ": ");
    }

    /** An SSTable of a table with a column of ASCII text, of which the name of the type is replaced. */
    private SSTable withHeader(String type, String by) throws IOException, SchemaException {
        SSTable written = sstable("id int, v ascii, PRIMARY KEY (id)");
        Statistics statistics = written.statistics();
        byte[] header = new byte[statistics.header().length()];
        statistics.header().asBuffer().get(header);
        String text = new String(header, StandardCharsets.ISO_8859_1).replace(type, by);
        Files.delete(written.path(Component.STATISTICS));
        new Statistics(
                        statistics.version(),
                        statistics.validation(),
                        statistics.compaction(),
                        statistics.stats(),
                        Bytes.wrap(text.getBytes(StandardCharsets.ISO_8859_1)))
                .write(written.path(Component.STATISTICS));
        return SSTable.open(folder, written.descriptor());
    }

    private static String cql(String columns) {
        return "CREATE TABLE d.t (" + columns + ");";
    }

    private SSTable sstable(String columns) throws IOException, SchemaException {
        return written(cql(columns));
    }

    private SSTable written(String cql) throws IOException, SchemaException {
        var order = new TableGenerator.Order(1 << 12, OptionalInt.empty(), OptionalInt.of(1), false, 1);
        Descriptor made = new TableGenerator(TableSchema.parse(cql), Version.NB, WriterOptions.DEFAULTS, bytes -> {})
                .write(folder, order)
                .get(0);
        return SSTable.open(folder, made);
    }

    private static LiveTable live(String cql, Set<String> dropped) throws SchemaException {
        TableSchema schema = TableSchema.parse(cql);
        TableSchema.Columns columns = schema.columns();
        var live = new LiveColumns(
                columns.partitionKey(),
                columns.clustering(),
                columns.statics(),
                columns.regulars(),
                Set.copyOf(dropped.stream().map(Bytes::utf8).toList()));
        return new LiveTable(schema.keyspace(), schema.name(), new UUID(1, 1), cql, List.of(), Optional.of(live));
    }

    private static List<Delivery> plan(LiveTable table, SSTable sstable) throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000);
        var node = new CassandraNode(new UUID(2, 2), address, "dc1", "5.0.9");
        return LoadPlanner.plan(table, List.of(sstable), List.of(new Receiver(node, TokenRanges.FULL, 13)));
    }
}
