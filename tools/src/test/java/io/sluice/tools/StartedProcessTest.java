package io.sluice.tools;

import static io.sluice.tools.StartedProcess.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class StartedProcessTest {
    private static StartedProcess shell(String script) throws IOException {
        return StartedProcess.start(List.of("sh", "-c", script));
    }

    @Test
    void a_command_is_run_for_its_lines() throws Exception {
        assertThat(StartedProcess.run("sh", "-c", "echo one; echo two >&2")).containsExactly("one", "two");
    }

    @Test
    void a_command_that_fails_says_what_it_has_printed() {
        assertThatThrownBy(() -> StartedProcess.run("sh", "-c", "echo no such thing; exit 3"))
                .isInstanceOf(IOException.class)
                .hasMessage("sh -c echo no such thing; exit 3: ended with code 3 (expected: 0); "
                        + "it has printed: no such thing");
    }

    @Test
    void it_is_asked_and_answers_until_its_input_ends() throws Exception {
        try (StartedProcess process = shell("while read line; do echo \"heard $line\"; done; echo over")) {
            assertThat(process.ask("this", TIMEOUT)).isEqualTo("heard this");
            process.say("that");
            process.endInput();
            process.awaitLine("over");

            assertThat(process.nextLine(TIMEOUT)).isEmpty();
            assertThat(process.lines()).containsExactly("heard this", "heard that", "over");
            assertThat(process.awaitExit(TIMEOUT)).isZero();
        }
    }

    @Test
    void one_that_is_asked_to_end_keeps_its_input() throws Exception {
        try (StartedProcess process =
                shell("trap 'echo asked' TERM; echo up; while :; do if read line; then echo \"$line\"; fi; done")) {
            process.awaitLine("up");
            process.terminate();
            process.say("goes on");

            process.awaitLine("goes on");
            assertThat(process.lines()).contains("asked");
        }
    }

    @Test
    void a_line_that_does_not_come_is_not_awaited_for_ever() throws Exception {
        try (StartedProcess process = shell("echo first; sleep 600")) {
            process.awaitLine("first");

            assertThatThrownBy(() -> process.nextLine(Duration.ofMillis(20)))
                    .hasMessageContaining("no further line within 0 s; it has printed: first");
            assertThatThrownBy(() -> process.awaitExit(Duration.ofMillis(20)))
                    .hasMessageContaining("has not ended within 0 s");
        }
        try (StartedProcess process = shell("echo first")) {
            assertThatThrownBy(() -> process.awaitLine("second"))
                    .hasMessageContaining("its output is over before the line that is awaited");
        }
    }

    @Test
    void what_it_printed_before_it_was_killed_is_there() throws Exception {
        try (StartedProcess process =
                shell("i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo $i; done; exec sleep 600")) {
            process.awaitLine("1000");

            process.kill();

            assertThat(process.lines()).hasSize(1000);
            assertThat(process.process().exitValue()).isEqualTo(137);
        }
    }

    @Test
    void closing_ends_what_it_has_started_too() throws Exception {
        ProcessHandle child;
        try (StartedProcess process = shell("sleep 600 & echo $!; wait")) {
            child = ProcessHandle.of(Long.parseLong(process.awaitLine(line -> true)))
                    .orElseThrow();
        }

        assertThat(child.onExit()).succeedsWithin(TIMEOUT);
    }

    @Test
    void a_signal_has_a_name() throws Exception {
        try (StartedProcess process =
                shell("trap 'echo caught; exit 4' TERM; echo ready; while true; do sleep 0.01; done")) {
            process.awaitLine("ready");

            process.signal("TERM");

            assertThat(process.awaitExit(TIMEOUT)).isEqualTo(4);
            assertThat(process.lines()).last().isEqualTo("caught");
        }
    }
}
