package io.sluice.harness.audit;

import java.util.List;

/**
 * The findings of an audit. Immutable.
 *
 * @param seconds duration, without the start of its process
 */
public record Findings(List<Holding> holdings, double seconds) {
    public Findings {
        holdings = List.copyOf(holdings);
    }

    /**
     * What the files of one node hold of one table.
     *
     * @param expected partitions that the node must have
     * @param missing number of these that are absent
     * @param different number of these that have other content
     * @param foreign partitions that never belonged to the node
     * @param unknown partitions that were never written
     * @param revived partitions that were deleted, but are alive at a replica
     * @param wholeFiles SSTables that are byte for byte what was written
     * @param decodedFiles SSTables that had to be decoded
     * @param examples of what is wrong, as text
     */
    public record Holding(
            String node,
            String table,
            long expected,
            long missing,
            long different,
            long foreign,
            long unknown,
            long revived,
            int wholeFiles,
            int decodedFiles,
            List<String> examples) {
        public Holding {
            examples = List.copyOf(examples);
        }

        /** Whether everything is correct. */
        public boolean isRight() {
            return missing + different + foreign + unknown + revived == 0 && examples.isEmpty();
        }

        @Override
        public String toString() {
            return node + " " + table + ": " + expected + " partitions expected, " + missing + " missing, "
                    + different + " different, " + foreign + " foreign, " + unknown + " never written, "
                    + revived + " revived after deletion"
                    + (examples.isEmpty() ? "" : " (" + String.join("; ", examples) + ")");
        }
    }

    /** Whether everything is correct at all nodes. */
    public boolean areRight() {
        return holdings.stream().allMatch(Holding::isRight);
    }

    /** How many nodes were read. */
    public int nodes() {
        return (int) holdings.stream().map(Holding::node).distinct().count();
    }

    /** Number of expected partitions, at all nodes together. */
    public long expected() {
        return holdings.stream().mapToLong(Holding::expected).sum();
    }
}
