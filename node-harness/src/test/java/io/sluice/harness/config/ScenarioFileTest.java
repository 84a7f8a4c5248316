package io.sluice.harness.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ScenarioFileTest {
    private static final Path SHIPPED = Path.of("..", "conf", "scenarios");

    @TempDir
    private Path temporary = Path.of("");

    private ScenarioFile read(String yaml) throws IOException {
        return ScenarioFile.read(Files.writeString(temporary.resolve("scenario.yaml"), yaml));
    }

    static Stream<Path> shipped() throws IOException {
        try (Stream<Path> files = Files.list(SHIPPED)) {
            return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void every_shipped_scenario_is_valid_and_explained(Path file) throws IOException {
        ScenarioFile scenario = ScenarioFile.read(file);

        assertThat(scenario.operation()).isPresent();
        assertThat(Files.readString(file)).startsWith("# ");
    }

    @Test
    void the_scenarios_that_were_promised_are_there() throws IOException {
        assertThat(shipped().map(file -> file.getFileName().toString().replace(".yaml", "")))
                .contains(
                        "netflix-replace-6-nodes",
                        "expand-3-to-6",
                        "decommission",
                        "rebuild-dc",
                        "vnodes-16-size-tiered",
                        "tablets-migration",
                        "throttled",
                        "tls",
                        "slow-disk",
                        "slow-source",
                        "kill-sender",
                        "kill-receiver",
                        "disk-full",
                        "disk-lost",
                        "corrupt-source");
    }

    @Test
    void every_key_is_explained() throws IOException {
        String explained = Files.readString(SHIPPED.resolve("README.md"));

        assertThat(Stream.concat(ScenarioFile.SETTINGS.stream(), Fault.SETTINGS.stream())
                        .map(Setting::key))
                .allSatisfy(key -> assertThat(explained).contains("| `" + key + "` |"));
    }

    @Test
    void faults_are_read() throws IOException {
        ScenarioFile scenario = read("""
                operation: replace-node
                faults:
                  - fault: cut
                    at: 40%
                    node: node2
                    with: receiver
                    lasts: 5s
                  - fault: kill
                """);

        assertThat(scenario.faults())
                .isEqualTo(List.of(
                        new Fault(
                                Fault.Kind.CUT,
                                0.4,
                                "node2",
                                Optional.of("receiver"),
                                Optional.of(5),
                                Optional.empty()),
                        new Fault(Fault.Kind.KILL, 0, "source", Optional.empty(), Optional.empty(), Optional.empty())));
    }

    @ParameterizedTest
    @CsvSource({
        "replace-node,REPLACE",
        "replace,REPLACE",
        "migrate-tablets,TABLET_MIGRATION",
        "tablet_migration,TABLET_MIGRATION",
        "tablet-migration,TABLET_MIGRATION",
        "removenode,REMOVENODE",
        "remove,REMOVENODE"
    })
    void an_operation_has_the_name_of_its_command_or_one_that_it_had(String word, ScenarioFile.Operation operation)
            throws IOException {
        assertThat(read("operation: " + word).operation()).contains(operation);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    operation: replase                         | :1: operation: 'replase' (expected: one of bootstrap, replace-node, rebuild, decommission, removenode, move, repair, migrate-tablets)
                    "nodes: 3\\nnods: 4"                       | :2: unknown key 'nods' (did you mean 'nodes'?)
                    "faults: kill"                             | :1: faults: a scalar (expected: a list
                    "faults:\\n  - kill"                       | :2: faults: not a list of '- key: value' entries
                    "faults:\\n  - fault: kil"                 | :2: fault: 'kil' (expected: one of kill, freeze
                    "faults:\\n  - fault: kill\\n    att: 5%"  | :3: unknown key 'att' (did you mean 'at'?)
                    "faults:\\n  - fault: kill\\n    at: 101%" | :3: at: '101%' (expected: a share from 0% to 100%)
                    "faults:\\n  - at: 5%"                     | a fault without 'fault:'
                    "faults:\\n  - fault: slow"                | :2: slow without 'rate:'
                    "faults:\\n  - fault: kill\\n    rate: 1MiB/s" | :3: rate: only of a fault slow
                    "faults:\\n  - fault: kill\\n    lasts: 5s" | :3: lasts: not of a fault kill
                    "faults:\\n  - fault: terminate\\n    lasts: 5s" | :3: lasts: not of a fault terminate
                    "faults:\\n  - fault: corrupt\\n    lasts: 5s" | :3: lasts: not of a fault corrupt
                    "faults:\\n  - fault: kill\\n    node: n2" | :3: node: 'n2' (expected: source, receiver, or a name as node2)
                    "faults:\\n  - fault: cut\\n    with: node02" | :3: with: 'node02' (expected: source, receiver, or
                    "faults:\\n  - fault: cut\\n    node: node1\\n    with: node1" | :4: with: node1 itself (expected: the other end
                    "expect: failed SOMEHOW"                   | :1: expect: 'failed SOMEHOW' (expected: installed, failed
                    """)
    void a_bad_file_is_refused_with_line_and_what_is_allowed(String yaml, String complaint) {
        assertThatThrownBy(() -> read(yaml.replace("\\n", "\n")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("scenario.yaml")
                .hasMessageContaining(complaint);
    }
}
