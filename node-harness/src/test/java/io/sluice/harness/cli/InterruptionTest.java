package io.sluice.harness.cli;

import static io.sluice.tools.StartedProcess.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.report.ExitCode;
import io.sluice.tools.StartedProcess;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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

    private static StartedProcess start(String how) throws Exception {
        return StartedProcess.java(List.of(), Work.class, how);
    }

    @Test
    void work_ends_in_order_and_the_process_with_our_code() throws Exception {
        try (StartedProcess process = start("until asked")) {
            process.awaitLine("working");

            process.signal("TERM"); // which ends a virtual machine as Ctrl-C does

            assertThat(process.awaitExit(TIMEOUT)).isEqualTo(5);
            assertThat(process.lines()).containsExactly("working", "over, asked: true");
        }
    }

    @Test
    void work_that_nobody_interrupts_goes_on() throws Exception {
        try (StartedProcess process = start("at once")) {
            process.awaitSuccess(TIMEOUT);

            assertThat(process.lines()).containsExactly("working", "over, asked: false", "more work");
        }
    }
}
