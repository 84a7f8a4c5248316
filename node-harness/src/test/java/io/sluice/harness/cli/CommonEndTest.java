package io.sluice.harness.cli;

import static io.sluice.tools.StartedProcess.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process, and one that it has started and waits for. */
@Timeout(60)
class CommonEndTest {
    private static final String BEGAN = "began ";

    /** Runs a command to its end. */
    static final class Waiting {
        private Waiting() {}

        public static void main(String[] command) throws IOException, InterruptedException {
            try (CommonEnd common = CommonEnd.with(new ProcessBuilder(command).start())) {
                System.out.println(BEGAN + common.process().pid());
                System.out.println("ended with " + common.process().waitFor());
            }
            System.out.println("more work");
        }
    }

    private static ProcessHandle began(StartedProcess process) throws Exception {
        String line = process.awaitLine(any -> any.startsWith(BEGAN));
        return ProcessHandle.of(Long.parseLong(line.substring(BEGAN.length()))).orElseThrow();
    }

    @Test
    void whoever_ends_a_process_ends_the_one_that_it_waits_for() throws Exception {
        try (StartedProcess process = StartedProcess.java(List.of(), Waiting.class, "sleep", "600")) {
            ProcessHandle other = began(process);
            try {
                process.signal("TERM");

                assertThat(process.awaitExit(TIMEOUT))
                        .as("that of the other one")
                        .isEqualTo(143);
                other.onExit().get(10, TimeUnit.SECONDS);
                assertThat(process.lines()).doesNotContain("more work");
            } finally {
                other.destroyForcibly();
            }
        }
    }

    @Test
    void a_process_that_ends_by_itself_is_waited_for() throws Exception {
        try (StartedProcess process = StartedProcess.java(List.of(), Waiting.class, "sh", "-c", "exit 7")) {
            process.awaitSuccess(TIMEOUT);

            assertThat(process.lines()).contains("ended with 7", "more work");
        }
    }
}
