package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A disk or a database that does not answer: its plan ends with a reason all the same, and what is held goes back when
 * it does.
 */
class HangingCallsTest {
    private static final int ROWS = 1_000;
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final RetryPolicy ONCE = new RetryPolicy(1, 1, SOON, SOON);

    /** Committed or not, nobody knows: it is neither called live nor not live, and nothing of it is taken away. */
    private static void assertUnknown(PlanResult.TableResult table) {
        assertThat(table.installed()).isFalse();
        assertThat(table.reason())
                .contains("its install has not answered for")
                .contains("the table may be committed; then it goes live when they answer or when this node restarts");
    }

    @ParameterizedTest
    @ValueSource(strings = {"write", "sync"})
    void a_plan_whose_disk_does_not_answer_ends_and_the_next_one_is_complete_when_it_does(String operation)
            throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS, ONCE)) {
            cluster.hangAt(cluster.receiver, operation, "Data.db");

            PlanResult failed = cluster.fetch(cluster.planOfAll());

            assertThat(failed.tables().get(0).reason()).contains("TIMEOUT").contains("waited");
            assertThat(cluster.store(cluster.receiver).calls)
                    .doesNotContain("activate t0")
                    .contains("end t0");
            cluster.answer(cluster.receiver);
            assertThat(cluster.fetch(cluster.planOfAll()).isComplete()).isTrue();
            assertThat(cluster.store(cluster.receiver).calls).containsOnlyOnce("activate t0");
            assertThat(cluster.sending()).isZero();
            assertThat(cluster.sourceTables.pins()).isZero();
            assertThat(cluster.staged()).isEmpty();
        }
    }

    /** The second one hangs while the staging of the table begins. */
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @ParameterizedTest
    @CsvSource({"sync, Data.db", "rename, journal"})
    void a_plan_is_cancelled_within_seconds_although_its_disk_hangs(String operation, String file) throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            BooleanSupplier hangs = cluster.hangAt(cluster.receiver, operation, file);
            StreamPlan plan = cluster.planOfAll();
            OrderedPlan running = cluster.execute(plan);
            cluster.until(hangs);
            Duration cancelled = cluster.now();
            cluster.engine(cluster.receiver).cancel(plan.id(), "enough");

            assertThat(cluster.await(running).tables().get(0).reason()).contains("CANCELLED: enough");

            assertThat(cluster.now().minus(cancelled)).isLessThan(SOON);
            assertThat(cluster.sending()).isZero();
            cluster.answer(cluster.receiver);
            cluster.pass(SOON);
            assertThat(cluster.staged()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"commit-copy", "commit", "LIVE"})
    void an_install_whose_disk_does_not_answer_keeps_no_plan_and_is_finished_when_it_does(String file)
            throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            cluster.hangAt(cluster.receiver, "rename", file);

            PlanResult result = cluster.fetch(cluster.planOfAll());

            assertUnknown(result.tables().get(0));
            assertThat(result.tables().get(0).reason()).startsWith("TIMEOUT: ");
            cluster.answer(cluster.receiver);
            cluster.pass(SOON);
            assertThat(cluster.staged()).isEmpty();
            assertThat(cluster.sending()).isZero();
            assertThat(cluster.sourceTables.pins()).isZero();
            assertThat(cluster.received.visible(cluster.tables.get(0))).hasSize(2);
            assertThat(cluster.store(cluster.receiver).calls)
                    .containsOnlyOnce("activate t0")
                    .containsOnlyOnce("activated t0")
                    .containsOnlyOnce("end t0");
        }
    }

    @Test
    void a_database_that_does_not_answer_keeps_no_plan_and_what_is_committed_goes_live_when_it_does()
            throws IOException {
        try (TwoEngines cluster = new TwoEngines(3, ROWS)) {
            WatchedStore to = cluster.store(cluster.receiver);
            cluster.hangAtCall("activate");

            PlanResult result = cluster.fetch(cluster.planOfAll());

            assertThat(result.tables())
                    .filteredOn(table -> table.reason().startsWith("TIMEOUT: its install has not answered for"))
                    .hasSize(1)
                    .allSatisfy(HangingCallsTest::assertUnknown);
            assertThat(result.tables())
                    .filteredOn(
                            table -> table.reason()
                                    .equals(
                                            "TIMEOUT: its install was not begun, because an earlier one did not answer in time"))
                    .hasSize(2);
            assertThat(cluster.sending()).isZero();
            assertThat(to.calls).noneMatch(call -> call.startsWith("activated"));
            cluster.answer(cluster.receiver);
            cluster.until(
                    () -> to.calls.contains("end t0") && to.calls.contains("end t1") && to.calls.contains("end t2"));
            assertThat(cluster.tables)
                    .filteredOn(table -> cluster.received.visible(table).size() == 2)
                    .hasSize(1);
            assertThat(to.calls)
                    .filteredOn(call -> call.startsWith("activated"))
                    .hasSize(1);
            assertThat(to.calls).doesNotHaveDuplicates();
            StreamPlan others = cluster.plan(cluster.tables.stream()
                    .filter(table -> cluster.received.visible(table).isEmpty())
                    .toArray(TableRef[]::new));
            assertThat(cluster.fetch(others).isComplete()).isTrue();
        }
    }

    @Test
    void a_plan_is_cancelled_within_seconds_although_its_install_hangs_and_says_that_it_may_be_live()
            throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            BooleanSupplier hangs = cluster.hangAtCall("activate");
            StreamPlan plan = cluster.planOfAll();
            OrderedPlan running = cluster.execute(plan);
            cluster.until(hangs);
            Duration cancelled = cluster.now();
            cluster.engine(cluster.receiver).cancel(plan.id(), "enough");

            PlanResult.TableResult table = cluster.await(running).tables().get(0);

            assertUnknown(table);
            assertThat(table.reason()).startsWith("CANCELLED: enough; ");
            assertThat(cluster.now().minus(cancelled)).isLessThan(SOON.plus(SOON));
            assertThat(cluster.sending()).isZero();
            cluster.answer(cluster.receiver);
            cluster.pass(SOON);
            assertThat(cluster.staged()).isEmpty();
            assertThat(cluster.received.visible(cluster.tables.get(0))).hasSize(2);
        }
    }

    @Test
    void a_database_that_hangs_over_what_an_earlier_execution_has_committed_keeps_no_plan() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            StreamPlan plan = cluster.planOfAll();
            cluster.failAtCall("activate");
            assertThat(cluster.fetch(plan).tables().get(0).reason()).contains("the table is committed");
            cluster.restartFailingAt("activate");
            int fetched = cluster.dataConnections().size();
            cluster.hangAtCall("activate");

            assertThat(cluster.fetch(plan).tables().get(0).reason())
                    .startsWith("TIMEOUT: an earlier execution of the plan has committed tables")
                    .contains("nothing was fetched");

            assertThat(cluster.dataConnections()).hasSize(fetched);
            cluster.answer(cluster.receiver);
            cluster.until(() -> cluster.received.visible(cluster.tables.get(0)).size() == 2);
        }
    }

    @Test
    void a_slow_call_of_the_database_delays_its_own_plan_only() throws IOException {
        try (TwoEngines cluster = new TwoEngines(3, ROWS)) {
            BooleanSupplier hangs = cluster.hangAtCall("activate");
            OrderedPlan slow = cluster.execute(cluster.plan(cluster.tables.get(0), cluster.tables.get(1)));
            cluster.until(hangs);
            cluster.answerLaterCalls(cluster.receiver);

            PlanResult other = cluster.fetch(cluster.plan(cluster.tables.get(2)));

            assertThat(other.isComplete()).isTrue();
            assertThat(slow.result()).isEmpty();
            cluster.pass(Simulation.DEADLINES.install().minus(Duration.ofSeconds(30)));
            cluster.answer(cluster.receiver);
            assertThat(cluster.await(slow).isComplete()).isTrue();
        }
    }
}
