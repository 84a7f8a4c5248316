package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.cli.Main;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.tools.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * How {@code load} and {@code cassandra sstableloader} end, as processes of their own: what they say, and their code.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class LoadCommandInteropTest {
    private static final int NODES = 2;
    private static final int FAILED = 1;
    private static final int REFUSED = 3;
    private static final int PARTLY = 4;
    private static final int CANCELLED = 5;
    private static final long BYTES = 8 << 20;

    /** Both nodes take all: a load under it lasts half a minute, on a busy machine, too. */
    private static final String THROTTLE = "512KiB/s";

    private static final Pattern UNDER_WAY = Pattern.compile("sending: \\d+\\.\\d %, [1-9].*");

    private Path work = Path.of("");
    private LiveCluster nodes;
    private int keyspaces;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException, InterruptedException {
        work = folder;
        nodes = LiveCluster.start("5.0", options -> options.withNodes(NODES));
    }

    @AfterAll
    void stop() throws IOException, InterruptedException {
        if (nodes != null) {
            nodes.close();
        }
    }

    /** A table in the cluster, and a folder with files for it. */
    private record Source(UUID id, Path folder, ContentDigest content) {}

    private Source source(Version version) throws IOException {
        String keyspace = "command" + keyspaces++;
        Path schema = Files.writeString(work.resolve(keyspace + ".cql"), """
                CREATE KEYSPACE %1$s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2};
                CREATE TABLE %1$s.users (key text, column1 int, value text, PRIMARY KEY (key, column1))
                    WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'};
                """.formatted(keyspace));
        UUID id = nodes.create(schema, keyspace, keyspace, "users");
        Path folder = Files.createDirectories(work.resolve(keyspace).resolve("users-00000000000000010000000000000001"));
        new DataSetWriter(DataSet.ofBytes(1, BYTES), version, WriterOptions.DEFAULTS)
                .write(folder, TokenRanges.FULL.ranges(), 2, 1);
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor made : TableDirectory.of(folder).orElseThrow().descriptors()) {
            sstables.add(SSTable.open(folder, made));
        }
        return new Source(id, folder, ContentDigest.of(sstables, TokenRanges.FULL));
    }

    /** A command under way; its output, both kinds, is read by the test. */
    private record Running(Process process, BufferedReader out) {
        void awaitFirstBytes() throws IOException, InterruptedException {
            List<String> before = new ArrayList<>();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (UNDER_WAY.matcher(line).matches()) {
                    return;
                }
                before.add(line);
            }
            throw new AssertionError("it ended with " + process.waitFor() + " before it said that bytes were sent: "
                    + String.join("\n", before));
        }

        Ended end() throws InterruptedException {
            List<String> rest = out.lines().toList();
            return new Ended(process.waitFor(), String.join("\n", rest));
        }
    }

    private record Ended(int code, String out) {}

    private static Running start(String... arguments) throws IOException {
        Process process = JavaCommand.process(List.of("-Xmx256m"), Main.class, (Object[]) arguments)
                .redirectErrorStream(true)
                .start();
        return new Running(process, process.inputReader());
    }

    private Running load(Source source, String... more) throws IOException {
        String host = nodes.contact().getAddress().getHostAddress() + ":"
                + nodes.contact().getPort();
        List<String> arguments = new ArrayList<>(List.of("load", source.folder().toString(), "--hosts", host));
        arguments.addAll(List.of(more));
        return start(arguments.toArray(String[]::new));
    }

    private Ended stockLoader(Path folder) throws IOException, InterruptedException {
        return start(
                        "cassandra",
                        "sstableloader",
                        folder.toString(),
                        "--work-dir",
                        nodes.workDir().toString())
                .end();
    }

    private void assertHasAll(int node, Source source) throws IOException {
        assertThat(ContentDigest.of(nodes.files(node, source.id()), TokenRanges.FULL))
                .as("node %d", node)
                .isEqualTo(source.content());
    }

    @Test
    void what_reaches_every_node_ends_with_0() throws Exception {
        Source source = source(Version.NB);

        Ended ended = load(source).end();

        assertThat(ended.code()).as(ended.out()).isZero();
        assertThat(ended.out()).contains("2 deliveries in ").doesNotContain("failed");
        assertHasAll(1, source);
        assertHasAll(2, source);
    }

    @Test
    void what_would_hurt_the_nodes_is_refused_with_3_and_nothing_is_sent() throws Exception {
        Source source = source(Version.OA);

        Ended ended = load(source).end();

        assertThat(ended.code()).as(ended.out()).isEqualTo(REFUSED);
        assertThat(ended.out()).contains("could not restart").contains("(nothing was sent)");
        assertThat(nodes.files(1, source.id())).isEmpty();
        assertThat(nodes.files(2, source.id())).isEmpty();
    }

    @Test
    void a_table_of_other_types_is_refused_with_3_even_on_a_dry_run() throws Exception {
        Source source = source(Version.NB);
        String table = source.folder().getParent().getFileName() + ".users";
        nodes.cql().execute("DROP TABLE " + table);
        nodes.cql()
                .execute("CREATE TABLE " + table + " (key text, column1 int, value int, PRIMARY KEY (key, column1))");

        Ended ended = load(source, "--dry-run").end();

        assertThat(ended.code()).as(ended.out()).isEqualTo(REFUSED);
        assertThat(ended.out()).contains("column value is text, in " + table + " int", "(nothing was sent)");
    }

    @Test
    void what_reaches_some_nodes_ends_with_4_and_says_which() throws Exception {
        Source source = source(Version.NB);
        Running load = load(source, "--throttle", THROTTLE);
        load.awaitFirstBytes();

        nodes.node(NODES).kill();
        Ended ended = load.end();
        nodes.restart();

        assertThat(ended.code()).as(ended.out()).isEqualTo(PARTLY);
        assertThat(ended.out())
                .containsPattern("127\\.0\\.0\\.1:\\d+ .* live")
                .containsPattern("127\\.0\\.0\\.2:\\d+ .* failed")
                .contains("nothing of it is visible there; load again");
        assertHasAll(1, source);
        assertThat(nodes.files(NODES, source.id())).isEmpty();
    }

    @Test
    void a_dead_node_is_named_and_a_load_that_ignores_it_ends_with_4_and_says_what_it_lacks() throws Exception {
        Source source = source(Version.NB);
        nodes.node(NODES).kill();

        Ended refused = load(source).end();
        Ended ended = load(source, "--ignore", "127.0.0.2").end();
        nodes.restart();

        assertThat(refused.code()).as(refused.out()).isEqualTo(REFUSED);
        assertThat(refused.out()).contains("(start it, or load without it: --ignore 127.0.0.2)", "(nothing was sent)");
        assertThat(ended.code()).as(ended.out()).isEqualTo(PARTLY);
        assertThat(ended.out())
                .containsPattern("127\\.0\\.0\\.1:\\d+ .* live")
                .containsPattern(
                        "127\\.0\\.0\\.2:\\d+ is ignored: it lacks about .* of command\\d+\\.users \\(when it is back")
                .doesNotContain("failed");
        assertHasAll(1, source);
        assertThat(nodes.files(NODES, source.id())).isEmpty();
    }

    @Test
    void ctrl_c_ends_it_with_5_and_loading_again_is_harmless() throws Exception {
        Source source = source(Version.NB);
        Running load = load(source, "--throttle", THROTTLE);
        load.awaitFirstBytes();

        load.process().toHandle().destroy(); // SIGTERM, which ends a virtual machine as Ctrl-C does
        Ended ended = load.end();

        assertThat(ended.code()).as(ended.out()).isEqualTo(CANCELLED);
        assertThat(ended.out()).contains("sluice: cancelled; what is live stays where it is");
        assertThat(nodes.files(1, source.id())).isEmpty();
        assertThat(load(source).end().code()).isZero();
        assertHasAll(1, source);
    }

    @Test
    void the_stock_loader_loads_the_same() throws Exception {
        Source source = source(Version.NB);

        Ended ended = stockLoader(source.folder());

        assertThat(ended.code()).as(ended.out()).isZero();
        assertThat(ended.out()).contains("Streaming relevant part of"); // its own words
        assertHasAll(1, source);
        assertHasAll(2, source);
    }

    @Test
    void the_stock_loaders_code_is_passed_on() throws Exception {
        Ended ended = stockLoader(work.resolve("nothing").resolve("users"));

        assertThat(ended.code()).as(ended.out()).isEqualTo(FAILED);
        assertThat(ended.out()).containsIgnoringCase("unknown directory");
    }
}
