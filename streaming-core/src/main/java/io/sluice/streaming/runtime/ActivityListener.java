package io.sluice.streaming.runtime;

import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity;
import java.util.Optional;
import java.util.UUID;

/** Is notified of what a node streams. Called on the loop: it waits for nothing, and throws nothing. */
public interface ActivityListener {
    /** Nobody. */
    ActivityListener NONE = new ActivityListener() {};

    /** An attempt at a session begins. */
    default void sessionOpened(StreamActivity.Session session) {}

    /**
     * It is over.
     *
     * @param bytes of files that moved in it
     * @param failure empty if it has brought all that it was to bring
     */
    default void sessionEnded(StreamActivity.Session session, long bytes, Optional<PlanResult.Failure> failure) {}

    /** A table of a plan is live here, or will not be. */
    default void tableEnded(UUID planId, PlanResult.TableResult table) {}
}
