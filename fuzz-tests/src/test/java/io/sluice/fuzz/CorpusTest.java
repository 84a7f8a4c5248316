package io.sluice.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inputs that are kept: seeds from fixtures, what opened new ways, and all that was ever found. */
@Execution(ExecutionMode.CONCURRENT) // time and memory are measured by thread
class CorpusTest {
    private static final Duration LONGEST = Duration.ofSeconds(5);

    /** By the clock of the wall, which goes on while a busy machine does something else. */
    private static final Duration HANG = Duration.ofMinutes(2);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int LONG_BYTES = 1 << 19;

    /** Repeated they open something that never closes, or ask again and again for what is behind. */
    private static final List<String> PATTERNS = List.of(
            "\0",
            "\1",
            "\377",
            "(",
            "[",
            "{\"a\":",
            "<",
            "'",
            "\"",
            "/*",
            "frozen<",
            "ListType(",
            "a:\n ",
            "- ",
            "a, ");

    @ParameterizedTest
    @EnumSource
    void every_kept_input_gives_a_value_or_the_typed_error(FuzzTarget target) throws IOException {
        List<Path> inputs = target.corpus();

        assertThat(inputs).as("seeds in corpus/%s", target).isNotEmpty();
        hold(target, new byte[0], "no bytes");
        boolean isAnyRead = false;
        for (Path input : inputs) {
            hold(target, Files.readAllBytes(input), input.toString());
            isAnyRead |= isRead(target, Files.readAllBytes(input));
        }
        assertThat(isAnyRead)
                .as("a seed in corpus/%s that is no longer refused by its version", target)
                .isTrue();
    }

    private static boolean isRead(FuzzTarget target, byte[] input) {
        try {
            target.parser().parse(input);
            return true;
        } catch (Exception refused) {
            return false;
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void half_a_mebibyte_of_anything_is_read_or_refused_in_time_and_memory_that_are_linear(FuzzTarget target)
            throws IOException {
        byte[] seed = Files.readAllBytes(target.corpus().get(0));
        for (String pattern : PATTERNS) {
            byte[] unit = pattern.getBytes(StandardCharsets.ISO_8859_1);
            byte[] input = new byte[LONG_BYTES];
            for (int i = 0; i < input.length; i++) {
                input[i] = unit[i % unit.length];
            }
            hold(target, input, pattern);
            System.arraycopy(seed, 0, input, 0, Math.min(seed.length, input.length));
            hold(target, input, "a seed, then " + pattern);
        }
    }

    @Test
    void there_is_no_corpus_without_a_target() throws IOException {
        Set<String> targets = Arrays.stream(FuzzTarget.values()).map(Enum::name).collect(Collectors.toSet());
        try (Stream<Path> folders = Files.list(FuzzTarget.CORPUS)) {
            assertThat(folders.map(Path::getFileName).map(Path::toString)).allMatch(targets::contains);
        }
    }

    @Test
    void files_of_targets_side_by_side_have_the_same_names_and_not_the_same_content() throws Exception {
        Path mine = MemoryFiles.file("Index.db", new byte[] {1});
        CompletableFuture<Path> other = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                other.complete(MemoryFiles.file("Index.db", new byte[] {2}));
            } catch (IOException e) {
                other.completeExceptionally(e);
            }
        });
        thread.start();

        assertThat(other.get(20, TimeUnit.SECONDS)).hasBinaryContent(new byte[] {2});
        assertThat(mine).hasBinaryContent(new byte[] {1});
    }

    private static void hold(FuzzTarget target, byte[] input, String what) {
        assertTimeoutPreemptively(
                HANG,
                () -> {
                    MemoryFiles.folder().close(); // makes this thread's file system before memory is measured
                    long before = THREADS.getCurrentThreadCpuTime();
                    Contract.hold(target, input);
                    assertThat(Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - before))
                            .as("CPU time of %s for %s", target, what)
                            .isLessThan(LONGEST);
                },
                () -> target + " hangs on " + what);
    }
}
