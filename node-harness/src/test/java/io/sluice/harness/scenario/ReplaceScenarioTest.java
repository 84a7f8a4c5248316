package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.load.Consistency;
import io.sluice.harness.report.RunReport;
import io.sluice.harness.report.RunReport.LoadResult;
import io.sluice.harness.scenario.ScenarioOptions.Dataset;
import io.sluice.harness.scenario.ScenarioOptions.Load;
import io.sluice.sstable.generate.DataSet;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole runs: processes, sockets and files are real. */
class ReplaceScenarioTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");
    private static final SluiceConfig CONFIG = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"));

    @TempDir
    private Path temporary = Path.of("");

    private RunReport replace(int nodes, int replicationFactor, Dataset dataset) throws Exception {
        return replace(ScenarioOptions.replace(nodes, replicationFactor, dataset));
    }

    private RunReport replace(ScenarioOptions options) throws Exception {
        try (WorkDirectory work = WorkDirectory.open(temporary.resolve("work"))) {
            PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
            return ScenarioRun.run(options, work, CONFIG, new RunListeners(nowhere, false, () -> {}));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "collections/da")
    void what_cassandra_wrote_reaches_the_replacement(String fixture) throws Exception {
        reachesTheReplacement(fixture);
    }

    @ParameterizedTest
    @ValueSource(strings = {"netflix/nb", "wide_lz4/oa", "types/nb", "multi_sstable/oa"})
    @Tag("full")
    void what_cassandra_wrote_in_other_ways_reaches_the_replacement(String fixture) throws Exception {
        reachesTheReplacement(fixture);
    }

    private void reachesTheReplacement(String fixture) throws Exception {
        RunReport report = replace(2, 2, new Dataset.Existing(FIXTURES.resolve(fixture)));

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.checks())
                .hasSize(2)
                .allSatisfy(check -> assertThat(check.held())
                        .extracting(RunReport.Held::node)
                        .containsExactly("node2 (dead)", "node3", "node1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"multi_sstable/nb", "many/nb", "wide_lz4/oa"})
    @Tag("full")
    void nodes_that_own_parts_of_a_table_get_those_parts(String fixture) throws Exception {
        RunReport report = replace(4, 2, new Dataset.Existing(FIXTURES.resolve(fixture)));

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.checks()).hasSize(2);
    }

    @Test
    @Tag("full")
    void each_source_sends_only_what_the_dead_node_held() throws Exception {
        RunReport report = replace(4, 2, new Dataset.Generated(4 << 20));

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.sources()).extracting(RunReport.Source::node).containsExactlyInAnyOrder("node1", "node3");
        RunReport.Audit audit = report.audit().orElseThrow();
        assertThat(audit.right()).as("%s", audit.problems()).isTrue();
        assertThat(audit.nodes()).isEqualTo(4);
        assertThat(audit.wholeFiles()).isPositive();
        assertThat(audit.decodedFiles()).isZero();
        assertThat(report.processes())
                .extracting(RunReport.Usage::node)
                .containsExactlyInAnyOrder("node1", "node2", "node3", "node5");
    }

    @Test
    @Tag("full")
    void no_write_that_was_acknowledged_meanwhile_is_missing() throws Exception {
        Load load = new Load(2000, Consistency.QUORUM);
        RunReport report = replace(ScenarioOptions.replace(3, 3, new Dataset.Generated(4 << 20), Optional.of(load)));

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        LoadResult written = report.load().orElseThrow();
        assertThat(written.missing()).isZero();
        assertThat(written.acknowledged()).isGreaterThan(1000);
        assertThat(written.rowsAsked()).isEqualTo(3 * written.keys());
        assertThat(report.results())
                .filteredOn(result -> result.table().equals("load.writes"))
                .as("the node says since when it has all writes")
                .isNotEmpty()
                .allSatisfy(result -> assertThat(result.writes()).startsWith("all writes since "));
        RunReport.Audit audit = report.audit().orElseThrow();
        assertThat(audit.right()).as("%s", audit.problems()).isTrue();
        assertThat(audit.partitions())
                .as("with what clients wrote")
                .isEqualTo(3 * (DataSet.ofBytes(1, 4 << 20).partitions() + written.keys()));
    }

    @Test
    @Tag("full")
    void generated_data_is_kept_for_the_next_run() throws Exception {
        replace(2, 2, new Dataset.Generated(1 << 20));
        List<Path> first = dataFiles();
        long written = Files.getLastModifiedTime(first.get(0)).toMillis();

        RunReport second = replace(2, 2, new Dataset.Generated(1 << 20));

        assertThat(second.verified()).isTrue();
        assertThat(Files.getLastModifiedTime(dataFiles().get(0)).toMillis()).isEqualTo(written);
    }

    /**
     * What is written down of the data is read from it first; damage that comes later is {@code FaultsScenarioTest}'s.
     */
    @Test
    @Tag("full")
    void data_that_is_damaged_before_the_run_ends_it_with_a_reason() throws Exception {
        Path data = temporary.resolve("data");
        copy(FIXTURES.resolve("kv/nb/fx"), data.resolve("fx"));
        Path damaged;
        try (Stream<Path> files = Files.walk(data)) {
            damaged = files.filter(file -> file.toString().endsWith("-Data.db"))
                    .findFirst()
                    .orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(damaged.toFile(), "rw")) {
            file.seek(file.length() / 2);
            int was = file.read();
            file.seek(file.length() / 2);
            file.write(was ^ 1);
        }

        RunReport report = replace(2, 2, new Dataset.Existing(data));

        assertThat(report.verified()).isFalse();
        assertThat(report.failure().orElseThrow())
                .contains(damaged.getFileName().toString())
                .contains("(expected: ");
    }

    /**
     * All of them are asked for on one connection to each source: more would be closed before they said who they are.
     */
    @Test
    @Tag("full")
    void a_node_of_a_hundred_tables_is_replaced() throws Exception {
        Path data = temporary.resolve("data");
        Path table = FIXTURES.resolve("kv/nb/fx/kv-7536b920e52411f1a3caddbd2d412e45");
        for (int i = 0; i < 100; i++) {
            copy(table, data.resolve("fx").resolve(String.format("t%d-7536b920e52411f1a3caddbd%08x", i, i)));
        }

        RunReport report = replace(2, 2, new Dataset.Existing(data));

        assertThat(report.failure()).isEmpty();
        assertThat(report.verified()).isTrue();
        assertThat(report.checks()).hasSizeGreaterThanOrEqualTo(100);
    }

    private List<Path> dataFiles() throws IOException {
        try (Stream<Path> files = Files.walk(temporary.resolve("work"))) {
            return files.filter(file -> file.toString().contains("work/data-"))
                    .filter(file -> file.toString().endsWith("-Data.db"))
                    .sorted()
                    .toList();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> tree = Files.walk(from)) {
            for (Path file : tree.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
            }
        }
    }
}
