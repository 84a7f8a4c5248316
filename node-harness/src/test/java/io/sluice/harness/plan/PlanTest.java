package io.sluice.harness.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.harness.cli.Main;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.plan.RequestedChange.From;
import io.sluice.harness.plan.RequestedChange.Kind;
import io.sluice.streaming.plan.TopologyPlan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PlanTest {
    private static final Path EXAMPLE = Path.of("..", "conf", "rings", "example.yaml");
    private static final From ANY = new From(List.of(), List.of(), List.of());

    @TempDir
    private Path folder = Path.of("");

    private static RequestedChange about(Kind kind, String node) {
        return new RequestedChange(kind, Optional.of(node), Optional.empty(), false, List.of(), Optional.empty(), ANY);
    }

    private static String printed(TopologyPlan plan) {
        var out = new ByteArrayOutputStream();
        PlanView.print(plan, new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    private RingFile ring(String yaml) throws IOException {
        return RingFile.read(Files.writeString(folder.resolve("ring.yaml"), yaml));
    }

    @Test
    void the_example_says_who_sends_what_when_and_why() {
        TopologyPlan plan = about(Kind.REPLACE, "n3").plan(RingFile.read(EXAMPLE));

        assertThat(printed(plan))
                .contains("replacement of n3  n1")
                .contains("sender done after")
                .contains("so that all finish at the same time")
                .contains("no plan is done before")
                .contains("Nothing was moved.")
                .doesNotContain("n3  n3");
    }

    @Test
    void json_has_every_range_with_its_spares() {
        PlanView.Document document =
                PlanView.document(about(Kind.REPLACE, "n3").plan(RingFile.read(EXAMPLE)), List.of());

        assertThat(document.operation()).isEqualTo("replace-node");
        assertThat(document.ranges().stream().mapToLong(PlanView.Range::bytes).sum())
                .isEqualTo(document.bytes());
        assertThat(document.streams().stream().mapToInt(PlanView.Stream::ranges).sum())
                .isEqualTo(document.ranges().size());
        assertThat(document.ranges())
                .anyMatch(range -> !range.alternates().isEmpty())
                .allMatch(range -> !range.alternates().contains(range.source()) && range.first() <= range.last());
        assertThat(document.finishSeconds()).isGreaterThanOrEqualTo(document.boundSeconds());
    }

    @Test
    void balancing_by_bytes_ends_sooner_than_by_count() throws IOException {
        String nodes = """
                nodes:
                  - {name: a, tokens: [-4611686018427387904]}
                  - {name: b, tokens: [0]}
                  - {name: c, tokens: [4611686018427387904]}
                  - {name: d, tokens: [9223372036854775807]}
                keyspaces:
                  - name: ks
                    replication: 3
                    tables:
                """;
        String skewed = "      - {name: t, size: 400GiB, hot: [{start: -4611686018427387904, end: 0, size: 600GiB}]}\n";
        TopologyPlan byBytes = about(Kind.REPLACE, "b").plan(ring(nodes + skewed));
        TopologyPlan byCount = about(Kind.REPLACE, "b").plan(ring(nodes + "      - {name: t, size: 1TiB}\n"));

        DescribedSizes sizes = ring(nodes + skewed).sizes();
        double countFinish = byCount.transfers().stream()
                .collect(Collectors.groupingBy(
                        TopologyPlan.Transfer::source,
                        Collectors.summingLong(transfer -> sizes.bytes(
                                transfer.table(),
                                transfer.source(),
                                transfer.first().value(),
                                transfer.last().value()))))
                .entrySet()
                .stream()
                .mapToDouble(sent -> byCount.finishSeconds(sent.getKey(), sent.getValue()))
                .max()
                .orElseThrow();

        assertThat(byBytes.gap()).isLessThan(0.05);
        assertThat(countFinish / byBytes.finishSeconds()).isGreaterThan(1.5);
    }

    @Test
    void a_slow_receiver_decides() throws IOException {
        String yaml = Files.readString(EXAMPLE).replace("receive_rate: 1GiB/s", "receive_rate: 100MiB/s");

        TopologyPlan plan = about(Kind.REPLACE, "n3").plan(ring(yaml));

        assertThat(plan.finishSeconds()).isCloseTo(plan.totalBytes() / (100.0 * (1 << 20)), within(1e-6));
        assertThat(printed(plan)).contains("The receiver decides when it ends");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nodes: [{name: a, tokns: [1]}]\\nkeyspaces: []|:1: nodes[1].tokns: unknown key (did you mean 'tokens'?)",
                "keyspaces: []\\nnodes: [{name: a, tokens: [x]}]|:2: nodes[1].tokens[1]: 'x' (expected: a token from",
                "nodes: [{name: a, tokens: 5}]\\nkeyspaces: []|:1: nodes[1].tokens: a scalar (expected: a list)",
                "nodes: [{name: a, tokens: [~]}]\\nkeyspaces: []|:1: nodes[1].tokens[1]: nothing (expected: one value)",
                "nodes: [{name: [a]}]\\nkeyspaces: []|:1: nodes[1].name: a sequence (expected: one value)",
                "nodes: [{name: a, name: b}]\\nkeyspaces: []|:1: nodes[1].name: is already in line 1 (expected: once)",
                "nodes: [{name: a, vnodes: many}]\\nkeyspaces: []|:1: vnodes of a: 'many' (expected: a whole number)",
                "nodes: [{dc: a, vnodes: 1}]\\nkeyspaces: []|:1: nodes[1].name: missing",
                "nodes: [a]\\nkeyspaces: []|:1: nodes[1]: a scalar (expected: keys, each 'key: value')",
                "5|:1: a scalar (expected: keys, each 'key: value')",
                "keyspaces: []|:1: nodes: missing",
                "# nothing|: nodes: missing",
                "nodes: [|:1: not YAML: expected the node content, but found '<stream end>' (column 9)",
                "nodes: !<tag:yaml.org,2002:java.net.URL> x|:1: not YAML: Global tag is not allowed",
                "nodes: [{name: a, tokens: [1], state: dead}]\\nkeyspaces: []|state of a: 'dead' (expected: up, down or joining)",
                "nodes: [{name: a, tokens: [1], rate: 5}]\\nkeyspaces: []|rate of a: '5' (expected: a rate as 200MiB/s)",
                "nodes: [{name: a, tokens: [1]}]\\nkeyspaces: [{name: k, replication: x, tables: []}]|:2: replication of k: 'x' (expected: a number of replicas, or one for each data",
                "nodes: [{name: a, tokens: [1]}]\\nkeyspaces: [{name: k, replication: {dc1: x}, tables: []}]|:2: replication of k: dc1: 'x'",
                "nodes: [{name: a, tokens: [1]}]\\nkeyspaces: [{name: k, replication: 0, tables: []}]|:2: replication of k: replication factor: 0 (expected: 1..1000)",
                "nodes: [{name: a, tokens: [1]}]\\nkeyspaces: [{name: k, replication: {dc1: -1}, tables: []}]|:2: replication of k: replication factor: -1 (expected: 0..1000)",
                "nodes: [{name: a, tokens: [1]}]\\nkeyspaces: [{name: k, replication: 1, tables: [{name: t, size: 5}]}]|size of t: '5'"
            })
    void what_is_wrong_in_a_ring_file_is_said(String yaml, String reason) {
        assertThatThrownBy(() -> about(Kind.DECOMMISSION, "a").plan(ring(yaml.replace("\\n", "\n"))))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(folder.resolve("ring.yaml") + ":")
                .hasMessageContaining(reason)
                .hasMessageNotContaining("io.sluice");
    }

    @Test
    void a_data_centre_without_nodes_cannot_hold_replicas() {
        String yaml = """
                nodes: [{name: a, dc: east, tokens: [1]}]
                keyspaces: [{name: k, replication: {eats: 2}, tables: [{name: t, size: 1GiB}]}]
                """;

        assertThatThrownBy(() -> ring(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        folder.resolve("ring.yaml") + ": replication of k: eats: has no nodes (did you mean 'east'?)");
    }

    @Test
    void a_data_centre_without_nodes_may_hold_no_replicas() throws IOException {
        RingFile ring = ring("""
                nodes: [{name: a, dc: east, tokens: [1]}]
                keyspaces: [{name: k, replication: {east: 1, west: 0}, tables: [{name: t, size: 1GiB}]}]
                """);

        assertThat(ring.rings()).hasSize(1);
    }

    @Test
    void hot_bytes_come_on_top_of_the_size_as_the_example_says() throws IOException {
        TopologyPlan plan = about(Kind.REPLACE, "a").plan(ring("""
                nodes:
                  - {name: a, tokens: [0]}
                  - {name: b, tokens: [5]}
                keyspaces:
                  - name: k
                    replication: 2
                    tables:
                      - {name: t, size: 1GiB, hot: [{start: 7, end: 1000, size: 5GiB}]}
                """));

        assertThat(plan.totalBytes()).isEqualTo(6L << 30);
        assertThat(Files.readString(EXAMPLE))
                .contains("# size          bytes of one copy of all rows but those of hot")
                .contains("# hot           bytes on top of size");
    }

    @Test
    void a_ring_of_too_many_tokens_is_refused_before_it_is_built() {
        String nodes = IntStream.range(0, 65)
                .mapToObj(i -> "  - {name: n" + i + ", vnodes: 4096}\n")
                .collect(Collectors.joining());

        assertThatThrownBy(() -> ring("nodes:\n" + nodes + "keyspaces: []\n"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("vnodes of all nodes: 266240 (expected: at most 262144)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--operation bootstrap|2|--node is missing (expected: the name of a node)",
                "--operation decommission --node n9|2|node 'n9': not in the ring file",
                "--operation rebuild --dc mars|2|--dc mars: has no nodes",
                "--operation rebuild --dc wst|2|--dc wst: has no nodes (did you mean 'west'?)",
                "--operation rebuild --node n1 --source-dc wes|2|--source-dc wes: has no nodes (did you mean 'west'?)",
                "--operation replace-node --node n3 --exclude n1|2|--exclude: not of replace-node (expected: --node, --with)",
                "--operation replace-node --node n3 --sources n1|2|--sources: not of replace-node",
                "--operation replace-node --node n3 --source-dc west|2|--source-dc: not of replace-node",
                "--operation replace-node --node n3 --tokens 7|2|--tokens: not of replace-node",
                "--operation replace-node --node n3 --strict|2|--strict: not of replace-node",
                "--operation load --node n3|2|--node: not of load (expected: none)",
                "--operation decommission --node n2 --with n7|2|--with: not of decommission (expected: --node)",
                "--operation bootstrap --node n7 --dc west|2|--dc: not of bootstrap (expected: --node, --strict)",
                "--operation rebuild --node n1 --dc west|2|--node: not beside --dc (expected: one of the two)",
                "--operation replace-node --node n3 --with n1|2|--with n1: is a member (expected: a node of the ring file with 'state: joining', or no --with)",
                "--operation move --node n1|2|--operation move: --tokens is missing (expected: where it moves to)",
                "--operation decommission --node n2 --data n1=/|2|--data: only with --explain or --json",
                "--operation decommission --node n2 --explain --data n1=/nonexist|2|--data n1=/nonexist: no such folder",
                "--operation bootstrap --node n7 --strict|1|is up (n3). Start one of them",
                "--operation repair|2|(expected: one of bootstrap, replace-node"
            })
    void what_cannot_be_planned_is_said_in_a_sentence(String arguments, int code, String reason) {
        StringWriter err = new StringWriter();
        CommandLine commandLine = Main.commandLine().setErr(new PrintWriter(err));

        int ended = commandLine.execute(("plan --ring " + EXAMPLE + " " + arguments).split(" ", -1));

        assertThat(err.toString()).contains(reason).startsWith("sluice: ").doesNotContain("\tat ");
        assertThat(ended).isEqualTo(code);
    }
}
