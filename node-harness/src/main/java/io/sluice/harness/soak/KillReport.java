package io.sluice.harness.soak;

import java.util.List;

/**
 * What became of runs in each of which something was killed. Immutable.
 *
 * @param seed of the moments
 * @param bytes of generated data in each run
 * @param tooLate runs that were over before anybody was killed; they are not among {@code kills}
 */
public record KillReport(long seed, String bytes, int tooLate, double seconds, List<Kill> kills) {
    public KillReport {
        kills = List.copyOf(kills);
    }

    /** Who is killed, by SIGKILL. */
    public enum Victim {
        /** The node that fetches. */
        RECEIVER,
        /** The node that has most left to send. */
        SOURCE,
        /** Both, at moments of their own. */
        BOTH,
        /** The command that has started all others. */
        COORDINATOR
    }

    /**
     * One run.
     *
     * @param moments what was killed, and when, human-readable
     * @param shares how far it was then: of the bytes that were to come, or, of the command, of the time that a run
     *     takes in which nothing is killed; 0 to 1
     * @param attempts how often the operation was begun until it went through
     * @param resumedBytes what had landed before and did not travel again
     * @param end {@code installed}, or why not
     * @param areContentsEqual whether all replicas of what changed hands held the same at the end
     * @param orphans processes of the run that were still there 30 s after its command had ended
     */
    public record Kill(
            int number,
            Victim victim,
            String moments,
            List<Double> shares,
            int attempts,
            long resumedBytes,
            String end,
            boolean areContentsEqual,
            int orphans,
            double seconds) {
        public Kill {
            shares = List.copyOf(shares);
        }

        /** Whether nothing was lost, and nothing was left. */
        public boolean isGood() {
            return areContentsEqual && orphans == 0 && end.equals("installed");
        }
    }

    /** Whether all runs were good. */
    public boolean isGood() {
        return kills.stream().allMatch(Kill::isGood);
    }
}
