package io.sluice.bench.replace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.process.Program;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ./sluice compare --replace} refuses, before it has started a node. */
class ReplaceOptionsTest {
    @TempDir
    private Path temporary = Path.of("");

    private record Ended(int code, String err) {}

    private Ended run(String... words) {
        StringWriter err = new StringWriter();
        int code = Program.commandLine(new ReplaceBench())
                .setErr(new PrintWriter(err))
                .execute(words);
        return new Ended(code, err.toString());
    }

    private Ended replace(String words) {
        Path config = Path.of("..", "conf", "sluice.yaml");
        return run(("--replace --with cassandra --size 1MiB --work-dir " + temporary.resolve("work") + " --config "
                        + config + " " + words)
                .split(" "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--case some",
                "--repeat 0",
                "--repeat many",
                "--data /no/such/folder",
                "--cassandra-version 3.11",
                "--cassandra-home /no/such/folder",
                "--cassandra-home /tmp --cassandra-version 5.0",
                "--rounds 3"
            })
    void what_makes_no_sense_ends_with_2_and_a_sentence(String words) {
        Ended ended = replace(words);

        assertThat(ended.err().lines()).hasSize(1);
        assertThat(ended.err()).contains(words.substring(0, words.indexOf(" "))).doesNotContain("Exception", "java.");
        assertThat(ended.code()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--repeat 0 --json",
                "--cassandra-version 3.11 --html",
                "--data /no/such/folder --json",
                "--size 900TiB --html",
                "--data %s --json"
            })
    void what_is_refused_leaves_a_report_of_earlier_work(String words) throws IOException {
        Path report = Files.writeString(temporary.resolve("report"), "earlier");
        Path noSchema = table();

        Ended ended = replace(words.formatted(noSchema) + " " + report);

        assertThat(ended.code()).as(ended.err()).isEqualTo(2);
        assertThat(report).hasContent("earlier");
    }

    @Test
    void without_somebody_to_compare_with_nothing_is_done() {
        assertThat(run("--replace").err()).contains("--with");
        assertThat(run("--replace").code()).isEqualTo(2);
        assertThat(run("--replace", "--with", "pigeons").err()).contains("pigeons (expected: cassandra)");
    }

    @Test
    void a_table_for_which_there_is_no_room_is_not_generated() throws IOException {
        Path work = temporary.resolve("work");

        Ended ended = run(("--replace --with cassandra --size 900TiB --config ../conf/sluice.yaml --work-dir " + work)
                .split(" "));

        assertThat(ended.err())
                .contains("are free there (expected: 8 times the table, which has 900.00 TiB; a smaller --size");
        assertThat(ended.code()).isEqualTo(2);
        try (Stream<Path> left = Files.list(work)) {
            assertThat(left.filter(path -> path.getFileName().toString().startsWith("data-")))
                    .isEmpty();
        }
    }

    @Test
    void who_has_no_distribution_where_it_is_said_is_told_what_is_expected_there() throws IOException {
        Path home = Files.createDirectories(temporary.resolve("cassandra").resolve("lib"));
        Files.createFile(home.resolve("guava.jar"));

        Ended ended = replace("--cassandra-home " + home.getParent());

        assertThat(ended.err())
                .contains("no lib/apache-cassandra-RELEASE.jar (expected: ", "without the option Maven fetches one");
        assertThat(temporary.resolve("work").resolve("compare-replace")).doesNotExist();
    }

    @Test
    void data_without_its_schema_is_refused() throws IOException {
        Ended ended = replace("--data " + table());

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("schema.cql (expected: the CREATE TABLE");
    }

    /** There is no folder for what Maven would fetch. */
    @Test
    void work_that_fails_leaves_no_report_of_earlier_work() throws IOException {
        Path work = Files.createDirectories(temporary.resolve("work"));
        for (String file : List.of(".sluice-work", "compare-cassandra", "replace.json", "replace.html")) {
            Files.writeString(work.resolve(file), "earlier");
        }

        Ended ended = replace("--case whole");

        assertThat(ended.code()).as(ended.err()).isEqualTo(1);
        assertThat(work.resolve("replace.json")).isEmptyFile();
        assertThat(work.resolve("replace.html")).isEmptyFile();
    }

    private Path table() throws IOException {
        Path table = Files.createDirectories(
                temporary.resolve("data").resolve("shop").resolve("users-" + "0".repeat(31) + "1"));
        new DataSetWriter(DataSet.ofBytes(1, 1 << 16), Version.NB, WriterOptions.DEFAULTS).write(table, 1);
        return table;
    }
}
