package io.sluice.streaming.engine.receive;

import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.runtime.ActivityListener;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.session.SessionSettings;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What the plans of a node work with. Immutable; thread-safe.
 *
 * @param room that its sessions share
 * @param sessions makes the settings of the next session
 * @param schemaTimeout how long a table may be unknown here before it is refused
 * @param finished notified of the result of each plan, once, after all else
 * @param activity notified of sessions and tables
 */
public record Receiving(
        NodeContext node,
        ReceivingResources room,
        RetryPolicy retries,
        Supplier<SessionSettings> sessions,
        Duration schemaTimeout,
        Consumer<PlanResult> finished,
        ActivityListener activity) {}
