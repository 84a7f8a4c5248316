package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.harness.json.Json;
import io.sluice.tools.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands as processes whose standard output is full, closed, or read by programs. */
@Timeout(120)
class StandardOutputTest {
    private static final Path FULL = Path.of("/dev/full");
    private static final String TABLE = "../sstable-format/src/test/resources/fixtures/types/nb";
    private static final Path EXPECTED = Path.of(TABLE, "expected.json");
    private static final String LOST = "sluice: standard output cannot be written";

    @TempDir
    private Path temporary = Path.of("");

    private ProcessBuilder command(String words) {
        return JavaCommand.process(List.of(), Main.class, (Object[]) words.split(" "))
                .redirectError(temporary.resolve("err").toFile());
    }

    private int end(Process process) throws InterruptedException {
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private String errors() throws IOException {
        return Files.readString(temporary.resolve("err"));
    }

    /** Through the writer of the command line, and through the stream of this process; short ones, and long ones. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "sstable dump " + TABLE,
                "plan --json --ring ../conf/rings/example.yaml --operation bootstrap --node n7"
            })
    void what_cannot_be_written_is_said(String words) throws Exception {
        assumeThat(FULL).exists();

        int code = end(command(words).redirectOutput(FULL.toFile()).start());

        assertThat(errors()).containsOnlyOnce(LOST + " (No space left on device)");
        assertThat(code).isEqualTo(1);
    }

    @Test
    @Tag("full")
    void a_dump_that_nobody_reads_on_ends_before_its_end() throws Exception {
        assertThat(end(command("sstable generate --schema ../conf/examples/users.cql --size 32MiB --sstables 1 "
                                + temporary.resolve("data"))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()))
                .isZero();
        Process dump = command("sstable dump " + temporary.resolve("data")).start();
        dump.getInputStream().read();
        dump.getInputStream().close();

        assertThat(end(dump)).isEqualTo(1);

        assertThat(errors()).containsOnlyOnce(LOST).doesNotContain("cancelled");
    }

    @Test
    void a_dump_is_utf_8_in_any_locale() throws Exception {
        ProcessBuilder dump = command("sstable dump " + TABLE);
        dump.environment().put("LC_ALL", "C");
        Path out = temporary.resolve("out");

        assertThat(end(dump.redirectOutput(out.toFile()).start())).isZero();

        assertThat(Json.MAPPER.readTree(out.toFile())).isEqualTo(Json.MAPPER.readTree(EXPECTED.toFile()));
        assertThat(Files.readString(out).chars()).anyMatch(letter -> letter > 127);
    }
}
