package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.session.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A source may need hours before the first byte, as long as it gets on. */
class HoursOfPreparationTest {
    /** A little less than an end waits without progress. */
    private static final Duration A_WHILE = Duration.ofSeconds(55);

    private static final int TABLES = 250;
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
    void in_which_the_offers_of_one_table_after_the_other_are_ready() throws IOException {
        try (TwoEngines cluster = new TwoEngines(TABLES, 2, ONCE)) {
            BooleanSupplier isPinning = cluster.hangAtCall(cluster.source, "pin t" + (TABLES - 1));
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            cluster.until(isPinning);
            BooleanSupplier isOffering = cluster.hangAtCall(cluster.source, "sstables");
            cluster.hangs.release();

            goOnSlowly(cluster, isOffering, A_WHILE.dividedBy(5), running); // some calls for a table

            assertThat(cluster.await(running).isComplete()).isTrue();
            assertThat(cluster.now()).isGreaterThan(Duration.ofHours(2));
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
