package io.sluice.harness.cli.sstable;

import static io.sluice.tools.StartedProcess.TIMEOUT;
import static io.sluice.tools.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.cli.Main;
import io.sluice.harness.report.ExitCode;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes that write SSTables and are ended in the middle: the same command again does all of its work. */
@Tag("full")
@Timeout(120)
class InterruptedCommandsTest {
    private static final Path SCHEMA = Path.of("..", "conf", "examples", "users.cql");
    private static final String DATA = "-Data.db";
    private static final String GENERATE = "generate";

    private static final Path ENV = Path.of("/usr/bin/env");

    /** What commands make that nobody ends, once for all tests. */
    @TempDir
    private static Path finished = Path.of("");

    @TempDir
    private Path temporary = Path.of("");

    private record Ended(int code, String out, String err) {}

    @BeforeEach
    void generate() throws Exception {
        whole(GENERATE);
    }

    /** The source of all other commands. */
    private static Path source() {
        return finished.resolve(GENERATE);
    }

    private Path whole(String name) throws Exception {
        Path target = finished.resolve(name);
        if (!Files.exists(target)) {
            assertThat(run(command(name, target)).code()).isZero();
        }
        return target;
    }

    private static List<String> generate(Path target) {
        return List.of(GENERATE, "--schema", SCHEMA.toString(), "--size", "16MiB", "--sstables", "4", "" + target);
    }

    private List<String> command(String name, Path target) {
        return switch (name) {
            case GENERATE -> generate(target);
            case "rewrite" -> List.of("rewrite", "" + source(), "--to", "" + target, "--compression", "deflate");
            default ->
                List.of(
                        "slice",
                        "" + source(),
                        "--to",
                        "" + target,
                        "--range=-8000000000000000000,0",
                        "--range",
                        "5,8000000000000000000");
        };
    }

    /** A build in the background of a shell ignores SIGINT, and so would the processes that it starts. */
    private static List<String> withSignals() {
        return Files.isExecutable(ENV) && Files.isDirectory(Path.of("/proc/self"))
                ? List.of(ENV.toString(), "--default-signal=INT")
                : List.of();
    }

    private Process start(List<String> command) throws IOException {
        List<String> words = new ArrayList<>(List.of("sstable"));
        words.addAll(command);
        ProcessBuilder process = JavaCommand.process(List.of(), Main.class, words.toArray());
        process.command().addAll(0, withSignals());
        return process.redirectOutput(temporary.resolve("out").toFile())
                .redirectError(temporary.resolve("err").toFile())
                .start();
    }

    private Ended end(Process process) throws Exception {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
        return new Ended(
                process.exitValue(),
                Files.readString(temporary.resolve("out")),
                Files.readString(temporary.resolve("err")));
    }

    private Ended run(List<String> command) throws Exception {
        return end(start(command));
    }

    /** When one SSTable is finished and the next is not. */
    private Process startedHalf(List<String> command, Path target) throws Exception {
        Process process = start(command);
        await().atMost(Duration.ofSeconds(40)).until(() -> {
            List<String> names = names(target);
            assertThat(process.isAlive())
                    .as("it has not ended before: %s", names)
                    .isTrue();
            return names.stream().anyMatch(name -> name.endsWith(DATA))
                    && names.stream().anyMatch(name -> name.endsWith(".tmp"));
        });
        return process;
    }

    private static List<String> names(Path folder) {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (UncheckedIOException | IOException renamedMeanwhile) {
            return List.of();
        }
    }

    private String digest(Path folder) throws Exception {
        return run(List.of("digest", "" + folder)).out();
    }

    @ParameterizedTest
    @CsvSource({
        "generate,KILL,137",
        "rewrite,KILL,137",
        "slice,KILL,137",
        "generate,TERM,5",
        "rewrite,INT,5",
        "slice,TERM,5"
    })
    void what_a_signal_ends_is_done_by_the_same_command_again(String name, String signal, int code) throws Exception {
        Path whole = whole(name);
        Path target = temporary.resolve("target");

        Process process = startedHalf(command(name, target), target);
        new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start().waitFor();
        Ended killed = end(process);
        Ended again = run(command(name, target));

        assertThat(killed.code()).as(killed.err()).isEqualTo(code);
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(again.err()).contains("removed what an unfinished command has left");
        assertThat(names(target)).isEqualTo(names(whole));
        assertThat(digest(target)).isEqualTo(digest(whole));
    }

    @Test
    void ctrl_c_says_that_it_was_heard_and_leaves_no_temporary_file() throws Exception {
        Path target = temporary.resolve("target");

        Process process = startedHalf(generate(target), target);
        process.toHandle().destroy();
        Ended ended = end(process);

        assertThat(ended.code()).isEqualTo(ExitCode.CANCELLED.number());
        assertThat(ended.err())
                .contains("sluice: cancelled; the same command again")
                .doesNotContain("Exception");
        assertThat(names(target)).noneMatch(name -> name.endsWith(".tmp"));
    }

    @Test
    void what_is_finished_is_not_replaced() throws Exception {
        String before = digest(source());
        List<String> names = names(source());

        Ended again = run(generate(source()));

        assertThat(again.code()).isNotZero();
        assertThat(again.err()).contains("is there already").doesNotContain("removed");
        assertThat(digest(source())).isEqualTo(before);
        assertThat(names(source())).isEqualTo(names);
    }

    @Test
    void two_commands_at_once_do_not_write_to_one_folder() throws Exception {
        Path target = temporary.resolve("target");
        Process first = startedHalf(generate(target), target);

        StartedProcess second = StartedProcess.java(
                List.of(),
                Main.class,
                Stream.concat(Stream.of("sstable"), generate(target).stream()).toArray());

        assertThat(second.awaitExit(TIMEOUT)).isEqualTo(ExitCode.WRONG_USAGE.number());
        assertThat(second.lines()).anyMatch(line -> line.contains("another command writes there"));
        assertThat(end(first).code()).isZero();
        assertThat(digest(target)).isEqualTo(digest(source()));
    }
}
