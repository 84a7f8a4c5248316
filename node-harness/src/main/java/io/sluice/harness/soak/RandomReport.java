package io.sluice.harness.soak;

import java.util.List;
import java.util.Optional;

/**
 * What became of a cluster to which random things were done for a while. Immutable.
 *
 * @param seed of all choices
 * @param bytes of generated data
 * @param operations in order
 * @param writes acknowledged by the clients of tables that were there at the end
 * @param missing of them, at any replica; of a run that ended early, at all nodes
 * @param ranges compared at the end by digests of all replicas, and how many of them were equal
 * @param partitions looked for at all nodes by the audit
 * @param wrong what the audit has found, in words
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
     * One operation.
     *
     * @param atSeconds since the run began
     * @param faults how many came
     * @param schemaChange made meanwhile; empty for none
     * @param events all that was done meanwhile, and each failure
     * @param isUnexplained whether an attempt failed though nothing was done to it
     */
    public record Operation(
            int number,
            String name,
            double atSeconds,
            double seconds,
            int attempts,
            int faults,
            String schemaChange,
            List<String> events,
            boolean isUnexplained) {
        public Operation {
            events = List.copyOf(events);
        }
    }

    /**
     * What a process held between operations, first and last.
     *
     * @param operations that it has lived through between the two
     */
    public record Held(
            String node, int operations, int firstDescriptors, int lastDescriptors, int firstThreads, int lastThreads) {
        private static final int SLACK = 48;

        /** Whether it holds no more than then, but for a few of what comes and goes. */
        public boolean isFlat() {
            return lastDescriptors <= firstDescriptors + SLACK && lastThreads <= firstThreads + SLACK;
        }
    }

    /** Whether everything was where it belongs, nothing else was anywhere, and nothing had leaked. */
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
