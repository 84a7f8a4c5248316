package io.sluice.harness.scenario;

import java.io.PrintStream;

/**
 * The people who watch a run. Immutable.
 *
 * @param cancelled is run when somebody ends this process before the run is over, after all nodes were killed
 */
public record Audience(PrintStream out, boolean isTerminal, Runnable cancelled) {
    void tell(String sentence) {
        out.println(sentence);
        out.flush();
    }
}
