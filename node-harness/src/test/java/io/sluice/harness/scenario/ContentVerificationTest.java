package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.cluster.Cluster;
import io.sluice.harness.cluster.Loopback;
import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.RunReport.Check;
import io.sluice.harness.report.RunReport.Compared;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.PartitionReader;
import io.sluice.sstable.data.SSTableWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real nodes are asked what they hold; something is missing on purpose. */
class ContentVerificationTest {
    private static final Path DATA =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");
    private static final SluiceConfig CONFIG = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"));

    @TempDir
    private Path temporary = Path.of("");

    private final List<Node> nodes = new ArrayList<>();
    private List<TableFiles> tables = List.of();

    @BeforeEach
    void give_two_nodes_and_a_replacement_the_same_files() throws Exception {
        for (int number = 1; number <= 3; number++) {
            nodes.add(new Node(
                    UUID.randomUUID(), "node" + number, Loopback.freeAddress(number + 1), List.of(new Token(number))));
        }
        tables = TableFiles.openAll(DATA);
        Distribution.link(tables, new Ring(nodes, 3), temporary, List.of());
    }

    @Test
    @Tag("full")
    void the_same_files_are_equal() throws Exception {
        assertThat(verify()).isNotEmpty().allMatch(Check::equal).allMatch(check -> check.compared() == Compared.FILES);
    }

    @Test
    @Tag("full")
    void the_same_rows_in_other_files_are_equal() throws Exception {
        List<Path> files = componentsOfOneSSTable(nodes.get(2));
        Path folder = files.get(0).resolveSibling(".").normalize();
        SSTable source = SSTable.open(
                folder,
                Descriptor.parse(files.get(0).getFileName().toString())
                        .orElseThrow()
                        .descriptor());
        Descriptor anew = new Descriptor(Version.OA, source.descriptor().id());
        try (PartitionReader reader = PartitionReader.open(source);
                SSTableWriter writer =
                        SSTableWriter.create(folder, anew, reader.header(), WriterOptions.like(source))) {
            writer.appendAll(reader);
            writer.finish();
        }
        for (Path file : files) {
            Files.delete(file);
        }

        assertThat(verify()).isNotEmpty().allMatch(Check::equal).anyMatch(check -> check.compared() == Compared.ROWS);
    }

    /** To open all tables for each one takes minutes with a thousand of them. */
    @Test
    void only_files_of_compared_tables_are_opened() throws Exception {
        Path statistics = componentsOfOneSSTable(nodes.get(1)).stream()
                .filter(file -> file.toString().endsWith("-Statistics.db"))
                .findFirst()
                .orElseThrow();
        Path folder = statistics.resolveSibling("..").resolve("other-00000000000000000000000000000001");
        Files.createDirectory(folder.normalize());
        for (Path component : componentsOfOneSSTable(nodes.get(1))) {
            Path copy = folder.normalize().resolve(component.getFileName());
            Files.write(copy, component.equals(statistics) ? new byte[1] : Files.readAllBytes(component));
        }

        assertThat(verify()).isNotEmpty().allMatch(Check::equal);
    }

    @Test
    void a_missing_sstable_is_a_difference() throws Exception {
        for (Path component : componentsOfOneSSTable(nodes.get(2))) {
            Files.delete(component);
        }

        assertThat(verify()).anyMatch(check -> !check.equal());
    }

    @Test
    @Tag("full")
    void what_cannot_be_read_is_no_equal_content() throws Exception {
        Path data = componentsOfOneSSTable(nodes.get(2)).stream()
                .filter(file -> file.toString().endsWith("-Data.db"))
                .findFirst()
                .orElseThrow();
        byte[] bytes = Files.readAllBytes(data);
        Files.delete(data);
        bytes[bytes.length / 2] ^= 1;
        Files.write(data, bytes);

        assertThat(verify()).anySatisfy(check -> {
            assertThat(check.equal()).isFalse();
            assertThat(check.toString())
                    .contains("node3")
                    .contains(data.getFileName().toString());
        });
    }

    /** A digest may take an hour: one that hangs must not be waited for so long. */
    @Test
    @Tag("full")
    @Timeout(120)
    void a_node_that_hangs_is_named() throws Exception {
        assertThat(verify(processes -> processes.get(0).signal("STOP")))
                .isNotEmpty()
                .allSatisfy(check -> {
                    assertThat(check.equal()).isFalse();
                    assertThat(check.toString()).contains("node1").contains("does not answer");
                });
    }

    private interface Harm {
        void on(List<NodeProcess> processes) throws Exception;
    }

    private List<Check> verify() throws Exception {
        return verify(processes -> {});
    }

    /** node2 died, node3 took its place. */
    private List<Check> verify(Harm harm) throws Exception {
        Ring ring = new Ring(nodes.subList(0, 2), 2);
        Ring after = ring.replace(nodes.get(1), nodes.get(2));
        List<Check> checks = new ArrayList<>();
        try (Cluster cluster = new Cluster(temporary, CONFIG)) {
            Map<UUID, NodeProcess> running = new LinkedHashMap<>();
            List<NodeProcess> processes = cluster.start(List.of(nodes.get(0), nodes.get(2)));
            processes.forEach(process -> running.put(process.node().id(), process));
            harm.on(processes);
            List<Path> left = NodeHome.of(temporary, nodes.get(1)).dataDirectories();
            new ContentVerification(running, Map.of(nodes.get(1).id(), left))
                    .run(
                            tables.stream()
                                    .map(table ->
                                            new ContentVerification.Scope(table.table(), ring, after, false, List.of()))
                                    .toList(),
                            checks::add);
        }
        return checks;
    }

    private List<Path> componentsOfOneSSTable(Node node) throws IOException {
        try (Stream<Path> files = Files.walk(NodeHome.of(temporary, node).data())) {
            List<Path> all = files.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().startsWith("nb-"))
                    .sorted()
                    .toList();
            String first = prefix(all.get(0));
            return all.stream().filter(file -> prefix(file).equals(first)).toList();
        }
    }

    private static String prefix(Path component) {
        String name = component.getFileName().toString();
        return name.substring(0, name.lastIndexOf('-'));
    }
}
