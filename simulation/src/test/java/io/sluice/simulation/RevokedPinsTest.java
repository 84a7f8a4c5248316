package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The database of a source takes back what it has pinned while it is sent. */
class RevokedPinsTest {
    private static final int ROWS = 8_000;

    /** Fetches two tables; in the middle of it the first one is taken back. */
    private static PlanResult fetchTwo(TwoEngines cluster, boolean isGone) {
        StreamPlan plan = cluster.planOfAll();
        OrderedPlan running = cluster.execute(plan);
        cluster.untilReceived(plan, 10_000);
        WatchedStore from = cluster.store(cluster.source);
        if (isGone) {
            from.hidden.add(cluster.tables.get(0).id());
        }

        CompletableFuture<Void> returned = cluster.engine(cluster.source)
                .pins()
                .revoke(cluster.tables.get(0).id(), "its files are rewritten");

        assertThat(returned).isNotDone();
        cluster.until(returned::isDone);
        assertThat(from.calls).contains("unpin t0");
        PlanResult result = cluster.await(running);
        cluster.until(() -> cluster.sending() == 0);
        assertThat(cluster.sourceTables.pins()).isZero();
        for (String table : List.of("t0", "t1")) {
            assertThat(Collections.frequency(from.calls, "unpin " + table))
                    .as("each pin of %s is released once", table)
                    .isEqualTo(Collections.frequency(from.calls, "pin " + table));
        }
        return result;
    }

    @Test
    void are_pinned_anew_and_all_is_installed() throws IOException {
        try (TwoEngines cluster = new TwoEngines(2, ROWS)) {
            PlanResult result = fetchTwo(cluster, false);

            assertThat(result.isComplete()).isTrue();
            assertThat(cluster.received.visible(cluster.tables.get(0))).hasSize(2);
            assertThat(cluster.received.visible(cluster.tables.get(1))).hasSize(2);
            assertThat(Collections.frequency(cluster.store(cluster.source).calls, "pin t0"))
                    .isEqualTo(2);
            assertThat(result.sessions().get(0).bytesResumed())
                    .as("what had landed does not come again")
                    .isPositive();
        }
    }

    @Test
    void of_a_table_that_is_not_to_be_had_again_fail_that_table_alone() throws IOException {
        try (TwoEngines cluster = new TwoEngines(2, ROWS)) {
            PlanResult result = fetchTwo(cluster, true);

            assertThat(result.tables())
                    .filteredOn(table -> table.table().equals(cluster.tables.get(0)))
                    .singleElement()
                    .satisfies(table -> {
                        assertThat(table.installed()).isFalse();
                        assertThat(table.reason()).startsWith("UNKNOWN_TABLE: ");
                    });
            assertThat(result.tables())
                    .filteredOn(table -> table.table().equals(cluster.tables.get(1)))
                    .allMatch(PlanResult.TableResult::installed);
        }
    }

    @Test
    void are_waited_for_by_nobody_where_nothing_is_pinned() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            assertThat(cluster.engine(cluster.source)
                            .pins()
                            .revoke(cluster.tables.get(0).id(), "no reason"))
                    .isCompleted();
        }
    }
}
