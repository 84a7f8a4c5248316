package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.agent.CassandraYaml;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that options name: what is wrong with one is said at once, with its name. */
class NamedFilesTest {
    @TempDir
    private Path temp = Path.of("");

    private static String refused(String... arguments) {
        StringWriter err = new StringWriter();
        int code = Main.commandLine().setErr(new PrintWriter(err)).execute(arguments);

        assertThat(code).isEqualTo(2);
        return err.toString();
    }

    /** Nobody listens at port 1: a command that connects first says so, and not this. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "load %s --hosts 127.0.0.1:1",
                "follow --host 127.0.0.1:1 --listen 127.0.0.1:7100 --to %s",
                "cassandra bootstrap --agent 127.0.0.1:1 --token-file %1$s/token --cql 127.0.0.1:1 --node 127.0.0.1",
                "soak kills --config ../conf/sluice.yaml --work-dir %s",
            })
    void a_report_that_cannot_be_written_is_noticed_before_the_work(String command) throws IOException {
        AdminToken.create(temp.resolve("token"));
        Path report = temp.resolve("missing").resolve("report.json");
        String[] words = (command.formatted(temp) + " --json " + report).split(" ", -1);

        assertThat(refused(words))
                .contains("--json " + report + ": cannot be written (expected: a file in a folder that exists)");
    }

    @Test
    void a_report_of_earlier_work_is_not_left_for_one_of_this() throws IOException {
        Path report = Files.writeString(temp.resolve("report.json"), "earlier");

        ReportFile.begin("--json", report);
        ReportFile.begin("--json", null);
        ReportFile.begin("--json", Path.of("/dev/null"));

        assertThat(report).isEmptyFile();
        assertThatThrownBy(() -> ReportFile.begin("--json", temp)).isInstanceOf(ConfigException.class);
    }

    /** A wrong number, or a file that is not there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "replace-node --config ../conf/sluice.yaml --work-dir %1$s/work --repeat 100000",
                "replace-node --config ../conf/sluice.yaml --work-dir %1$s/work --nodes 1000000",
                "replace-node --config ../conf/sluice.yaml --work-dir %1$s/report.json",
                "soak kills --work-dir %1$s/work --config ../conf/sluice.yaml --size much",
                "replace-node --config ../conf/sluice.yaml --work-dir %1$s/work --data %1$s/nothing",
                "soak kills --work-dir %1$s/work --config %1$s/nothing",
                "soak kills --work-dir %1$s/report.json --config ../conf/sluice.yaml",
                "soak random --work-dir %1$s/work --config %1$s/nothing",
                "soak random --work-dir %1$s/work --config ../conf/sluice.yaml --size 900TiB",
                "soak random --work-dir %1$s/report.json --config ../conf/sluice.yaml",
                "replace-node --config ../conf/sluice.yaml --work-dir %1$s/work --size 900TiB",
                "replace-node --config ../conf/sluice.yaml --work-dir %1$s/work --data %1$s/empty",
                "replace-node --config ../conf/sluice.yaml --work-dir %1$s/work --chaos 7 --data %1$s/nothing",
                "replace-node --config ../conf/sluice.yaml --work-dir %1$s/work --chaos 7 --nodes 1000000",
                "replace-node --config ../conf/sluice.yaml --work-dir %1$s/work --chaos 7 --data %1$s --size 1GiB",
                "replace-node --config ../conf/sluice.yaml --work-dir %1$s/work --chaos 7 --size 900TiB",
                "load %1$s --hosts 127.0.0.1:1 --truststore %1$s/nothing --store-password-file %1$s/password --plain-cql",
                "load %1$s --hosts 127.0.0.1:1 --user me --password-file %1$s/nothing",
                "follow --host 127.0.0.1:1 --listen 127.0.0.1:7100 --to %1$s --user me --password-file %1$s/nothing",
            })
    void what_is_mistyped_leaves_a_report_of_earlier_work(String command) throws IOException {
        Path report = Files.writeString(temp.resolve("report.json"), "earlier");
        Files.writeString(temp.resolve("password"), "secret");
        Files.createDirectory(temp.resolve("empty"));

        refused((command.formatted(temp) + " --json " + report).split(" ", -1));

        assertThat(report).hasContent("earlier");
    }

    /** The first cannot write its scenario, the others cannot read which processes an earlier run left. */
    @ParameterizedTest
    @CsvSource({
        "soak kills,kills.json,kills.html",
        "soak random,random.json,random.html",
        "replace-node,report.json,report.html"
    })
    void work_that_fails_leaves_no_report_of_earlier_work(String command, String report, String page)
            throws IOException {
        Path work = Files.createDirectories(temp.resolve("work"));
        Files.createDirectory(work.resolve("kills.yaml"));
        Files.write(Files.createDirectory(work.resolve("old")).resolve("process"), new byte[] {-1});
        for (String file : List.of(".sluice-work", report, page)) {
            Files.writeString(work.resolve(file), "earlier");
        }

        int code = Main.commandLine()
                .setErr(new PrintWriter(new StringWriter()))
                .execute((command + " --config ../conf/sluice.yaml --work-dir " + work).split(" "));

        assertThat(code).isEqualTo(1);
        for (String file : List.of(report, page)) {
            assertThat(Files.exists(work.resolve(file)) ? Files.readString(work.resolve(file)) : "")
                    .isEmpty();
        }
    }

