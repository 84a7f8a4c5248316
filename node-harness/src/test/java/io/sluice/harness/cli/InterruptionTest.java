package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.report.ExitCode;
import io.sluice.tools.JavaCommand;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ctrl-C, in a process of its own: the work is asked to end, ends in order, and the code is ours. */
@Timeout(60)
class InterruptionTest {
    /** Works until it is asked not to, and says so. */
    static final class Work {
        private Work() {}

        public static void main(String[] arguments) throws InterruptedException {
            CountDownLatch stop = new CountDownLatch(1);
            try (Interruption interruption = Interruption.of(stop::countDown, ExitCode.CANCELLED::number)) {
                System.out.println("working");
                if (arguments[0].equals("until asked")) {
                    stop.await();
                }
                System.out.println("over, asked: " + interruption.happened());
            }
            System.out.println("more work");
        }
    }

    private static Process start(String how) throws Exception {
        return JavaCommand.process(List.of(), Work.class, how)
                .redirectErrorStream(true)
                .start();
    }

    @Test
    void work_ends_in_order_and_the_process_with_our_code() throws Exception {
        Process process = start("until asked");
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        assertThat(out.readLine()).isEqualTo("working");

        process.toHandle().destroy(); // SIGTERM, which ends a virtual machine as Ctrl-C does

        assertThat(out.lines()).containsExactly("over, asked: true");
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(5);
    }

    @Test
    void work_that_nobody_interrupts_goes_on() throws Exception {
        Process process = start("at once");

        assertThat(process.inputReader(StandardCharsets.UTF_8).lines())
                .containsExactly("working", "over, asked: false", "more work");
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }
}
