package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A source may need hours before the first byte, as long as it gets on. */
class HoursOfPreparationTest {
    /** A little less than an end waits without progress. */
    private static final Duration A_WHILE = Duration.ofSeconds(55);

    private static final int TABLES = 120;
    private static final RetryPolicy ONCE = new RetryPolicy(1, 1, A_WHILE, A_WHILE);

    /** Every call that hangs goes on after a pause. */
    private static void goOnSlowly(TwoEngines cluster, BooleanSupplier hangs, Duration pause, OrderedPlan running) {
        while (running.result().isEmpty()) {
            cluster.until(() -> hangs.getAsBoolean() || running.result().isPresent());
            if (hangs.getAsBoolean()) {
                cluster.pass(pause);
                cluster.hangs.release();
            }
        }
    }

    @Test
    @Tag("full")
    void in_which_the_offers_of_one_table_after_the_other_are_ready() throws IOException {
        try (TwoEngines cluster = new TwoEngines(TABLES, 2, ONCE)) {
            BooleanSupplier isPinning = cluster.hangAtCall(cluster.source, "pin t" + (TABLES - 1));
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            cluster.until(isPinning);
            BooleanSupplier isOffering = cluster.hangAtCall(cluster.source, "sstables");
            cluster.hangs.release();

            goOnSlowly(cluster, isOffering, A_WHILE.dividedBy(5), running); // some calls for a table

            assertThat(cluster.await(running).isComplete()).isTrue();
            assertThat(cluster.now()).isGreaterThan(Duration.ofHours(1));
        }
    }

    @Test
    void in_which_the_sstables_of_one_table_after_the_other_are_ready() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, 2, ONCE)) {
            TableRef table = cluster.tables.get(0);
            List<SimulatedRow> rows = List.of(new SimulatedRow(0, 0, 0), new SimulatedRow(1, 1, 1));
            for (int i = 0; i < 150; i++) {
                cluster.sourceTables.add(table.id(), rows);
            }
            BooleanSupplier isPinning = cluster.hangAtCall(cluster.source, "pin");
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            cluster.until(isPinning);
            BooleanSupplier isOffering = cluster.hangAtCall(cluster.source, "sstables");
            cluster.hangs.release();

            goOnSlowly(cluster, isOffering, A_WHILE.dividedBy(2), running);

            assertThat(cluster.await(running).tables())
                    .extracting(PlanResult.TableResult::reason)
                    .containsExactly("");
            assertThat(cluster.now()).isGreaterThan(Duration.ofHours(1));
        }
    }

    /** 10 TB in SSTables of 4 GB, of a disk that gives 138 MB/s: 29 s for each. */
    @Test
    @Tag("full")
    void in_which_ten_terabytes_are_read_by_a_slow_disk_end_in_the_first_session() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, 2, ONCE)) {
            TableRef table = cluster.tables.get(0);
            List<SimulatedRow> rows = List.of(new SimulatedRow(0, 0, 0), new SimulatedRow(1, 1, 1));
            for (int i = 0; i < 2_500; i++) {
                cluster.sourceTables.add(table.id(), rows);
            }
            BooleanSupplier isPinning = cluster.hangAtCall(cluster.source, "pin");
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            cluster.until(isPinning);
            BooleanSupplier isOffering = cluster.hangAtCall(cluster.source, "sstables");
            cluster.hangs.release();

            goOnSlowly(cluster, isOffering, Duration.ofSeconds(29), running);

            assertThat(cluster.await(running).tables())
                    .extracting(PlanResult.TableResult::reason)
                    .containsExactly("");
            assertThat(cluster.await(running).sessions()).hasSize(1);
            assertThat(cluster.now()).isGreaterThan(Duration.ofHours(20));
        }
    }

    @Test
    void that_nobody_waits_for_any_more_ends_and_the_next_attempt_has_its_turn() throws IOException {
        try (TwoEngines cluster = new TwoEngines(3, 2)) {
            BooleanSupplier isPinning = cluster.hangAtCall(cluster.source, "pin t0");
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            cluster.until(isPinning);
            cluster.control().cut("connection reset", true, true);
            cluster.pass(A_WHILE.dividedBy(2));
            BooleanSupplier isPinningMore = cluster.hangAtCall(cluster.source, "pin");

            cluster.hangs.release();

            assertThat(isPinningMore.getAsBoolean())
                    .as("of the first attempt, the next table")
                    .isFalse();
            cluster.until(isPinningMore); // of the second attempt
            cluster.answer(cluster.source);
            assertThat(cluster.await(running).isComplete()).isTrue();
        }
    }

    @Test
    void is_over_when_the_database_wants_a_table_back() throws IOException {
        try (TwoEngines cluster = new TwoEngines(2, 2, ONCE)) {
            BooleanSupplier isPinning = cluster.hangAtCall(cluster.source, "pin t1");
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            cluster.until(isPinning);

            var back = cluster.engine(cluster.source)
                    .pins()
                    .revoke(cluster.tables.get(0).id(), "dropped");

            assertThat(cluster.await(running).tables())
                    .allSatisfy(table -> assertThat(table.reason()).contains("revoked the pin of ks.t0: dropped"));
            assertThat(isPinning.getAsBoolean()).as("the other one still hangs").isTrue();
            cluster.hangs.release();
            cluster.until(back::isDone);
        }
    }

    @Test
    void in_which_the_database_takes_its_time_for_each_snapshot() throws IOException {
        try (TwoEngines cluster = new TwoEngines(10, 2, ONCE)) {
            BooleanSupplier isPinning = cluster.hangAtCall(cluster.source, "pin");
            OrderedPlan running = cluster.execute(cluster.planOfAll());

            goOnSlowly(cluster, isPinning, A_WHILE, running);

            assertThat(cluster.await(running).isComplete()).isTrue();
            assertThat(cluster.now()).isGreaterThan(A_WHILE.multipliedBy(10));
        }
    }

    @Test
    void is_not_one_in_which_it_does_not_get_on() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, 2, ONCE)) {
            BooleanSupplier isPinning = cluster.hangAtCall(cluster.source, "pin");
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            cluster.until(isPinning);

            assertThat(cluster.await(running).tables().get(0).reason()).contains("TIMEOUT");

            assertThat(cluster.now()).isLessThan(TwoEngines.LONG);
        }
    }
}
