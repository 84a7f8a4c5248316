package io.sluice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.process.Program;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ./sluice compare} refuses, before it has made any data. */
class CompareOptionsTest {
    @TempDir
    private Path temporary = Path.of("");

    private record Ended(int code, String err) {}

    private Ended run(String... words) {
        StringWriter err = new StringWriter();
        int code = Program.commandLine(new CompareBench())
                .setErr(new PrintWriter(err))
                .execute(words);
        return new Ended(code, err.toString());
    }

    @Test
    void a_target_that_cannot_be_made_is_refused_in_one_sentence_before_any_work() throws IOException {
        Path file = Files.writeString(temporary.resolve("file"), "mine");
        Path work = temporary.resolve("work");

        Ended ended = run("--target", file.resolve("below").toString(), "--work-dir", work.toString());

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err().lines())
                .singleElement()
                .asString()
                .startsWith("sluice: --target " + file.resolve("below") + ": cannot be made: ")
                .endsWith("(expected: a folder, or where one can be made)");
        assertThat(work).doesNotExist();
    }

    @Test
    void a_target_that_is_missing_is_made() throws IOException {
        Path target = temporary.resolve("new").resolve("target");
        Path notWork = Files.writeString(temporary.resolve("file"), "mine");

        Ended ended = run("--target", target.toString(), "--work-dir", notWork.toString());

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("--work-dir " + notWork + ": is a file");
        assertThat(target).isDirectory();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--rounds many",
                "--rounds 0",
                "--warm-up many",
                "--warm-up -1",
                "--size 12",
                "--ranges some",
                "--with pigeons",
                "--data /no/such/folder"
            })
    void what_makes_no_sense_is_said_without_java(String words) {
        Ended ended = run((words + " --work-dir " + temporary.resolve("work")).split(" "));

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err().lines()).hasSize(1);
        assertThat(ended.err()).contains("expected").doesNotContain("Exception", "java.", " int");
    }
}
