package io.sluice.harness.cli;

import io.sluice.harness.report.ExitCode;
import java.util.concurrent.TimeUnit;

/**
 * Ties a process to this one: whoever ends this one ends it, too. It has a while to clean up, and this one then ends
 * with its exit code. Closed once it is over. Thread-safe.
 */
public final class CommonEnd implements AutoCloseable {
    private static final long END_SECONDS = 30;

    private final Process process;
    private final EndHook hook;

    private CommonEnd(Process process) {
        this.process = process;
        this.hook = EndHook.of("end-program", () -> end(process));
    }

    /** Of a process that has just been started. */
    public static CommonEnd with(Process process) {
        return new CommonEnd(process);
    }

    /** The other process. */
    public Process process() {
        return process;
    }

    private static void end(Process process) {
        process.destroy();
        int code = ExitCode.CANCELLED.number();
        try {
            if (process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                code = process.exitValue();
            } else {
                process.destroyForcibly();
            }
        } catch (InterruptedException nobodyWaits) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(code);
    }

    @Override
    public void close() {
        hook.close();
    }
}
