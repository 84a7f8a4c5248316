package io.sluice.streaming.runtime;

import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity;
import java.util.Optional;
import java.util.UUID;

/** Notified of sessions and tables of a node. Called on the loop: must neither block nor throw. */
public interface ActivityListener {
    /** Ignores all notifications. */
    ActivityListener NONE = new ActivityListener() {};

    /** An attempt at a session begins. */
    default void sessionOpened(StreamActivity.Session session) {}

    /**
     * An attempt at a session is over.
     *
     * @param bytes transferred file bytes
     * @param failure empty if it transferred everything
     */
    default void sessionEnded(StreamActivity.Session session, long bytes, Optional<PlanResult.Failure> failure) {}

    /** A table of a plan is live, or has failed. */
    default void tableEnded(UUID planId, PlanResult.TableResult table) {}
}
