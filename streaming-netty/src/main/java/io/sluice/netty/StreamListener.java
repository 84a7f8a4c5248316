package io.sluice.netty;

import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.Session;
import io.sluice.streaming.progress.StreamActivity.Wait;
import java.util.Optional;
import java.util.UUID;

/**
 * Receives notifications of what a node streams, on the {@code Executor} passed to
 * {@link StreamOptions.Builder#listener}. Every method has an empty default. A method may call the node and may block.
 * Sluice logs what it throws.
 *
 * <p>Sluice submits notifications in the order of the events; an executor with one thread preserves it. An executor
 * that rejects, drops or blocks tasks loses notifications (at most 10,000 are queued) and has no other effect on
 * streaming.
 */
public interface StreamListener {
    /** An attempt at a session has begun, in either direction. */
    default void sessionOpened(Session session) {}

    /**
     * An attempt at a session is over.
     *
     * @param bytes file bytes that it moved
     * @param failure empty if it transferred everything; otherwise a new attempt may follow
     */
    default void sessionEnded(Session session, long bytes, Optional<PlanResult.Failure> failure) {}

    /** What this node streams: called once a second while it streams, and once when it stops. */
    default void progress(StreamActivity activity) {}

    /** A session has waited for 10 s without progress; called once for each such wait. */
    default void waiting(Session session, Wait wait) {}

    /** A table of a plan of this node is durable and live. */
    default void tableLive(UUID planId, PlanResult.TableResult table) {}

    /** A table of a plan of this node has failed: this plan will not make it live. */
    default void tableFailed(UUID planId, PlanResult.TableResult table) {}

    /** A plan of this node has ended. The last call for the plan, made once while the process runs. */
    default void planEnded(PlanResult result) {}
}
