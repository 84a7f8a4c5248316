package io.sluice.sstable;

import io.sluice.sstable.component.Component;
import java.util.List;
import java.util.OptionalLong;

/**
 * What is wrong with an SSTable. Immutable.
 *
 * @param sstable folder and name
 * @param problems none if all is well
 */
public record VerificationReport(String sstable, List<Problem> problems) {
    public VerificationReport {
        problems = List.copyOf(problems);
    }

    /**
     * One thing that is wrong.
     *
     * @param component in which it was seen
     * @param offset in the file of the component, if it has one place
     * @param sentence for a person: what, where, actual, expected
     */
    public record Problem(Component component, OptionalLong offset, String sentence) {}

    public boolean isClean() {
        return problems.isEmpty();
    }
}
