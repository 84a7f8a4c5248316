package io.sluice.sstable;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import java.util.List;
import java.util.OptionalLong;

/**
 * The problems of an SSTable. Immutable.
 *
 * @param sstable folder and name
 * @param problems empty if the SSTable is valid; of more than 100 the first, and a last one that says so
 */
public record VerificationReport(String sstable, List<Problem> problems) {
    public VerificationReport {
        problems = List.copyOf(problems);
    }

    /**
     * One problem.
     *
     * @param component in which it was found
     * @param offset in the file of the component, if the problem has a single place
     * @param sentence for an operator: what, where, actual, expected
     */
    public record Problem(Component component, OptionalLong offset, String sentence) {
        /**
         * The problem of {@code malformed}, for the component that its message names, or {@code suspected} if it names
         * none.
         */
        public static Problem of(Component suspected, SSTableException malformed) {
            String sentence = String.valueOf(malformed.getMessage());
            for (Component component : Component.values()) {
                if (sentence.contains("-" + component.fileName() + " ")) {
                    return new Problem(component, malformed.offset(), sentence);
                }
            }
            return new Problem(suspected, malformed.offset(), sentence);
        }
    }

    public boolean isClean() {
        return problems.isEmpty();
    }
}
