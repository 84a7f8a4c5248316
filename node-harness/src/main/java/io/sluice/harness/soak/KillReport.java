package io.sluice.harness.soak;

import java.util.List;
import java.util.Optional;

/**
 * Results of runs in each of which some process was killed. Immutable.
 *
 * @param seed of the moments
 * @param bytes of generated data in each run
 * @param tooLate runs that ended well before the kill; they are not among {@code kills}
 */
public record KillReport(long seed, String bytes, int tooLate, double seconds, List<Kill> kills) {
    public KillReport {
        kills = List.copyOf(kills);
    }

    /** Which process is killed, by SIGKILL. */
    public enum Victim {
        /** The node that fetches. */
        RECEIVER,
        /** The node that has most left to send. */
        SOURCE,
        /** Both, the source first. */
        BOTH,
        /** The command that started all others. */
        COORDINATOR
    }

    /**
     * One run.
     *
     * @param victim who was killed: of two nodes that were to be killed perhaps only one
     * @param moments what was killed and when, human-readable
     * @param shares progress at each kill, 0 to 1: of the bytes to receive, or, for the command, of the duration of a
     *     run without kills
     * @param attempts how often the operation was started until it succeeded
     * @param resumedBytes bytes retained from before the kill, not sent again
     * @param failure why the operation did not succeed; empty if it did
     * @param areContentsEqual whether all replicas of the ranges that moved had equal content at the end
     * @param orphans processes of the run that still existed 30 s after its command had ended
     */
    public record Kill(
            int number,
            Victim victim,
            String moments,
            List<Double> shares,
            int attempts,
            long resumedBytes,
            Optional<String> failure,
            boolean areContentsEqual,
            int orphans,
            double seconds) {
        public Kill {
            shares = List.copyOf(shares);
        }

        /** Whether no data was lost and no process was orphaned. */
        public boolean isGood() {
            return areContentsEqual && orphans == 0 && failure.isEmpty();
        }

        /** Whether it ended well before anything was killed, and so says nothing. */
        boolean isTooLate() {
            return moments.isEmpty() && isGood();
        }

        /** Its outcome, human-readable. */
        public String end() {
            return failure.orElse("installed");
        }
    }

    /** Whether all runs were good. */
    public boolean isGood() {
        return kills.stream().allMatch(Kill::isGood);
    }
}
