package io.sluice.harness.admin;

import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import java.util.List;
import java.util.Optional;

/**
 * How far a replacement is. Immutable.
 *
 * @param sessions a sample of each session
 * @param streamingNanos from the start of the plan until now, or until its end; 0 while planning
 * @param result there once all sessions have ended
 * @param failure why there will be no result, if so
 */
public record ReplaceState(
        Phase phase,
        List<SessionProgress> sessions,
        long streamingNanos,
        Optional<PlanResult> result,
        Optional<String> failure) {
    /** What a replacement is busy with. */
    public enum Phase {
        /** Asking the replicas what they have. */
        PLANNING,
        /** Fetching it. */
        STREAMING,
        /** All sessions have ended, well or not. */
        ENDED
    }

    public ReplaceState {
        sessions = List.copyOf(sessions);
    }
}
