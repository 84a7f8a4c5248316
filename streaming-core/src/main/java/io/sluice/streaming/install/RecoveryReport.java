package io.sluice.streaming.install;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** What recovery found in a staging directory when a node started, and did about it. Immutable. */
public record RecoveryReport(List<Finding> findings) {
    public RecoveryReport {
        findings = List.copyOf(findings);
    }

    /** What was done. */
    public enum Decision {
        /** It was committed: it is live now. */
        FINISHED,
        /** It was live: only its folder had to go. */
        CLEANED,
        /** It is not wanted any more: the database said so when it was to go live, or has dropped the table. */
        DISCARDED,
        /**
         * It waits for another start: it was committed for a table that is not known here, or the database failed when
         * it was asked about it, or was to make it live.
         */
        WAITING,
        /** It was not committed: what has landed of it is kept for another attempt. */
        KEPT,
        /** It was not committed, and nothing of it is of use. */
        REMOVED,
        /** It was not understood: it lies in {@code quarantine/}, with a text that says why. */
        QUARANTINED
    }

    /**
     * One set of SSTables, of one table of one plan.
     *
     * @param path where it lay
     * @param reason why so, human-readable
     */
    public record Finding(Path path, Decision decision, String reason) {
        @Override
        public String toString() {
            return decision + " " + path + ": " + reason;
        }
    }

    /** A line for each finding. */
    @Override
    public String toString() {
        return findings.isEmpty()
                ? "nothing was left in staging"
                : findings.stream().map(Finding::toString).collect(Collectors.joining("\n"));
    }
}
