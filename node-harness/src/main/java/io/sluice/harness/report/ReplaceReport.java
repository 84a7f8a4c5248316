package io.sluice.harness.report;

import io.sluice.sstable.data.ContentDigest;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a replacement of a node went: what {@code report.json} holds. Sizes in bytes, times in seconds. Immutable.
 *
 * @param verified whether the replacement holds what the dead node held, and what its replicas hold
 * @param failure why not, in one sentence
 */
public record ReplaceReport(
        String scenario,
        String startedAt,
        Setting setting,
        boolean verified,
        Optional<String> failure,
        Optional<Transfer> transfer,
        List<Source> sources,
        List<Usage> processes,
        List<Check> checks,
        Optional<LoadResult> load,
        String logs) {
    /** What was asked for. */
    public record Setting(
            int nodes, int replicationFactor, String data, String deadNode, String replacement, List<String> tables) {}

    /** What moved. */
    public record Transfer(
            double seconds,
            long bytes,
            double megabytesPerSecond,
            int files,
            int sstables,
            String mode,
            double verificationSeconds) {
        /** The same transfer, now that its verification has taken so long. */
        public Transfer verifiedIn(double seconds) {
            return new Transfer(this.seconds, bytes, megabytesPerSecond, files, sstables, mode, seconds);
        }
    }

    /** What one source sent. */
    public record Source(String node, String address, long bytes, int files, int sstables, String mode, String state) {}

    /** What a node process used while data was streamed, and the most memory that it ever had. */
    public record Usage(
            String node,
            String role,
            Optional<Double> cpuSeconds,
            Optional<Double> systemCpuSeconds,
            Optional<Long> peakMemoryBytes) {}

    /**
     * What was written during the run, and whether all of it is there.
     *
     * @param longestMillis that a batch of writes took
     * @param hints writes that a replica took only later
     * @param keys that were acknowledged at least once
     * @param rowsAsked each key at each of its replicas
     * @param missing rows that are older than what was acknowledged, or not there
     */
    public record LoadResult(
            int writesPerSecond,
            String consistency,
            long sent,
            long acknowledged,
            int hints,
            long longestMillis,
            long keys,
            long rowsAsked,
            long missing,
            List<String> examples) {
        public LoadResult {
            examples = List.copyOf(examples);
        }
    }

    /** One comparison of contents: the same range of a table on several nodes. */
    public record Check(String table, String range, boolean equal, List<Held> held) {
        /** Equal if all could be read and hold the same. */
        public static Check of(String table, String range, List<Held> held) {
            boolean equal = held.stream().allMatch(one -> one.content().isPresent())
                    && held.stream().map(Held::content).distinct().count() == 1;
            return new Check(table, range, equal, List.copyOf(held));
        }

        @Override
        public String toString() {
            return table + " tokens " + range + (equal ? " are equal: " : " differ: ")
                    + held.stream().map(Held::toString).collect(Collectors.joining("; "));
        }
    }

    /**
     * What one node holds of a range.
     *
     * @param content empty if the files cannot be read
     * @param problem why they cannot be read
     */
    public record Held(String node, Optional<Content> content, Optional<String> problem) {
        public static Held of(String node, ContentDigest digest) {
            Content content = new Content(digest.hex(), digest.partitions(), digest.rows(), digest.cells());
            return new Held(node, Optional.of(content), Optional.empty());
        }

        public static Held unreadable(String node, String problem) {
            return new Held(node, Optional.empty(), Optional.of(problem));
        }

        @Override
        public String toString() {
            return node + " " + content.map(Content::toString).or(() -> problem).orElseThrow();
        }
    }

    /** Content in a comparable form: the digest is equal for equal content, wherever it lies. */
    public record Content(String digest, long partitions, long rows, long cells) {
        @Override
        public String toString() {
            return digest + " (" + partitions + " partitions, " + rows + " rows, " + cells + " cells)";
        }
    }
}
