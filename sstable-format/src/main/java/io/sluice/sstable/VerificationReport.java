package io.sluice.sstable;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
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
    public record Problem(Component component, OptionalLong offset, String sentence) {
        /** What {@code malformed} says, of the component that it names or else of {@code suspected}. */
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
