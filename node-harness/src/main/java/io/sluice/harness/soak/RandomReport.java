package io.sluice.harness.soak;

import java.util.List;
import java.util.Optional;

/**
 * Results of a cluster under random operations. Immutable.
 *
 * @param seed of all choices
 * @param bytes of generated data
 * @param operations in order
 * @param writes acknowledged by the clients of tables that existed at the end
 * @param missing of these writes, at any replica; for a run that ended early, at all nodes
 * @param ranges compared at the end by digests of all replicas, and how many of them were equal
 * @param partitions looked up at all nodes by the audit
 * @param wrong findings of the audit, as sentences
 * @param processes those that ran at the end
 * @param failure why the run ended early
 */
public record RandomReport(
        long seed,
        String bytes,
        double seconds,
        List<Operation> operations,
        long writes,
        long missing,
        int ranges,
        int equalRanges,
        long partitions,
        List<String> wrong,
        List<Held> processes,
        Optional<String> failure) {
    public RandomReport {
        operations = List.copyOf(operations);
        wrong = List.copyOf(wrong);
        processes = List.copyOf(processes);
    }

    /**
     * An action during an operation, or a failure of it.
     *
     * @param isFailure whether an attempt failed, with {@code text} as the reason
     */
    public record Event(String text, boolean isFailure) {
        @Override
        public String toString() {
            return (isFailure ? "failed: " : "") + text;
        }
    }

    /**
     * One operation.
     *
     * @param atSeconds since the run began
     * @param faults number of injected faults
     * @param schemaChange during the operation; empty for none
     * @param events all actions during the operation, and each failure
     * @param isUnexplained whether an attempt failed though no fault affected it
     */
    public record Operation(
            int number,
            String name,
            double atSeconds,
            double seconds,
            int attempts,
            int faults,
            String schemaChange,
            List<Event> events,
            boolean isUnexplained) {
        public Operation {
            events = List.copyOf(events);
        }
    }

    /**
     * Resources of a process between operations, first and last.
     *
     * @param operations that it has survived between the two
     */
    public record Held(
            String node, int operations, int firstDescriptors, int lastDescriptors, int firstThreads, int lastThreads) {
        private static final int SLACK = 48;

        /** Whether it has no more than at first, within a small tolerance. */
        public boolean isFlat() {
            return lastDescriptors <= firstDescriptors + SLACK && lastThreads <= firstThreads + SLACK;
        }
    }

    /** Whether all data was at its replicas and nowhere else, and nothing had leaked. */
    public boolean isGood() {
        return failure.isEmpty()
                && missing == 0
                && ranges > 0
                && ranges == equalRanges
                && wrong.isEmpty()
                && processes.stream().allMatch(Held::isFlat)
                && operations.stream().noneMatch(Operation::isUnexplained);
    }
}
