package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A data connection on which nothing comes through, while the control connection is well: both ends notice. */
class SilentConnectionTest {
    private static final int ROWS = 16_000; // 256 kB: some seconds
    private static final Duration TICKS = Duration.ofSeconds(10);

    /** What of a data connection is swallowed. */
    private enum Way {
        TO_RECEIVER,
        TO_SOURCE,
        BOTH;

        void swallow(Wire wire, long afterBytes) {
            if (this != TO_SOURCE) {
                wire.server.swallowAfter(afterBytes);
            }
            if (this != TO_RECEIVER) {
                wire.client.swallowAfter(afterBytes);
            }
        }
    }

    /** Long before the session is over: each by itself if nothing comes through either way. */
    private static void assertBothHangUp(TwoEngines cluster, Wire silent, OrderedPlan running) {
        Duration since = cluster.now();

        cluster.until(() -> !silent.client.isOpen() && !silent.server.isOpen());

        assertThat(cluster.now().minus(since))
                .isGreaterThan(TwoEngines.SILENCE.minus(TICKS))
                .isLessThan(TwoEngines.SILENCE.plus(TICKS));
        assertThat(running.result()).isEmpty();
    }

    /** The session goes on over another connection. */
    private static void assertOneAttempt(TwoEngines cluster, PlanResult result) {
        assertThat(result.isComplete()).isTrue();
        assertThat(cluster.dataConnections())
                .hasSize(2)
                .allMatch(wire -> wire.hello.session().attempt() == 0);
        assertThat(cluster.engine(cluster.source).node().traffic().counters().sessionsFailed())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"TO_RECEIVER, 700", "TO_SOURCE, 0", "BOTH, 700"})
    void in_the_middle_of_an_extent_is_noticed_by_both_ends(Way way, long afterBytes) throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            StreamPlan plan = cluster.planOfAll();
            OrderedPlan running = cluster.execute(plan);
            cluster.untilReceived(plan, 1);
            Wire silent = cluster.dataConnections().get(0);
            way.swallow(silent, afterBytes);

            assertBothHangUp(cluster, silent, running);

            assertOneAttempt(cluster, cluster.await(running));
        }
    }

    @ParameterizedTest
    @EnumSource
    void that_nothing_was_asked_for_on_is_noticed_by_both_ends(Way way) throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            StreamPlan plan = cluster.planOfAll();
            OrderedPlan running = cluster.execute(plan);
            pause(cluster, plan);
            Wire silent = cluster.dataConnections().get(0);
            way.swallow(silent, 0);

            assertBothHangUp(cluster, silent, running);

            cluster.engine(cluster.receiver).resume(plan.id());
            assertOneAttempt(cluster, cluster.await(running));
        }
    }

    @Test
    void is_not_one_that_has_nothing_to_say() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            StreamPlan plan = cluster.planOfAll();
            OrderedPlan running = cluster.execute(plan);
            pause(cluster, plan);

            cluster.pass(TwoEngines.LONG);

            cluster.engine(cluster.receiver).resume(plan.id());
            assertThat(cluster.await(running).isComplete()).isTrue();
            assertThat(cluster.dataConnections()).hasSize(1);
        }
    }

    @Test
    void is_not_one_whose_receiver_has_a_slow_disk() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            BooleanSupplier hangs = cluster.hangAt(cluster.receiver, "write", "Data.db");
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            cluster.until(hangs);

            cluster.pass(TwoEngines.SILENCE.plus(TICKS)); // and less than the deadline for bytes
            cluster.answer(cluster.receiver);

            assertThat(cluster.await(running).isComplete()).isTrue();
            assertThat(cluster.dataConnections()).hasSize(1);
        }
    }

    /** Asks for nothing more, and waits until what was asked for is here. */
    private static void pause(TwoEngines cluster, StreamPlan plan) {
        cluster.untilReceived(plan, 1);
        cluster.engine(cluster.receiver).pause(plan.id());
        cluster.pass(Duration.ofSeconds(2));
    }
}
