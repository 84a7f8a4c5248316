package io.sluice.harness.cli;

import io.sluice.harness.report.ExitCode;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.WorkProgress;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The work of a command that takes long: people see how far it is, and Ctrl-C ends it at its next step, so that it
 * cleans up behind itself, and the process with the code of a cancelled one. Confined to the thread that works, who
 * closes it.
 */
public final class LongWork implements AutoCloseable {
    private final AtomicReference<Step> step = new AtomicReference<>(Step.ofBytes("beginning", 0, 0));
    private final Interruption interruption;
    private final WorkProgress progress;

    private LongWork(String afterwards, boolean isShown) {
        this.interruption =
                Interruption.of(() -> System.err.println("sluice: cancelled" + afterwards), ExitCode.CANCELLED::number);
        this.progress = isShown ? WorkProgress.of(step::get) : WorkProgress.hidden(step::get);
    }

    /**
     * Begins.
     *
     * @param afterwards what somebody should know who cancels it, behind the word {@code cancelled}; may be empty
     */
    public static LongWork begin(String afterwards) {
        return new LongWork(afterwards, true);
    }

    /** Begins to write results to standard output, between which there would be no place for a bar on a terminal. */
    public static LongWork beginPrinting() {
        return new LongWork("", !Boolean.getBoolean("sluice.terminal"));
    }

    /** The next phase, of so many bytes; 0 if that is not known. */
    public void phase(String name, long totalBytes) {
        phase(name, totalBytes, "");
    }

    /** The next phase, in which {@code things} are counted. */
    public void phase(String name, long total, String things) {
        step.set(new Step(name, 0, total, things));
    }

    /**
     * So much more is done.
     *
     * @throws CancellationException if it was cancelled: whoever works cleans up, and lets it pass
     */
    public void add(long more) {
        step.updateAndGet(now -> now.plus(more));
        if (interruption.happened()) {
            throw new CancellationException("cancelled");
        }
    }

    /** Runs what writes to the terminal, which the bar leaves alone meanwhile. */
    public void aside(Runnable writes) {
        progress.aside(writes);
    }

    /** Shows no more; waits for the end of the process if it was cancelled. */
    @Override
    public void close() {
        progress.close();
        interruption.close();
    }
}
