package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.PlanResult.LiveWrites;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a database is called with, in which order, and what becomes of a plan whatever it answers. */
class DatabaseCallsTest {
    private static final int ROWS = 100;
    private static final int TABLES = 4;

    private static PlanResult.TableResult only(PlanResult result) {
        assertThat(result.tables()).hasSize(1);
        return result.tables().get(0);
    }

    @Test
    void come_in_this_order_and_no_other() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            assertThat(cluster.fetch(cluster.planOfAll()).isComplete()).isTrue();

            assertThat(cluster.store(cluster.receiver).calls)
                    .containsExactly("expect t0", "permit t0", "activate t0", "activated t0", "back t0", "end t0");
            assertThat(cluster.store(cluster.source).calls).containsExactly("pin t0", "unpin t0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"expect", "permit", "activate", "activated", "back", "end"})
    void come_one_after_the_other_for_one_plan(String slow) throws IOException {
        try (TwoEngines cluster = new TwoEngines(TABLES, ROWS)) {
            WatchedStore to = cluster.store(cluster.receiver);
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            for (int i = 0; i < TABLES; i++) {
                cluster.until(cluster.hangAtCall(slow));
                List<String> before = List.copyOf(to.calls);

                cluster.pass(Duration.ofSeconds(10));

                assertThat(to.calls).as("nothing while %s hangs", slow).isEqualTo(before);
                cluster.hangs.release();
            }

            assertThat(cluster.await(running).isComplete()).isTrue();
            assertThat(to.calls).hasSize(6 * TABLES).doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pin", "unpin"})
    void come_one_after_the_other_at_a_source_too(String slow) throws IOException {
        try (TwoEngines cluster = new TwoEngines(TABLES, ROWS)) {
            WatchedStore from = cluster.store(cluster.source);
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            for (int i = 0; i < TABLES; i++) {
                cluster.until(cluster.hangAtCall(cluster.source, slow));
                List<String> before = List.copyOf(from.calls);

                cluster.pass(Duration.ofSeconds(10));

                assertThat(from.calls).as("nothing while %s hangs", slow).isEqualTo(before);
                cluster.hangs.release();
            }

            assertThat(cluster.await(running).isComplete()).isTrue();
            assertThat(from.calls).hasSize(2 * TABLES).doesNotHaveDuplicates();
        }
    }

    @Test
    void that_fail_the_first_time_change_no_end() throws IOException {
        try (TwoEngines cluster = new TwoEngines(TABLES, ROWS)) {
            Set<String> failed = new HashSet<>();
            cluster.store(cluster.receiver).onCall = call -> {
                if ((call.startsWith("activate ") || call.startsWith("end")) && failed.add(call)) {
                    throw new IllegalStateException("a database that fails in " + call);
                }
            };

            assertThat(cluster.fetch(cluster.planOfAll()).isComplete()).isTrue();

            assertThat(failed).hasSize(2 * TABLES);
            assertThat(cluster.told).hasSize(1);
            assertThat(cluster.sending()).isZero();
        }
    }

    @Test
    void with_a_permit_that_is_revoked_before_the_commit_point_commit_nothing() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            cluster.store(cluster.receiver).isRevoking = true;

            PlanResult result = cluster.fetch(cluster.planOfAll());

            assertThat(only(result).reason())
                    .startsWith("DISCARDED: ")
                    .contains(cluster.tables.get(0) + ": the database has revoked its permit");
            assertThat(cluster.store(cluster.receiver).calls)
                    .doesNotContain("activate t0")
                    .containsOnlyOnce("back t0");
            assertThat(cluster.receivedFiles()).isEmpty();
            assertThat(cluster.staged()).isEmpty();
        }
    }

    @Test
    void that_refuse_what_is_complete_leave_nothing_of_it() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            cluster.store(cluster.receiver).onCall = call -> {
                if (call.startsWith("activate ")) {
                    throw new StreamException(ErrorCode.DISCARDED, "it was truncated meanwhile");
                }
            };

            assertThat(only(cluster.fetch(cluster.planOfAll())).reason())
                    .isEqualTo("DISCARDED: it was truncated meanwhile");

            assertThat(cluster.store(cluster.receiver).calls).contains("activated t0");
            assertThat(cluster.receivedFiles()).isEmpty();
            assertThat(cluster.staged()).isEmpty();
        }
    }

    @Test
    void that_alter_a_table_before_it_is_pinned_offer_nothing_of_it() throws IOException {
        try (TwoEngines cluster = new TwoEngines(2, ROWS)) {
            WatchedStore from = cluster.store(cluster.source);
            from.onCall = call -> {
                if (call.equals("pin t0")) {
                    cluster.sourceTables.alter(cluster.tables.get(0).id(), World.FIRST_SCHEMA + 1);
                }
            };

            PlanResult result = cluster.fetch(cluster.planOfAll());

            assertThat(result.tables())
                    .filteredOn(table -> table.table().equals(cluster.tables.get(0)))
                    .singleElement()
                    .satisfies(table -> assertThat(table.reason()).startsWith("SCHEMA: "));
            assertThat(result.tables())
                    .filteredOn(table -> table.table().equals(cluster.tables.get(1)))
                    .allMatch(PlanResult.TableResult::installed);
            assertThat(from.calls).containsSubsequence("pin t0", "unpin t0");
        }
    }

    /** Also since when it has all writes. */
    private static void failAfterwards(TwoEngines cluster) {
        WatchedStore to = cluster.store(cluster.receiver);
        to.writesSince = () -> Optional.of(Instant.EPOCH);
        to.onCall = call -> {
            if (call.startsWith("permit")) {
                to.writesSince = () -> {
                    throw new IllegalStateException("a database that fails here");
                };
            } else if (call.startsWith("end")) {
                throw new IllegalStateException("a database that fails here");
            }
        };
    }

    @Test
    void that_fail_when_all_is_live_make_it_no_failure_and_the_plan_ends() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            failAfterwards(cluster);

            PlanResult result = cluster.fetch(cluster.planOfAll());

            assertThat(result.isComplete()).isTrue();
            assertThat(cluster.store(cluster.receiver).calls).containsOnlyOnce("end t0");
            assertThat(result.ranges())
                    .extracting(range -> range.writes().kind())
                    .containsOnly(LiveWrites.Kind.GAP);
        }
    }

    @Test
    void that_fail_at_the_end_of_a_plan_that_fails_end_it_too() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            failAfterwards(cluster);
            cluster.store(cluster.receiver).isRevoking = true;

            assertThat(only(cluster.fetch(cluster.planOfAll())).reason()).startsWith("DISCARDED: ");

            assertThat(cluster.store(cluster.receiver).calls).containsOnlyOnce("end t0");
        }
    }

    @Test
    void with_the_result_come_once_and_may_fail() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            StreamPlan plan = cluster.planOfAll();
            cluster.onResult = () -> {
                throw new IllegalStateException("a database that fails here");
            };

            PlanResult first = cluster.fetch(plan);
            PlanResult again = cluster.fetch(plan);

            assertThat(first.isComplete()).isTrue();
            assertThat(again).isEqualTo(first);
            assertThat(cluster.told).containsExactly(first);
        }
    }

    @Test
    void do_not_come_again_after_a_restart_for_a_plan_that_was_complete() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            StreamPlan plan = cluster.planOfAll();
            PlanResult first = cluster.fetch(plan);
            cluster.pass(Duration.ofSeconds(1)); // it is noted
            int fetched = cluster.dataConnections().size();
            cluster.restartReceiver();

            PlanResult again = cluster.fetch(plan);

            assertThat(again.tables()).isEqualTo(first.tables());
            assertThat(again.ranges()).isEqualTo(first.ranges());
            assertThat(again.isComplete()).isTrue();
            assertThat(cluster.dataConnections()).hasSize(fetched);
            assertThat(cluster.store(cluster.receiver).calls).isEmpty();
        }
    }

    @Test
    void with_what_a_plan_has_committed_come_before_it_is_fetched_once_more() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            StreamPlan plan = cluster.planOfAll();
            cluster.failAtCall("activate");
            assertThat(only(cluster.fetch(plan)).reason())
                    .contains("the table is committed and goes live when this node restarts");
            cluster.restartFailingAt("activate");
            assertThat(cluster.receivedFiles())
                    .as("what the database was not notified of")
                    .isEmpty();

            assertThat(only(cluster.fetch(plan)).reason())
                    .contains("an earlier execution of the plan has committed the table: ")
                    .contains("not now");

            int fetched = cluster.dataConnections().size();
            cluster.restartReceiver();
            assertThat(cluster.received.visible(cluster.tables.get(0))).hasSize(2);
            assertThat(cluster.fetch(plan).isComplete()).isTrue();
            assertThat(cluster.dataConnections()).hasSizeGreaterThan(fetched);
            assertThat(cluster.store(cluster.receiver).calls)
                    .as("of what was committed at the start, of what was fetched after that")
                    .containsSubsequence("activate t0", "expect t0", "activate t0", "end t0");
        }
    }

    @Test
    void that_are_not_answered_come_again() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            AtomicInteger asked = new AtomicInteger();
            cluster.store(cluster.receiver).onCall = call -> {
                if (call.startsWith("activate ") && asked.incrementAndGet() < 3) {
                    throw new IOException("not now");
                }
            };

            assertThat(cluster.fetch(cluster.planOfAll()).isComplete()).isTrue();

            assertThat(asked).hasValue(3);
        }
    }

    @Test
    void that_are_never_answered_do_not_come_for_ever_and_the_result_says_what_becomes_of_the_table()
            throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            cluster.failAtCall("activate");

            assertThat(only(cluster.fetch(cluster.planOfAll())).reason())
                    .contains("not now")
                    .contains("the table is committed and goes live when this node restarts");

            assertThat(cluster.store(cluster.receiver).calls)
                    .filteredOn("activate t0"::equals)
                    .hasSize(4); // as often as a session is tried
        }
    }

    @Test
    void say_whether_it_had_all_writes_meanwhile() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            Instant since = Instant.parse("2026-01-02T03:04:05Z");
            cluster.store(cluster.receiver).writesSince = () -> Optional.of(since);

            assertThat(cluster.fetch(cluster.planOfAll()).ranges())
                    .extracting(PlanResult.RangeResult::writes)
                    .containsOnly(new LiveWrites(
                            LiveWrites.Kind.GAPLESS, Optional.of(Instant.parse("2026-01-02T03:04:05Z"))));
        }
    }

    @Test
    void say_that_it_missed_some() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            WatchedStore to = cluster.store(cluster.receiver);
            to.writesSince = () -> Optional.of(Instant.EPOCH);
            to.onCall = call -> {
                if (call.startsWith("activate ")) {
                    to.writesSince = () -> Optional.of(Instant.ofEpochSecond(9));
                }
            };

            assertThat(cluster.fetch(cluster.planOfAll()).ranges())
                    .extracting(range -> range.writes().toString())
                    .containsOnly("writes before 1970-01-01T00:00:09Z are missing; repair before reads rely on it");
        }
    }

    @Test
    void wait_for_a_table_whose_schema_is_on_its_way() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            WatchedStore to = cluster.store(cluster.receiver);
            to.hidden.add(cluster.tables.get(0).id());
            OrderedPlan running = cluster.execute(cluster.planOfAll());
            cluster.pass(Duration.ofMillis(1_700)); // of 2 s
            assertThat(running.result()).isEmpty();
            assertThat(to.calls).isEmpty();

            to.hidden.clear();

            assertThat(cluster.await(running).isComplete()).isTrue();
        }
    }

    @Test
    void do_not_come_for_a_table_that_stays_unknown() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            WatchedStore to = cluster.store(cluster.receiver);
            to.hidden.add(cluster.tables.get(0).id());

            assertThat(only(cluster.fetch(cluster.planOfAll())).reason())
                    .startsWith("UNKNOWN_TABLE")
                    .contains("is not known at receiver, also not after 2 s");

            assertThat(to.calls).isEmpty();
        }
    }

    @Test
    void are_not_waited_for_by_who_cancels_a_plan_for_an_unknown_table() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, ROWS)) {
            cluster.store(cluster.receiver).hidden.add(cluster.tables.get(0).id());
            StreamPlan plan = cluster.planOfAll();
            OrderedPlan running = cluster.execute(plan);
            cluster.pass(Duration.ofMillis(200));
            cluster.engine(cluster.receiver).cancel(plan.id(), "no longer wanted");

            assertThat(only(cluster.await(running)).reason()).isEqualTo("CANCELLED: no longer wanted");

            assertThat(cluster.now()).as("less than it is looked for").isLessThan(Duration.ofMillis(1_500));
        }
    }
}
