package io.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.tools.JavaCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkProgressTest {
    private static final String CLEARED = "\r\u001b[K";
    private static final Path SCRIPT = Path.of("/usr/bin/script");

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final AtomicReference<Step> step = new AtomicReference<>(Step.ofBytes("decoding rows", 0, 0));
    private final WorkProgress progress =
            new WorkProgress(new PrintStream(printed, true, StandardCharsets.UTF_8), false, step::get, 0);

    private List<String> lines() {
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private void lookAt(double seconds) {
        progress.look((long) (seconds * TimeUnit.SECONDS.toNanos(1)));
    }

    @Test
    void a_line_has_the_phase_the_share_the_rate_and_the_time_left() {
        lookAt(0);
        step.set(Step.ofBytes("decoding rows", 25L << 20, 100L << 20));

        lookAt(5);

        assertThat(lines()).containsExactly("decoding rows: 25.0 %, 25.00 MiB of 100.00 MiB, 5.00 MiB/s, 15 s left");
    }

    @Test
    void short_work_prints_nothing_and_long_work_now_and_then() {
        step.set(Step.ofBytes("decoding rows", 1, 100));
        lookAt(0);
        lookAt(1.9);
        assertThat(lines()).isEmpty();

        for (int tenths = 20; tenths < 120; tenths++) {
            lookAt(tenths / 10.0);
        }

        assertThat(lines()).hasSize(2);
    }

    @Test
    void an_estimate_that_was_too_low_is_never_passed() {
        assertThat(Step.ofBytes("sending", 379, 347).text(1)).isEqualTo("sending: 100.0 %, 347 B of 347 B");
    }

    @Test
    void a_hundred_per_cent_is_said_once_and_then_that_the_disk_still_takes_it() {
        lookAt(0);
        step.set(Step.ofBytes("rewriting", 100, 100));

        lookAt(5);
        lookAt(10);
        lookAt(15);

        assertThat(lines())
                .containsExactly(
                        "rewriting: 100.0 %, 100 B of 100 B",
                        "rewriting: all of it, finishing, for 5 s", "rewriting: all of it, finishing, for 10 s");
    }

    @Test
    void what_is_not_known_is_not_said() {
        assertThat(Step.ofBytes("fetching Cassandra", 0, 0).text(7)).isEqualTo("fetching Cassandra, for 7 s");
        assertThat(new Step("comparing", 0, 12, "ranges").text(3)).isEqualTo("comparing: 0.0 %, 0 of 12 ranges");
        assertThat(new Step("comparing", 3, 1203, "ranges").text(3))
                .isEqualTo("comparing: 0.2 %, 3 of 1203 ranges, 1.0/s, 20 min left");
    }

    @Test
    void of_slow_things_the_time_of_each_is_said() {
        assertThat(new Step("replacing", 4, 7, "steps").text(120))
                .isEqualTo("replacing: 57.1 %, 4 of 7 steps, 30 s each, 90 s left");
    }

    @Test
    void the_rate_is_that_of_the_phase() {
        lookAt(0);
        step.set(Step.ofBytes("checking", 0, 100));
        lookAt(100);
        step.set(Step.ofBytes("checking", 50, 100));

        lookAt(110);

        assertThat(lines()).last().asString().contains("5 B/s, 10 s left");
    }

    @Test
    void a_terminal_has_a_bar_for_each_phase() {
        try (WorkProgress bars =
                new WorkProgress(new PrintStream(printed, true, StandardCharsets.UTF_8), true, step::get, 0)) {
            step.set(Step.ofBytes("first", 400L << 20, 300L << 20));
            bars.look(0);
            bars.aside(() -> printed.writeBytes("a result\n".getBytes(StandardCharsets.UTF_8)));
            step.set(new Step("second", 1, 4, "ranges"));
            bars.look(TimeUnit.SECONDS.toNanos(1));
        }

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .containsSubsequence(
                        CLEARED + "first 100%",
                        "300/300 MiB",
                        CLEARED + "a result\n" + CLEARED + CLEARED + "second  25%",
                        "1/4 ranges")
                .endsWith(CLEARED);
    }

    @Test
    void details_stand_below_the_bar_and_are_drawn_over() {
        AtomicReference<List<String>> details = new AtomicReference<>(List.of("  one", "  two"));
        try (WorkProgress bars = new WorkProgress(
                new PrintStream(printed, true, StandardCharsets.UTF_8), true, step::get, details::get, 0)) {
            step.set(Step.ofBytes("bringing", 100L << 20, 300L << 20).noting("a note for lines"));
            bars.look(0);
            details.set(List.of("  three"));
            bars.look(TimeUnit.SECONDS.toNanos(1));
            bars.aside(() -> printed.writeBytes("a result\n".getBytes(StandardCharsets.UTF_8)));
        }

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .containsSubsequence(
                        CLEARED + "bringing  33%",
                        "\n  one\n  two\r\u001b[2A\u001b[Jbringing  33%",
                        "\n  three\r\u001b[1A\u001b[Ja result\n")
                .doesNotContain("a note for lines");
    }

    @Test
    void details_are_for_a_terminal() {
        WorkProgress logged = new WorkProgress(
                new PrintStream(printed, true, StandardCharsets.UTF_8), false, step::get, () -> List.of("  one"), 0);

        logged.look(TimeUnit.SECONDS.toNanos(2));

        assertThat(lines()).containsExactly("decoding rows, for 0 s");
    }

    @Test
    void what_was_done_before_says_nothing_of_the_rate() {
        step.set(Step.ofBytes("bringing", 50L << 20, 100L << 20));
        lookAt(0);
        step.set(Step.ofBytes("bringing", 60L << 20, 100L << 20));

        lookAt(5);

        assertThat(lines()).last().asString().endsWith("60.00 MiB of 100.00 MiB, 2.00 MiB/s, 20 s left");
    }

    /** Goes through two phases, and prints in between. */
    static final class TwoPhases {
        private TwoPhases() {}

        public static void main(String[] arguments) throws InterruptedException {
            AtomicReference<Step> now = new AtomicReference<>(Step.ofBytes("first", 400L << 20, 300L << 20));
            try (WorkProgress shown = WorkProgress.of(now::get)) {
                TimeUnit.MILLISECONDS.sleep(700); // the work: a thread looks at it in real time
                shown.aside(() -> System.out.println("a result"));
                now.set(new Step("second", 1, 4, "ranges"));
                TimeUnit.MILLISECONDS.sleep(700);
            }
            System.out.println("the end");
        }
    }

    @Test
    @Tag("full")
    void a_terminal_has_a_bar_for_each_phase_and_results_on_lines_of_their_own() throws Exception {
        assumeThat(Files.isExecutable(SCRIPT))
                .as("script(1), which makes a terminal")
                .isTrue();
        List<String> words = JavaCommand.words(List.of("-Dsluice.terminal.err=true"), TwoPhases.class.getName());

        Process process = new ProcessBuilder(
                        SCRIPT.toString(),
                        "-qec",
                        words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" ")),
                        "/dev/null")
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String seen = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8); // returns and all

        assertThat(process.waitFor()).isZero();
        assertThat(seen).contains("\r\u001b[Kfirst 100%", "300/300 MiB", "\r\u001b[Ksecond  25%", "1/4 ranges");
        assertThat(seen).contains("\r\u001b[Ka result\r\n", "\r\u001b[Kthe end\r\n");
    }
}
