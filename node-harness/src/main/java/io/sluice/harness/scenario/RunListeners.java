package io.sluice.harness.scenario;

import io.sluice.harness.report.RunReport;
import java.io.PrintStream;
import java.util.function.Consumer;

/**
 * The people who watch a run. Immutable.
 *
 * @param watcher is notified of the report whenever there is more in it
 * @param cancelled is run when somebody ends this process before the run is over, after all nodes were killed
 */
public record RunListeners(PrintStream out, boolean isTerminal, Runnable cancelled, Consumer<RunReport> watcher) {
    /** People who only read. */
    public RunListeners(PrintStream out, boolean isTerminal, Runnable cancelled) {
        this(out, isTerminal, cancelled, report -> {});
    }

    void print(String sentence) {
        out.println(sentence);
        out.flush();
    }
}
