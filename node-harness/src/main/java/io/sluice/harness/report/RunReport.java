package io.sluice.harness.report;

import com.fasterxml.jackson.annotation.JsonValue;
import io.sluice.harness.content.StoredDigest;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.streaming.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a run went: what {@code report.json} holds; docs/report.schema.json describes it. Sizes in bytes, times in
 * seconds. Immutable. Long because each part of the document is a record with its documented members.
 *
 * @param scenario the name of the operation
 * @param title what happens, or has happened, in a few words
 * @param phase what the run is busy with
 * @param verified whether all that was to be moved is there, and all replicas hold the same
 * @param failure why not, in one sentence
 * @param end how it ended
 * @param results what became of each table at each node that fetched it
 * @param samples taken while data was streamed, at most some 2000
 * @param marks what was made to go wrong, and when
 * @param audit the last comparison, of files with what was written; empty if the run did not come so far
 * @param repeats of the last of several runs: how many seconds all of them streamed
 * @param baseline the same scenario with other settings, run in turn with this one; empty if there is none
 * @param environment what it takes to repeat the run
 */
public record RunReport(
        String scenario,
        String title,
        String startedAt,
        Phase phase,
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
        Optional<Spread> repeats,
        Optional<Baseline> baseline,
        Environment environment,
        String logs) {
    /**
     * The number of SSTables that were installed: one that was begun again was offered more than once. Of a run that
     * installed none, all that were offered.
     */
    int sstables() {
        return transfer.map(moved -> moved.installed(installed(results)).sstables())
                .orElse(installed(results));
    }

    /** How many SSTables these say were installed. */
    public static int installed(List<Result> results) {
        return results.stream()
                .filter(result -> result.state() == EndState.INSTALLED)
                .mapToInt(Result::sstables)
                .sum();
    }

    /** The same run, as the last of several, and what they are compared with. */
    public RunReport repeated(Spread all, Optional<Baseline> comparedWith) {
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
                comparedWith,
                environment,
                logs);
    }

    /** Whether the run is over, well or not. */
    public boolean hasEnded() {
        return phase == Phase.ENDED;
    }

    /** What a run is busy with. */
    public enum Phase {
        STARTING("starting"),
        STREAMING("streaming"),
        VERIFYING("verifying"),
        /** With nothing: it is over, well or not. */
        ENDED("ended");

        private final String word;

        Phase(String word) {
            this.word = word;
        }

        /** As pages and files have it. */
        @JsonValue
        @Override
        public String toString() {
            return word;
        }
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
    public record End(EndState state, Optional<ErrorCode> code, ExpectedEnd expected, boolean asExpected) {}

    /**
     * What became of a table at a node that fetched it.
     *
     * @param reason empty if it was installed
     * @param writes since when the node has all writes to what it fetched; empty if its database did not say
     */
    public record Result(
            String node, String table, EndState state, String reason, int sstables, long bytes, String writes) {}

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
     * @param options all else that was asked for, by the names of a scenario file
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
            List<String> tables,
            Map<String, String> options) {
        public Setting {
            options = Map.copyOf(options);
        }
    }

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

    /**
     * What moved.
     *
     * @param sstables that were installed; as long as none is, all that were offered
     */
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

        /** The same transfer, of which so many SSTables were installed: a failed session has offered more. */
        public Transfer installed(int number) {
            int counted = number > 0 ? number : sstables;
            return new Transfer(seconds, bytes, megabytesPerSecond, files, counted, mode, verificationSeconds);
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

    /**
     * The same scenario with other settings, run as often as this one and in turn with it.
     *
     * @param name as scenarios have it
     * @param mode in which its SSTables travelled
     * @param settings in which it differs, with their values in the baseline
     * @param seconds that its runs streamed
     * @param ratio of its seconds to those of the run next to it, pair by pair: above 1 the baseline is slower
     */
    public record Baseline(String name, String mode, Map<String, String> settings, Spread seconds, Spread ratio) {
        public Baseline {
            settings = Map.copyOf(settings);
        }
    }

    /**
     * What it takes to repeat a run.
     *
     * @param version of Sluice
     * @param command as it was given; empty if it was none
     * @param settings that nodes were given, but for secrets
     * @param system the operating system, with its release
     * @param memoryBytes of the machine
     * @param fileSystem of the work directory
     * @param congestionControl the machine's default; a setting may name another
     * @param load the average of the minute before the run, in processors
     */
    public record Environment(
            String version,
            String command,
            Map<String, String> settings,
            String java,
            String system,
            int processors,
            long memoryBytes,
            String fileSystem,
            String congestionControl,
            double load) {
        public Environment {
            settings = Map.copyOf(settings);
        }
    }

    /** What was compared. */
    public enum Compared {
        /** The bytes in which all store the range, which are the same everywhere: so are the rows. */
        FILES,
        /** The rows, as not all of them are stored in the same way. */
        ROWS
    }

    /** One comparison of contents: the same range of a table on several nodes. */
    public record Check(String table, String range, boolean equal, Compared compared, List<Held> held) {
        /** Equal if all could be read and hold the same. */
        public static Check of(String table, String range, Compared compared, List<Held> held) {
            boolean equal = held.stream().allMatch(one -> one.content().isPresent())
                    && held.stream().map(Held::content).distinct().count() == 1;
            return new Check(table, range, equal, compared, List.copyOf(held));
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
            Rows rows = new Rows(digest.partitions(), digest.rows(), digest.cells());
            return new Held(node, Optional.of(new Content(digest.hex(), Optional.of(rows))), Optional.empty());
        }

        public static Held of(String node, StoredDigest digest) {
            return new Held(node, Optional.of(new Content(digest.hex(), Optional.empty())), Optional.empty());
        }

        public static Held unreadable(String node, String problem) {
            return new Held(node, Optional.empty(), Optional.of(problem));
        }

        @Override
        public String toString() {
            return node + " " + content.map(Content::toString).or(() -> problem).orElseThrow();
        }
    }

    /**
     * Content in a comparable form.
     *
     * @param digest of rows: equal for equal content, wherever it lies; else of the bytes in which it is stored
     * @param rows how many, if they were read
     */
    public record Content(String digest, Optional<Rows> rows) {
        @Override
        public String toString() {
            return digest + rows.map(counts -> " " + counts).orElse("");
        }
    }

    /** How much there is. */
    public record Rows(long partitions, long rows, long cells) {
        @Override
        public String toString() {
            return "(" + partitions + " partitions, " + rows + " rows, " + cells + " cells)";
        }
    }
}
