package io.sluice.harness.audit;

import java.util.List;

/**
 * What the audit has found. Immutable.
 *
 * @param seconds that it took, the start of its process aside
 */
public record Findings(List<Holding> holdings, double seconds) {
    public Findings {
        holdings = List.copyOf(holdings);
    }

    /**
     * What the files of one node hold of one table.
     *
     * @param expected partitions that were written and belong there
     * @param missing of those that are not there
     * @param different of those that have other content
     * @param foreign that are there, and never belonged there
     * @param unknown that are there, and that nobody wrote
     * @param revived that are alive where they belong, and were deleted
     * @param wholeFiles SSTables that are byte for byte what was written
     * @param decodedFiles SSTables that had to be decoded
     * @param examples of what is wrong, in words
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

        /** Whether all is as it has to be. */
        public boolean isRight() {
            return missing + different + foreign + unknown + revived == 0 && examples.isEmpty();
        }

        @Override
        public String toString() {
            return node + " " + table + ": " + expected + " partitions belong there, " + missing + " missing, "
                    + different + " different, " + foreign + " of others, " + unknown + " that nobody wrote, "
                    + revived + " that were deleted"
                    + (examples.isEmpty() ? "" : " (" + String.join("; ", examples) + ")");
        }
    }

    /** Whether all is as it has to be everywhere. */
    public boolean areRight() {
        return holdings.stream().allMatch(Holding::isRight);
    }

    /** How many nodes were read. */
    public int nodes() {
        return (int) holdings.stream().map(Holding::node).distinct().count();
    }

    /** Partitions that were looked for, at all nodes together. */
    public long expected() {
        return holdings.stream().mapToLong(Holding::expected).sum();
    }
}
