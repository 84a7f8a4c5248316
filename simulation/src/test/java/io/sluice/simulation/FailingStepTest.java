package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.StreamActivity.QueueSample;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A step that a plan itself takes, between its sessions, and that throws: the plan ends, and nothing of it is left. */
class FailingStepTest {
    private static final long MINUTES_NANOS = 600_000_000_000L;

    /** Timers that cannot be set from when on no session can be opened. */
    private enum Timers {
        WELL,
        /** That of the next attempt. */
        NEXT_FAILS,
        /** Also those with which a plan waits for its end. */
        ALL_FAIL
    }

    /** Gives no ids once it is broken: no session can be opened. */
    private static final class Broken extends World {
        private final Timers timers;
        private boolean isBroken;
        private boolean isTimerDue;

        Broken(Timers timers) {
            super(1, Set.of(), false);
            this.timers = timers;
            this.faults = FaultRates.NONE;
            this.scheduler = new Scheduler() {
                @Override
                void after(long nanos, BooleanSupplier isWanted, Runnable work) {
                    if (isTimerDue && nanos > 0) {
                        isTimerDue = timers == Timers.ALL_FAIL;
                        throw new OutOfMemoryError("injected: timer");
                    }
                    super.after(nanos, isWanted, work);
                }
            };
        }

        @Override
        UUID newUuid() {
            if (isBroken) {
                isTimerDue = timers != Timers.WELL;
                throw new OutOfMemoryError("injected: id");
            }
            return super.newUuid();
        }
    }

    @Test
    void of_one_session_is_the_end_of_that_session() {
        assertThat(reason(Timers.WELL)).contains("out of memory: injected: id");
    }

    @Test
    void of_the_plan_itself_is_its_end() {
        assertThat(reason(Timers.NEXT_FAILS))
                .contains("LIMIT: a step of the plan failed: java.lang.OutOfMemoryError: injected: timer");
    }

    /** The result does not come, and whoever waits for it is not left to wait. */
    @Test
    void of_the_end_of_the_plan_is_what_its_result_fails_with() {
        assertThat(executed(new Broken(Timers.ALL_FAIL)))
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("injected: timer");
    }

    private static String reason(Timers timers) {
        CompletableFuture<PlanResult> result = executed(new Broken(timers));
        assertThat(result).isCompleted();
        PlanResult.TableResult only = result.join().tables().get(0);
        assertThat(only.installed()).isFalse();
        return only.reason();
    }

    private static CompletableFuture<PlanResult> executed(Broken world) {
        TableRef table = new TableRef(new UUID(3, 3), "ks", "t");
        world.tables.add(table);
        SimulatedNode node = new SimulatedNode(world, "target", SourceDatabase::new);
        node.open();
        Node source = new Node(new UUID(1, 1), "source", new Address("source", 1), List.of());
        StreamPlan plan = new StreamPlan(
                new UUID(4, 4), Operation.REPLACE, List.of(new StreamRequest(source, table, TokenRanges.FULL)));
        world.isBroken = true;

        CompletableFuture<PlanResult> result = node.engine().orElseThrow().execute(plan);
        long end = world.scheduler.nowNanos() + MINUTES_NANOS;
        while (world.scheduler.step(end)) {
            world.requireNoViolation();
        }

        assertThat(node.engine().orElseThrow().queues())
                .extracting(QueueSample::used)
                .containsOnly(0L);
        return result;
    }
}
