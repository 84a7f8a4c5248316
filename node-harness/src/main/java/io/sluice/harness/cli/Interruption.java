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
    private final EndHook hook;

    private Interruption(Runnable stop, IntSupplier code) {
        this.hook = EndHook.of("interruption", () -> end(stop, code));
    }

    /**
     * Waits for Ctrl-C from now on.
     *
     * @param stop asks the work to end, at once
     * @param code of the process, asked for once the work is over
     */
    public static Interruption of(Runnable stop, IntSupplier code) {
        return new Interruption(stop, code);
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
        Runtime.getRuntime().halt(code.getAsInt());
    }

    @Override
    public void close() {
        over.countDown();
        hook.close();
    }
}
