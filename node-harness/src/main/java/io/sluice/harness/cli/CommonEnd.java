package io.sluice.harness.cli;

import io.sluice.harness.report.ExitCode;
import java.util.concurrent.TimeUnit;

/**
 * A process that whoever ends this one ends, too: it has a while to clean up, and this one then ends with its exit
 * code. Closed once it is over. Thread-safe.
 */
public final class CommonEnd implements AutoCloseable {
    private static final long END_SECONDS = 30;

    private final Process process;
    private final Thread hook;

    private CommonEnd(Process process) {
        this.process = process;
        this.hook = new Thread(this::end, "end-program");
    }

    /** Of a process that has just been started. */
    public static CommonEnd with(Process process) {
        CommonEnd common = new CommonEnd(process);
        Runtime.getRuntime().addShutdownHook(common.hook);
        return common;
    }

    /** The other process. */
    public Process process() {
        return process;
    }

    private void end() {
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
        // This is a shutdown hook already: only halt still decides the exit code.
        Runtime.getRuntime().halt(code);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException alreadyEnding) {
            awaitHalt();
        }
    }

    /** The hook ends this process: whoever waited for the other one has nothing more to say. */
    private void awaitHalt() {
        try {
            hook.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
