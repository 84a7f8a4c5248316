package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.metrics.QueueSample;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A step that a plan itself takes, between its sessions, and that throws: the plan ends, and nothing of it is left. */
class FailingStepTest {
    private static final long MINUTES_NANOS = 600_000_000_000L;

    /**
     * Gives no ids once it is broken: no session can be opened. Nor, if that is wanted, the timer of the next attempt.
     */
    private static final class Broken extends World {
        private final boolean hasTimers;
        private boolean isBroken;
        private boolean isTimerDue;

        Broken(boolean hasTimers) {
            super(1, Set.of(), false);
            this.hasTimers = hasTimers;
            this.faults = Faults.NONE;
            this.scheduler = new Scheduler() {
                @Override
                void after(long nanos, BooleanSupplier isWanted, Runnable work) {
                    if (isTimerDue && nanos > 0) {
                        isTimerDue = false;
                        throw new OutOfMemoryError("injected: timer");
                    }
                    super.after(nanos, isWanted, work);
                }
            };
        }

        @Override
        UUID newUuid() {
            if (isBroken) {
                isTimerDue = !hasTimers;
                throw new OutOfMemoryError("injected: id");
            }
            return super.newUuid();
        }
    }

    @Test
    void of_one_session_is_the_end_of_that_session() {
        assertThat(reason(true)).contains("no memory is left: injected: id");
    }

    @Test
    void of_the_plan_itself_is_its_end() {
        assertThat(reason(false)).contains("a step of the plan failed: java.lang.OutOfMemoryError: injected: timer");
    }

    private static String reason(boolean hasTimers) {
        Broken world = new Broken(hasTimers);
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
        assertThat(result).isCompleted();
        PlanResult.TableResult only = result.join().tables().get(0);
        assertThat(only.installed()).isFalse();
        return only.reason();
    }
}
