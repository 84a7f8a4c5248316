package io.sluice.harness.report;

import com.fasterxml.jackson.annotation.JsonValue;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.streaming.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a run went: what {@code report.json} holds; docs/report.schema.json describes it. Sizes in bytes, times in
 * seconds. Immutable.
 *
 * @param scenario the name of the operation
 * @param title what happens, or has happened, in a few words
 * @param phase what the run is busy with, or {@link #ENDED}
 * @param verified whether all that was to be moved is there, and all replicas hold the same
 * @param failure why not, in one sentence
 * @param end how it ended
 * @param results what became of each table at each node that fetched it
 * @param samples taken while data was streamed, at most some 2000
 * @param marks what was made to go wrong, and when
 * @param audit the last comparison, of files with what was written; empty if the run did not come so far
 * @param repeats of the last of several runs: how long all of them took
 */
public record RunReport(
        String scenario,
        String title,
        String startedAt,
        String phase,
        Setting setting,
        List<Member> members,
        boolean verified,
        Optional<String> failure,
        End end,
        List<Result> results,
        Optional<Transfer> transfer,
        List<Source> sources,
        List<Usage> processes,
        List<Check> checks,
        Optional<Audit> audit,
        Optional<LoadResult> load,
        List<Sample> samples,
        List<Mark> marks,
        Optional<Repeats> repeats,
        String logs) {
    /** The phase of a run that is over. */
    public static final String ENDED = "ended";

    /** The same run, as the last of several. */
    public RunReport repeated(Repeats all) {
        return new RunReport(
                scenario,
                title,
                startedAt,
                phase,
                setting,
                members,
                verified,
                failure,
                end,
                results,
                transfer,
                sources,
                processes,
                checks,
                audit,
                load,
                samples,
                marks,
                Optional.of(all),
                logs);
    }

    /** Whether the run is over, well or not. */
    public boolean hasEnded() {
        return phase.equals(ENDED);
    }

    /** Where a run stands. */
    public enum EndState {
        RUNNING("running"),
        INSTALLED("installed"),
        FAILED("failed"),
        /** Before anything was moved. */
        REFUSED("refused"),
        /** Some of it is installed. */
        PARTLY("partly");

        private final String word;

        EndState(String word) {
            this.word = word;
        }

        /** As pages and files have it. */
        @JsonValue
        @Override
        public String toString() {
            return word;
        }
    }

    /**
     * How a run ended.
     *
     * @param code the error code of the first cause, if it is one of streaming
     * @param expected how it was to end
     * @param asExpected whether it did
     */
    public record End(EndState state, Optional<ErrorCode> code, String expected, boolean asExpected) {}

    /**
     * What became of a table at a node that fetched it.
     *
     * @param reason empty if it was installed
     * @param writes since when the node has all writes to what it fetched; empty if its database did not say
     */
    public record Result(
            String node, String table, String state, String reason, int sstables, long bytes, String writes) {}

    /**
     * A node of the run.
     *
     * @param tokens as texts: not every reader of JSON keeps 64 bits
     * @param role source, receiver, dead, replacement, joining, leaving or member
     */
    public record Member(String name, String address, List<String> tokens, String role) {}

    /**
     * How far everything was at one moment.
     *
     * @param seconds since streaming began
     * @param receivedBytes from each source until then, by its label
     * @param cpuSeconds of each process since streaming began
     */
    public record Sample(double seconds, Map<String, Long> receivedBytes, Map<String, Double> cpuSeconds) {}

    /**
     * Something that happened, as a fault that was made on purpose.
     *
     * @param seconds since streaming began
     * @param killed the name of the node that was killed; empty if it is something else
     */
    public record Mark(double seconds, String text, Optional<String> killed) {}

    /**
     * What was asked for.
     *
     * @param deadNode of a replacement and a removal
     * @param replacement of a replacement
     */
    public record Setting(
            int nodes,
            int replicationFactor,
            List<String> dcs,
            int racks,
            int vnodes,
            String data,
            Optional<String> deadNode,
            Optional<String> replacement,
            List<String> tables) {}

    /**
     * What the files of all nodes were found to hold, by a process that knows tokens and what was written, partition by
     * partition, and shares neither ring nor ranges with the nodes.
     *
     * @param partitions that were looked for, at all nodes together
     * @param wholeFiles SSTables that are byte for byte what was written
     * @param decodedFiles the others: their rows were compared
     * @param right whether nothing is missing, different, at a node that never owned it, or written by nobody
     * @param problems of each node and table that is not right, in words
     */
    public record Audit(
            long partitions,
            int nodes,
            int wholeFiles,
            int decodedFiles,
            double seconds,
            boolean right,
            List<String> problems) {}

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

    /**
     * What one source sent to one node.
     *
     * @param attempt at the change that it belongs to, from 1: each one after a failure is another
     * @param offers how its SSTables travelled, of the first 200
     * @param label distinguishes it from the others in pictures
     * @param bytes that travelled
     * @param bytesResumed besides: what had landed in an earlier attempt, and did not travel again
     */
    public record Source(
            String node,
            String address,
            String to,
            int attempt,
            String label,
            long bytes,
            long bytesTotal,
            long bytesResumed,
            int files,
            int filesTotal,
            int sstables,
            String mode,
            String state,
            List<Offer> offers) {
        public Source {
            offers = List.copyOf(offers);
        }
    }

    /**
     * How one SSTable of a source travelled, and why.
     *
     * @param mode whole, slice or rows
     */
    public record Offer(String table, String sstable, String mode, long bytes, String why) {}

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
