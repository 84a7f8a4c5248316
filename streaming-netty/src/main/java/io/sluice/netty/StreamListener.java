package io.sluice.netty;

import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity;
import io.sluice.streaming.progress.StreamActivity.Session;
import io.sluice.streaming.progress.StreamActivity.Wait;
import java.util.Optional;
import java.util.UUID;

/**
 * Is notified of what a node streams, on the {@code Executor} that came with it
 * ({@link StreamOptions.Builder#listener}). Each method does nothing unless it is implemented, may call the node, may
 * take its time, and may throw: what it throws is written to the log.
 *
 * <p>Tasks are given to the executor in the order in which things happen; an executor of one thread keeps it. One that
 * rejects or drops tasks, or makes who hands them over wait, loses notifications, at most 10,000 of which are kept for
 * it, and does no other harm.
 */
public interface StreamListener {
    /** An attempt at a session has begun, in either direction. */
    default void sessionOpened(Session session) {}

    /**
     * An attempt at a session is over.
     *
     * @param bytes of files that moved in it
     * @param failure empty if it has brought all that it was to bring; else it may be tried again, as a new attempt
     */
    default void sessionEnded(Session session, long bytes, Optional<PlanResult.Failure> failure) {}

    /** What this node streams: once a second while it streams, and once when it does not any more. */
    default void progress(StreamActivity activity) {}

    /** A session has waited for 10 s without any progress; once for each such wait. */
    default void waiting(Session session, Wait wait) {}

    /** A table of a plan of this node is durable and live. */
    default void tableLive(UUID planId, PlanResult.TableResult table) {}

    /** A table of a plan of this node will not become live by that plan. */
    default void tableFailed(UUID planId, PlanResult.TableResult table) {}

    /** A plan of this node has ended; the last that is said of it, once in a process life. */
    default void planEnded(PlanResult result) {}
}
