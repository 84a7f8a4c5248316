package io.sluice.harness.admin;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.Operation.Priority;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * How far a node is with what it fetches for one plan. Immutable.
 *
 * @param priority now
 * @param sessions a sample of each session
 * @param streamingNanos from the start of streaming until now, or until its end; 0 while planning
 * @param quietNanos since the last byte arrived, of all sessions together; 0 while planning and at the end
 * @param result there once all sessions have ended
 * @param failure why there will be no result, if so
 */
public record FetchState(
        UUID planId,
        Operation operation,
        Priority priority,
        Phase phase,
        List<SessionProgress> sessions,
        long streamingNanos,
        long quietNanos,
        Optional<PlanResult> result,
        Optional<Problem> failure) {
    /** What a node that fetches is busy with. */
    public enum Phase {
        /** Asking the replicas what they have. */
        PLANNING,
        /** Fetching it. */
        STREAMING,
        /** All sessions have ended, well or not. */
        ENDED
    }

    /**
     * Why there is no result.
     *
     * @param reason a sentence for an operator
     */
    public record Problem(ErrorCode code, String reason) {
        @Override
        public String toString() {
            return code + ": " + reason;
        }
    }

    public FetchState {
        sessions = List.copyOf(sessions);
    }

    /** Whether nothing will change any more. */
    public boolean hasEnded() {
        return phase == Phase.ENDED;
    }
}
