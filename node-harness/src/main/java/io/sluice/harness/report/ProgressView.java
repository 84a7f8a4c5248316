package io.sluice.harness.report;

import io.sluice.streaming.progress.SessionProgress;
import java.io.PrintStream;
import java.util.List;

/** Shows people how far a plan is. Not thread-safe. */
public interface ProgressView extends AutoCloseable {
    /** Bars on a terminal, lines anywhere else. */
    static ProgressView on(PrintStream out, boolean isTerminal) {
        return isTerminal ? new ProgressBars() : new ProgressLines(out);
    }

    /**
     * Shows a sample.
     *
     * @param nanos since the plan began
     */
    void show(List<SessionProgress> sessions, long nanos);

    /** Leaves the terminal as it was. */
    @Override
    void close();
}
