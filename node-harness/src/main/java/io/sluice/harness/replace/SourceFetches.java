package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages;
import io.sluice.harness.agent.AgentMessages.Fetching;
import io.sluice.harness.agent.AgentMessages.Landed;
import io.sluice.harness.agent.AgentMessages.Progress;
import io.sluice.harness.agent.AgentMessages.Proof;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Fetches tables of sources to the node that joins, and what is there already of an earlier run not again. Thread-safe;
 * each source is for one thread at a time.
 */
final class SourceFetches {
    private static final long POLL_MILLIS = 200;
    private static final long FIRST_POLL_MILLIS = 10;
    private static final int ATTEMPTS = 3;

    private final JoinOrder order;
    private final UUID operation;
    private final UUID coordinator;
    private final Member target;
    private final JoinProgress progress;

    /**
     * Fetches nothing yet.
     *
     * @param operation of the pins
     * @param coordinator that has begun at {@code target}
     */
    SourceFetches(JoinOrder order, UUID operation, UUID coordinator, Member target, JoinProgress progress) {
        this.order = order;
        this.operation = operation;
        this.coordinator = coordinator;
        this.target = target;
        this.progress = progress;
    }

    /** Some tables of a source, in the ranges that it sends. */
    record Wanted(Member source, List<TableRef> tables, TokenRanges ranges) {
        private boolean isOf(UUID agent, TokenRanges others) {
            return source.status().agent().id().equals(agent) && ranges.equals(others);
        }

        /** The same, of fewer tables. */
        private Wanted but(Map<TableRef, UUID> there) {
            return new Wanted(
                    source,
                    tables.stream().filter(table -> !there.containsKey(table)).toList(),
                    ranges);
        }
    }

    /**
     * Waits for the plans of an earlier run that bring what is wanted, and ends the others: while they run, nobody else
     * could fetch these ranges.
     */
    void adopt(List<Wanted> wanted) throws IOException, InterruptedException {
        for (Fetching running : target.agent().arrivals(operation).fetching()) {
            Optional<Wanted> same = wanted.stream()
                    .filter(one -> one.isOf(running.source(), running.ranges()))
                    .findFirst();
            if (same.isPresent()) {
                progress.say("from " + same.get().source() + ": a run before this one has begun to fetch; going on");
                awaitEnd(same.get().source(), running.planId(), running.tables());
            } else {
                target.agent().cancel(running.planId());
                awaitEnd(running.planId());
            }
        }
    }

    /** Tables that are imported from this source, and the proof. */
    Map<TableRef, Proof> imported(Wanted wanted) throws IOException {
        Map<TableRef, Proof> imported = new HashMap<>();
        for (Landed landed : target.agent().arrivals(operation).landed()) {
            if (wanted.isOf(landed.source(), landed.ranges())) {
                landed.imported().ifPresent(proof -> imported.put(landed.table(), proof));
            }
        }
        return imported;
    }

    /** What waits for its import, by the plan that has brought it. */
    private Map<TableRef, UUID> landed(Wanted wanted) throws IOException {
        Map<TableRef, UUID> there = new HashMap<>();
        for (Landed landed : target.agent().arrivals(operation).landed()) {
            if (landed.imported().isEmpty() && wanted.isOf(landed.source(), landed.ranges())) {
                there.put(landed.table(), landed.planId());
            }
        }
        there.keySet().retainAll(wanted.tables());
        return there;
    }

    /** What is there of an earlier run and was not imported; its digests are still to be compared. */
    Map<TableRef, UUID> kept(Wanted wanted) throws IOException {
        Map<TableRef, UUID> there = landed(wanted);
        if (!there.isEmpty()) {
            progress.say("from " + wanted.source() + ": " + there.size() + " of "
                    + wanted.tables().size() + " tables have landed before");
        }
        return there;
    }

    /**
     * Fetches what is not there; after a failed attempt only what that attempt has not brought.
     *
     * @param there tables that are, by plan
     * @return the plan that has brought each table
     */
    Map<TableRef, UUID> fetch(Wanted wanted, Map<TableRef, UUID> there) throws IOException, InterruptedException {
        Map<TableRef, UUID> brought = new HashMap<>(there);
        List<String> failures = new ArrayList<>();
        for (int attempt = 1;
                attempt <= ATTEMPTS && brought.size() < wanted.tables().size();
                attempt++) {
            Wanted missing = wanted.but(brought);
            UUID planId = UUID.randomUUID();
            PlanResult result = fetch(missing, planId);
            if (result.isComplete()) {
                missing.tables().forEach(table -> brought.put(table, planId));
            } else {
                landed(missing).forEach((table, plan) -> {
                    if (plan.equals(planId)) {
                        brought.put(table, plan);
                    }
                });
                failures.add(result.failure().map(PlanResult.Failure::toString).orElse("no reason given"));
                progress.say("from " + wanted.source() + ", attempt " + attempt + " of " + ATTEMPTS + ": "
                        + failures.get(failures.size() - 1));
            }
        }
        if (brought.size() < wanted.tables().size()) {
            throw new IOException("from " + wanted.source() + ": " + failures.get(failures.size() - 1) + whatNow());
        }
        return brought;
    }

    private String whatNow() {
        if (target.ifAnswering().isEmpty()) {
            return " (node " + target + " does not answer: if it is not running, start it; run again)";
        }
        return order.operation() == Operation.REBUILD
                ? " (run again, or end the rebuild by --abort)"
                : " (the node waits on for the --coordinator-timeout of its agent; run again, or let it go on by --abort)";
    }

    private PlanResult fetch(Wanted missing, UUID planId) throws IOException, InterruptedException {
        target.agent()
                .fetch(new AgentMessages.Fetch(
                        coordinator,
                        operation,
                        planId,
                        order.operation(),
                        missing.source().status().agent(),
                        missing.tables(),
                        missing.ranges()));
        return awaitEnd(missing.source(), planId, missing.tables());
    }

    private PlanResult awaitEnd(Member source, UUID planId, List<TableRef> tables)
            throws IOException, InterruptedException {
        for (long asked = 1; true; asked++) {
            Progress now = target.agent().progress(planId);
            progress.receives(source, tables, now);
            if (now.result().isPresent()) {
                return now.result().get();
            }
            Thread.sleep(Math.min(POLL_MILLIS, asked * FIRST_POLL_MILLIS)); // small tables are there at once
        }
    }

    private void awaitEnd(UUID planId) throws IOException, InterruptedException {
        progress.waitsFor("the end of a plan of an earlier run at " + target);
        while (target.agent().progress(planId).result().isEmpty()) {
            Thread.sleep(POLL_MILLIS);
        }
    }
}