    /** Nobody listens at port 1. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "load %s --hosts 127.0.0.1:1",
                "follow --host 127.0.0.1:1 --listen 127.0.0.1:7100 --to %s",
            })
    void what_is_refused_has_a_report_that_says_why(String command) throws IOException {
        Path report = Files.writeString(temp.resolve("report.json"), "earlier");
        String[] words = (command.formatted(temp) + " --json " + report).split(" ", -1);

        int code = Main.commandLine().execute(words);

        JsonNode json = Json.MAPPER.readTree(report.toFile());
        assertThat(code).isEqualTo(3);
        assertThat(json.get("command").asText()).isEqualTo(words[0]);
        assertThat(json.get("exitCode").asInt()).isEqualTo(3);
        assertThat(json.get("problem").asText()).contains("127.0.0.1:1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "load %s --hosts 127.0.0.1:1",
                "cassandra bootstrap --agent 127.0.0.1:1 --token-file %1$s --cql 127.0.0.1:1 --node 127.0.0.1",
                "replace-node --size 1MiB --config ../conf/sluice.yaml",
            })
    void a_dry_run_has_no_report(String command) {
        String[] words = (command.formatted(temp) + " --dry-run --json " + temp.resolve("report.json")).split(" ", -1);

        assertThat(refused(words)).contains("--json: not with --dry-run");
    }

    @Test
    void a_text_in_another_encoding_is_named() throws IOException {
        Path schema = Files.write(temp.resolve("schema.cql"), "ä".getBytes(StandardCharsets.ISO_8859_1));

        assertThat(refused("sstable", "generate", "--schema", schema.toString(), temp.toString()))
                .contains("--schema " + schema + ": is not text in UTF-8 (expected: a file with a CREATE TABLE");
        assertThatThrownBy(() -> TextFile.password("--password-file", schema))
                .hasMessageContaining("--password-file " + schema + ": is not text in UTF-8");
        assertThatThrownBy(() -> CassandraYaml.read(schema)).hasMessage(schema + ": not YAML: it is not text in UTF-8");
    }

    @Test
    void a_file_that_is_not_there_is_named_once() {
        Path nothing = temp.resolve("nothing");

        assertThatThrownBy(() -> CassandraYaml.read(nothing))
                .hasMessage(nothing + ": no such file or folder (expected: a cassandra.yaml)");
        assertThatThrownBy(() -> TextFile.read("--file", temp, "a file with statements"))
                .hasMessage("--file " + temp + ": is a folder (expected: a file with statements)");
    }

    @Test
    void a_password_file_without_a_line_is_refused() throws IOException {
        Path empty = Files.createFile(temp.resolve("password"));

        assertThatThrownBy(() -> TextFile.password("--password-file", empty))
                .hasMessage("--password-file " + empty + ": is empty (expected: a password in its first line)");
        Files.writeString(empty, "secret\nsecond line\n");
        assertThat(TextFile.password("--password-file", empty)).isEqualTo("secret");
    }

    @Test
    void completion_is_installed_beside_lines_in_another_encoding() throws IOException {
        Path start = temp.resolve(".zshrc");
        byte[] own = "# für mich\n".getBytes(StandardCharsets.ISO_8859_1);
        Files.write(start, own);

        for (int time = 0; time < 2; time++) {
            assertThat(Main.commandLine().execute("completion", "zsh", "--install", "--to", temp.toString()))
                    .isZero();
        }

        assertThat(Files.readAllBytes(start)).startsWith(own);
        assertThat(Files.readString(start, StandardCharsets.ISO_8859_1)).containsOnlyOnce("completion.zsh");
    }
}
