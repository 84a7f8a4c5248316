package io.sluice.harness.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;

/**
 * What happens on Ctrl-C while work is under way: it is asked to stop, has a while to clean up, and the process ends
 * with a code of ours. Closed by whoever does the work, when it is over. Thread-safe.
 */
public final class Interruption implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 15;

    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicBoolean happened = new AtomicBoolean();
    private final Thread hook;

    private Interruption(Runnable stop, IntSupplier code) {
        this.hook = new Thread(() -> end(stop, code), "interruption");
    }

    /**
     * Waits for Ctrl-C from now on.
     *
     * @param stop asks the work to end, at once
     * @param code of the process, asked for once the work is over
     */
    public static Interruption of(Runnable stop, IntSupplier code) {
        var interruption = new Interruption(stop, code);
        Runtime.getRuntime().addShutdownHook(interruption.hook);
        return interruption;
    }

    /** Whether Ctrl-C was pressed. */
    boolean happened() {
        return happened.get();
    }

    private void end(Runnable stop, IntSupplier code) {
        happened.set(true);
        stop.run();
        try {
            if (!over.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("sluice: what runs does not end within " + PATIENCE_SECONDS + " s; left as it is");
            }
        } catch (InterruptedException nobodyWaits) {
            Thread.currentThread().interrupt();
        }
        // This is a shutdown hook already: only halt still decides the exit code.
        Runtime.getRuntime().halt(code.getAsInt());
    }

    @Override
    public void close() {
        over.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException alreadyEnding) {
            awaitHalt();
        }
    }

    /** The hook ends the process: whoever did the work has nothing more to say. */
    private void awaitHalt() {
        try {
            hook.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
