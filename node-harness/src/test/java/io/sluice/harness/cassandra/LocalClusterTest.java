package io.sluice.harness.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnJre;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** What can be known of a local cluster without starting one. */
class LocalClusterTest {
    private static final LocalOptions FIVE = LocalOptions.of(new Release("5.0.9"));

    @TempDir
    private Path folder = Path.of("");

    @Test
    void a_line_of_releases_means_its_tested_patch() throws IOException {
        assertThat(Release.of("5.0").version()).matches("5\\.0\\.\\d+");
        assertThat(Release.of("4.1").isBeforeFive()).isTrue();
        assertThat(Release.of("5.0.6").version()).isEqualTo("5.0.6");
        assertThatThrownBy(() -> Release.of("3.11"))
                .hasMessage("Cassandra 3.11 (expected: 5.0, 4.1, or an exact" + " release as 5.0.6)");
    }

    @Test
    void an_unpacked_distribution_names_its_release_by_its_jar() throws IOException {
        Path lib = Files.createDirectories(folder.resolve("apache-cassandra").resolve("lib"));
        Path itself = Files.createFile(lib.resolve("apache-cassandra-5.0.6.jar"));
        Path other = Files.createFile(lib.resolve("guava-32.0.1-jre.jar"));
        Files.createFile(lib.resolve("README.txt"));

        ClassPath found = ClassPath.ofDistribution(folder.resolve("apache-cassandra"));

        assertThat(found.release()).contains(new Release("5.0.6"));
        assertThat(found.jars()).containsExactly(itself, other);
        assertThatThrownBy(() -> ClassPath.ofDistribution(folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no lib/apache-cassandra-RELEASE.jar (expected: the folder of an unpacked");
    }

    @Test
    void no_two_nodes_have_a_token_in_common() {
        List<Long> all =
                FIVE.withNodes(16).tokens().stream().flatMap(List::stream).toList();

        assertThat(all).hasSize(16 * LocalOptions.DEFAULT_TOKENS).doesNotHaveDuplicates();
        assertThat(all)
                .isEqualTo(FIVE.withNodes(16).tokens().stream()
                        .flatMap(List::stream)
                        .toList());
    }

    @Test
    void a_compatibility_mode_that_there_is_not_is_refused_before_a_node_starts() {
        assertThatThrownBy(() -> FIVE.withCompatibility("FOO"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("storage compatibility mode: FOO (expected: CASSANDRA_4, UPGRADING or NONE)");
    }

    @Test
    void four_has_no_compatibility_mode() {
        assertThatThrownBy(() -> LocalOptions.of(new Release("4.1.10")).withCompatibility("NONE"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Cassandra 4.1.10 has none");
    }

    @Test
    void the_loader_of_4_0_is_told_numbers_without_units() {
        assertThat(StockLoader.limits(new Release("4.0.17")).lines())
                .containsExactly(
                        "commitlog_sync_period_in_ms: 10000", "stream_throughput_outbound_megabits_per_sec: 0");
        assertThat(StockLoader.limits(new Release("4.1.10")))
                .contains("stream_throughput_outbound: 0MiB/s", "entire_sstable_stream_throughput_outbound: 0MiB/s");
    }

    @Test
    @EnabledOnJre(JRE.JAVA_17) // of the database
    void a_port_that_is_taken_is_named_with_what_to_do() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, FIVE.cql(1).getAddress())) {
            LocalOptions options = FIVE.withPorts(taken.getLocalPort(), LocalOptions.DEFAULT_STORAGE_PORT);

            assertThatThrownBy(() -> LocalCluster.up(folder, options, new ClassPath(List.of())))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("choose --cql-port");
        }
        assertThat(LocalCluster.find(folder)).isEmpty();
    }

    @Test
    @DisabledOnJre(JRE.JAVA_17) // which is accepted; what follows is tested there
    void another_java_than_that_of_the_database_is_refused_before_anything_else() {
        assertThatThrownBy(() -> LocalCluster.up(folder, FIVE, new ClassPath(List.of())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cassandra runs on Java 17, this is "
                        + Runtime.version().feature());
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    @EnabledOnJre(JRE.JAVA_17) // of the database
    void another_cluster_in_the_folder_is_not_mixed_up() throws IOException {
        Files.writeString(
                folder.resolve("cluster.properties"),
                "release=4.1.10\nnodes=3\ntokens=16\ncql_port=9042\nstorage_port=7000\n");

        assertThatThrownBy(() -> LocalCluster.up(folder, FIVE, new ClassPath(List.of())))
                .hasMessageContaining("holds a cluster of 3 nodes of Cassandra 4.1.10")
                .hasMessageContaining("down --wipe");
    }

    @Test
    void a_node_whose_id_belongs_to_somebody_else_by_now_is_down() throws IOException {
        Files.writeString(
                folder.resolve("cluster.properties"),
                "release=4.1.10\nnodes=1\ntokens=16\ncql_port=9042\nstorage_port=7000\n");
        Path process = Files.createDirectories(folder.resolve("node1")).resolve("process");
        Files.writeString(process, ProcessHandle.current().pid() + " 2001-01-01T00:00:00Z");

        LocalCluster cluster = LocalCluster.find(folder).orElseThrow();

        assertThat(cluster.nodes().get(0).process()).isEmpty();
    }

    @Test
    void scripts_are_cut_at_semicolons() {
        assertThat(Cql.statements("-- a table\nCREATE TABLE k.t (a int); -- done\n\nUSE k;\n"))
                .containsExactly("CREATE TABLE k.t (a int)", "USE k");
    }
}
