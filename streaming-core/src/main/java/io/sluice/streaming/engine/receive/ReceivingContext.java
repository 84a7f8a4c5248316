package io.sluice.streaming.engine.receive;

import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.runtime.ActivityListener;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.session.SessionSettings;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Shared resources and settings of the plans of a node. Immutable; thread-safe.
 *
 * @param room resources that its sessions share
 * @param sessions the settings of the next session
 * @param schemaTimeout how long a plan waits for a table that is unknown here
 * @param finished notified of the result of each plan once, as the last call for the plan
 * @param activity notified of sessions and tables
 */
public record ReceivingContext(
        NodeContext node,
        ReceivingResources room,
        RetryPolicy retries,
        Function<Operation, SessionSettings> sessions,
        Duration schemaTimeout,
        Consumer<PlanResult> finished,
        ActivityListener activity) {}
