package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.install.Outlook;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.PlanCoordinator.Action;
import io.sluice.streaming.session.PlanCoordinator.Event;
import io.sluice.streaming.store.TableRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Long because it has a case for each event in each stage of a table. */
class PlanCoordinatorTest {
    private static final TableRef USERS = new TableRef(new UUID(0, 1), "ks", "users");
    private static final TableRef ORDERS = new TableRef(new UUID(0, 2), "ks", "orders");
    private static final Node A = node(1, "a");
    private static final Node B = node(2, "b");
    private static final Node C = node(3, "c");
    private static final TokenRanges LOW = TokenRanges.of(TokenRange.of(0, 100));
    private static final TokenRanges HIGH = TokenRanges.of(TokenRange.of(100, 200));
    private static final TokenRanges BOTH = LOW.union(HIGH);
    private static final Instant NOW = Instant.EPOCH.plusSeconds(7);
    private static final Failure LOST = new Failure(ErrorCode.PEER_LOST, "gone");
    private static final Failure DAMAGED = new Failure(ErrorCode.CORRUPT_AT_SOURCE, "Data.db is damaged");
    private static final RetryPolicy TWICE = new RetryPolicy(2, 5, Duration.ofMillis(100), Duration.ofSeconds(1));

    private static Node node(int id, String name) {
        return new Node(new UUID(9, id), name, new Address("127.0.0.1", id), List.of());
    }

    private static List<Action> on(PlanCoordinator plan, Event event) {
        return plan.on(event, NOW);
    }

    private static StreamRequest of(Node source, TableRef table, TokenRanges ranges) {
        return new StreamRequest(source, table, ranges);
    }

    private static PlanCoordinator coordinator(List<StreamRequest> requests, StreamRequest... alternates) {
        StreamPlan plan = new StreamPlan(new UUID(5, 5), Operation.REPLACE, requests, List.of(alternates));
        return new PlanCoordinator(plan, TWICE, new SplittableRandom(1));
    }

    /** What is done when the plan has begun and was admitted. */
    private static List<Action> start(PlanCoordinator plan) {
        assertThat(on(plan, new Event.Started())).containsExactly(new Action.Admit());
        return on(plan, new Event.Admitted());
    }

    private static Action.Finish finish(List<Action> actions) {
        return (Action.Finish) actions.get(actions.size() - 1);
    }

    @Test
    void an_attempt_that_was_not_asked_for_a_table_is_not_told_of_it() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW), of(A, ORDERS, LOW)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        on(plan, new Event.SessionEnded(0, Optional.of(LOST), true));
        assertThat(on(plan, new Event.RetryDue(0)))
                .containsExactly(new Action.Open(0, 1, A, List.of(of(A, ORDERS, LOW))));

        assertThat(on(plan, new Event.Installed(USERS.id(), 3, 77))).isEmpty();
    }

    @Test
    void installs_a_table_when_all_its_sources_have_sent_it() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW), of(B, USERS, HIGH)));
        assertThat(start(plan))
                .containsExactly(
                        new Action.Open(0, 0, A, List.of(of(A, USERS, LOW))),
                        new Action.Open(1, 0, B, List.of(of(B, USERS, HIGH))));

        assertThat(on(plan, new Event.TableLanded(0, USERS.id()))).isEmpty();
        assertThat(on(plan, new Event.TableLanded(1, USERS.id()))).containsExactly(new Action.Install(USERS.id()));
        ReceivingSession.Event live = new ReceivingSession.Event.TableInstalled(USERS.id());
        assertThat(on(plan, new Event.Installed(USERS.id(), 3, 77)))
                .containsExactly(new Action.Notify(0, live), new Action.Notify(1, live));
        assertThat(on(plan, new Event.SessionEnded(0, Optional.empty(), true))).isEmpty();
        Action.Finish finish = finish(on(plan, new Event.SessionEnded(1, Optional.empty(), true)));

        assertThat(finish.failure()).isEmpty();
        assertThat(finish.tables())
                .containsExactly(new PlanResult.TableResult(USERS, 3, 77, NOW, NOW, Optional.empty()));
        assertThat(finish.ranges())
                .extracting(PlanResult.RangeResult::outcome)
                .containsOnly(PlanResult.Outcome.INSTALLED);
    }

    @Test
    void tries_a_lost_source_again_and_then_asks_another() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)), of(B, USERS, LOW), of(C, USERS, HIGH));
        start(plan);

        List<Action> first = on(plan, new Event.SessionEnded(0, Optional.of(LOST), false));
        assertThat(first).hasSize(2).contains(new Action.Unstage(0, USERS.id()));
        assertThat(first.get(1))
                .isInstanceOfSatisfying(
                        Action.Retry.class,
                        retry -> assertThat(retry.pause().toMillis()).isBetween(75L, 125L));
        assertThat(on(plan, new Event.RetryDue(0)))
                .containsExactly(new Action.Open(0, 1, A, List.of(of(A, USERS, BOTH))));

        assertThat(on(plan, new Event.SessionEnded(0, Optional.of(LOST), false)))
                .containsExactly(
                        new Action.Unstage(0, USERS.id()),
                        new Action.Open(1, 0, B, List.of(of(B, USERS, LOW))),
                        new Action.Open(2, 0, C, List.of(of(C, USERS, HIGH))));
    }

    @Test
    void goes_on_trying_as_long_as_bytes_come_but_not_for_ever() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)));
        start(plan);
        int attempts = 1;
        while (!plan.isFinished()) {
            on(plan, new Event.SessionEnded(0, Optional.of(LOST), true));
            attempts += on(plan, new Event.RetryDue(0)).size();
        }

        assertThat(attempts).isEqualTo(TWICE.maxAttempts());
    }

    @Test
    void asks_another_at_once_for_a_table_that_is_damaged_at_its_source_and_leaves_the_others() {
        PlanCoordinator plan =
                coordinator(List.of(of(A, USERS, BOTH), of(A, ORDERS, BOTH)), of(B, USERS, BOTH), of(B, ORDERS, BOTH));
        start(plan);

        assertThat(on(plan, new Event.TableFailed(0, USERS.id(), DAMAGED)))
                .containsExactly(
                        new Action.Unstage(0, USERS.id()), new Action.Open(1, 0, B, List.of(of(B, USERS, BOTH))));
    }

    @Test
    void does_not_ask_those_who_have_failed() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)), of(B, USERS, BOTH), of(A, USERS, BOTH));
        start(plan);
        on(plan, new Event.TableFailed(0, USERS.id(), DAMAGED));
        on(plan, new Event.SessionEnded(0, Optional.empty(), true));

        on(plan, new Event.TableFailed(1, USERS.id(), DAMAGED));
        Action.Finish finish = finish(on(plan, new Event.SessionEnded(1, Optional.empty(), true)));

        assertThat(finish.failure())
                .hasValueSatisfying(why ->
                        assertThat(why.reason()).contains("session with b").contains("Data.db is damaged"));
        assertThat(finish.tables().get(0).installed()).isFalse();
        assertThat(finish.ranges().get(0).outcome()).isEqualTo(PlanResult.Outcome.FAILED);
    }

    @Test
    void fails_a_table_of_which_nobody_else_has_all_and_installs_the_others() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH), of(B, ORDERS, BOTH)), of(C, USERS, LOW));
        start(plan);

        on(plan, new Event.TableFailed(0, USERS.id(), new Failure(ErrorCode.UNKNOWN_TABLE, "who?")));
        on(plan, new Event.SessionEnded(0, Optional.empty(), false));
        assertThat(on(plan, new Event.TableLanded(1, ORDERS.id()))).containsExactly(new Action.Install(ORDERS.id()));
        on(plan, new Event.Installed(ORDERS.id(), 1, 1));
        List<Action> end = on(plan, new Event.SessionEnded(1, Optional.empty(), true));

        assertThat(end).contains(new Action.Drop(USERS.id(), false));
        assertThat(finish(end).ranges())
                .extracting(PlanResult.RangeResult::outcome)
                .containsExactly(PlanResult.Outcome.REFUSED, PlanResult.Outcome.INSTALLED);
    }

    @Test
    void a_table_that_fails_is_given_up_with_its_other_sources_too() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW), of(B, USERS, HIGH)));
        start(plan);

        assertThat(on(plan, new Event.TableFailed(0, USERS.id(), DAMAGED)))
                .anySatisfy(action -> assertThat(action).isInstanceOfSatisfying(Action.Notify.class, tell -> {
                    assertThat(tell.session()).isEqualTo(1);
                    assertThat(tell.event()).isInstanceOf(ReceivingSession.Event.TableAbandoned.class);
                }));
    }

    @Test
    void what_has_landed_needs_its_source_no_more() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW), of(B, USERS, HIGH)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));

        assertThat(on(plan, new Event.SessionEnded(0, Optional.of(LOST), true))).isEmpty();
        assertThat(on(plan, new Event.TableLanded(1, USERS.id()))).containsExactly(new Action.Install(USERS.id()));
    }

    @Test
    void ends_when_it_is_cancelled_keeps_nothing_and_tells_why() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW), of(B, USERS, HIGH)));
        start(plan);
        on(plan, new Event.SessionEnded(0, Optional.of(LOST), true)); // waits for its next attempt

        List<Action> actions = on(plan, new Event.Cancelled("enough"));
        assertThat(actions)
                .containsExactly(new Action.Notify(
                        1, new ReceivingSession.Event.Failed(new Failure(ErrorCode.CANCELLED, "enough"))));
        List<Action> end =
                on(plan, new Event.SessionEnded(1, Optional.of(new Failure(ErrorCode.CANCELLED, "enough")), true));

        assertThat(end).contains(new Action.Drop(USERS.id(), false));
        assertThat(finish(end).failure())
                .contains(new PlanResult.Failure(ErrorCode.CANCELLED, Optional.empty(), "enough", NOW));
        assertThat(on(plan, new Event.RetryDue(0))).isEmpty();
    }

    @Test
    void keeps_what_it_has_received_when_its_node_closes_but_nothing_of_a_table_that_failed_for_good() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH), of(A, ORDERS, BOTH)));
        start(plan);
        on(plan, new Event.TableFailed(0, ORDERS.id(), DAMAGED));
        Failure closing = new Failure(ErrorCode.CANCELLED, "the node is shutting down");

        on(plan, new Event.Cancelled(closing, true));
        List<Action> end = on(plan, new Event.SessionEnded(0, Optional.of(closing), true));

        assertThat(end).contains(new Action.Drop(USERS.id(), true), new Action.Drop(ORDERS.id(), false));
        assertThat(finish(end).failure())
                .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.CANCELLED));
    }

    @Test
    void ends_at_once_when_it_is_cancelled_between_two_attempts() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW)));
        start(plan);
        on(plan, new Event.SessionEnded(0, Optional.of(LOST), true)); // waits for its next attempt

        List<Action> end = on(plan, new Event.Cancelled("enough"));

        assertThat(end).hasSize(2).contains(new Action.Drop(USERS.id(), false));
        assertThat(finish(end).failure())
                .contains(new PlanResult.Failure(ErrorCode.CANCELLED, Optional.empty(), "enough", NOW));
        assertThat(on(plan, new Event.RetryDue(0))).isEmpty();
    }

    @Test
    void lets_an_install_end_that_has_begun_when_it_is_cancelled_and_is_complete_if_nothing_else_is_missing() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        on(plan, new Event.Cancelled("enough"));
        on(plan, new Event.SessionEnded(0, Optional.of(new Failure(ErrorCode.CANCELLED, "enough")), true));
        assertThat(plan.isFinished()).isFalse();

        Action.Finish finish = finish(on(plan, new Event.Installed(USERS.id(), 1, 1)));

        assertThat(finish.tables().get(0).installed()).isTrue();
        assertThat(finish.failure()).isEmpty();
    }

    @Test
    void is_cancelled_if_one_of_its_tables_is_not_live() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW), of(A, ORDERS, LOW)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        on(plan, new Event.Cancelled("enough"));
        on(plan, new Event.SessionEnded(0, Optional.of(new Failure(ErrorCode.CANCELLED, "enough")), true));

        Action.Finish finish = finish(on(plan, new Event.Installed(USERS.id(), 1, 1)));

        assertThat(finish.failure())
                .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.CANCELLED));
    }

    @Test
    void says_what_became_of_each_table_and_why() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW)));
        start(plan);

        on(plan, new Event.TableLanded(0, USERS.id()));
        assertThat(plan.transitions())
                .map(String::valueOf)
                .containsExactly(USERS + ": FETCHING -> INSTALLING by TableLanded: when all its sources have sent it,"
                        + " it is installed");
        on(plan, new Event.Installed(USERS.id(), 1, 1));
        assertThat(plan.transitions())
                .map(String::valueOf)
                .containsExactly(USERS + ": INSTALLING -> INSTALLED by Installed: its sources are notified");
        on(plan, new Event.RetryDue(0));
        assertThat(plan.transitions()).isEmpty();
    }

    @Test
    void has_nothing_to_do_for_an_empty_plan() {
        assertThat(on(coordinator(List.of()), new Event.Started()))
                .containsExactly(new Action.Finish(List.of(), List.of(), Optional.empty()));
    }

    private static final Failure FULL = new Failure(ErrorCode.DISK_FULL, "no room");

    private static long pauses(PlanCoordinator plan) {
        long pauses = 0;
        while (!plan.isFinished()) {
            List<Action> actions = on(plan, new Event.SessionEnded(0, Optional.of(FULL), false));
            pauses += actions.stream().filter(Action.Retry.class::isInstance).count();
            on(plan, new Event.RetryDue(0));
        }
        return pauses;
    }

    @Test
    void refuses_at_once_what_has_no_room_before_the_first_byte() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)), of(B, USERS, BOTH));
        start(plan);

        Action.Finish finish = finish(on(plan, new Event.SessionEnded(0, Optional.of(FULL), false)));

        assertThat(finish.ranges().get(0).outcome()).isEqualTo(PlanResult.Outcome.REFUSED);
        assertThat(finish.ranges().get(0).reason()).contains("DISK_FULL").contains("no room");
    }

    @Test
    void pauses_on_a_disk_that_fills_up_and_goes_on_when_there_is_room_again() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)));
        start(plan);
        List<Action> full = on(plan, new Event.SessionEnded(0, Optional.of(FULL), true));
        assertThat(full).contains(new Action.Retry(0, Duration.ofSeconds(5), FULL.toString()));

        assertThat(on(plan, new Event.RetryDue(0)))
                .containsExactly(new Action.Open(0, 1, A, List.of(of(A, USERS, BOTH))));
        assertThat(on(plan, new Event.TableLanded(0, USERS.id()))).containsExactly(new Action.Install(USERS.id()));
    }

    @Test
    void waits_for_room_a_minute_and_no_longer() {
        RetryPolicy patient = new RetryPolicy(2, 50, Duration.ofMillis(100), Duration.ofSeconds(1));
        StreamPlan asked = new StreamPlan(new UUID(5, 5), Operation.REPLACE, List.of(of(A, USERS, BOTH)));
        PlanCoordinator plan = new PlanCoordinator(asked, patient, new SplittableRandom(1));
        start(plan);
        on(plan, new Event.SessionEnded(0, Optional.of(FULL), true));
        on(plan, new Event.RetryDue(0));

        assertThat(1 + pauses(plan)).isEqualTo(12); // of 5 s
    }

    @Test
    void a_source_whose_disk_is_full_is_replaced_and_a_full_disk_of_this_node_is_not() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH), of(A, ORDERS, BOTH)), of(B, USERS, BOTH));
        start(plan);

        assertThat(on(plan, new Event.TableFailed(0, USERS.id(), new Failure(ErrorCode.SOURCE_DISK_FULL, "no room"))))
                .contains(new Action.Open(1, 0, B, List.of(of(B, USERS, BOTH))));
        on(plan, new Event.TableFailed(1, USERS.id(), new Failure(ErrorCode.DISK_FULL, "no room here")));
        on(plan, new Event.TableFailed(0, ORDERS.id(), new Failure(ErrorCode.SOURCE_DISK_FULL, "no room")));
        on(plan, new Event.SessionEnded(0, Optional.empty(), false));
        Action.Finish finish = finish(on(plan, new Event.SessionEnded(1, Optional.empty(), false)));

        assertThat(finish.tables())
                .extracting(table -> table.failure().orElseThrow())
                .containsExactly(
                        new PlanResult.Failure(
                                ErrorCode.DISK_FULL, Optional.of(B.id()), "session with b: no room here", NOW),
                        new PlanResult.Failure(
                                ErrorCode.SOURCE_DISK_FULL, Optional.of(A.id()), "session with a: no room", NOW));
    }

    @Test
    void a_plan_that_is_not_admitted_ends_refused_and_asks_nobody() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)), of(B, USERS, BOTH));
        on(plan, new Event.Started());

        Action.Finish finish =
                finish(on(plan, new Event.Refused(new Failure(ErrorCode.FENCED, "a newer one fetches it"))));

        assertThat(finish.ranges())
                .containsExactly(new PlanResult.RangeResult(
                        USERS,
                        BOTH.ranges(),
                        A,
                        PlanResult.Outcome.REFUSED,
                        Optional.of(new PlanResult.Failure(
                                ErrorCode.FENCED, Optional.empty(), "a newer one fetches it", NOW)),
                        PlanResult.LiveWrites.NOT_SAID));
    }

    @Test
    void an_install_that_fails_after_its_commit_point_is_tried_again_and_not_for_ever() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        Failure why = new Failure(ErrorCode.DISK, "the database does not answer");

        List<Action> again = on(plan, new Event.InstallFailed(USERS.id(), why, Outlook.GOES_LIVE));
        List<Action> enough = on(plan, new Event.InstallFailed(USERS.id(), why, Outlook.GOES_LIVE));
        Action.Finish finish = finish(on(plan, new Event.SessionEnded(0, Optional.of(LOST), true)));

        assertThat(again).singleElement().isInstanceOfSatisfying(Action.RetryInstall.class, action -> {
            assertThat(action.tableId()).isEqualTo(USERS.id());
            assertThat(action.pause()).isBetween(Duration.ofMillis(75), Duration.ofMillis(125));
            assertThat(action.why()).isEqualTo("DISK: the database does not answer");
        });
        assertThat(enough).hasOnlyElementsOfType(Action.Notify.class);
        assertThat(finish.tables().get(0).reason())
                .isEqualTo("DISK: the database does not answer; the table is committed and goes live when this node"
                        + " restarts");
    }

    @Test
    void a_plan_that_is_cancelled_between_two_installs_ends_and_leaves_the_table_to_the_next_start() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        on(plan, new Event.SessionEnded(0, Optional.of(LOST), true));
        on(plan, new Event.InstallFailed(USERS.id(), HANGS, Outlook.GOES_LIVE));

        Action.Finish finish = finish(on(plan, new Event.Cancelled("enough")));

        assertThat(finish.tables().get(0).reason()).contains("committed").contains("when this node restarts");
        assertThat(plan.transitions()).hasSize(1);
        assertThat(on(plan, new Event.InstallDue(USERS.id()))).isEmpty();
        assertThat(plan.transitions()).isEmpty();
    }

    @Test
    void an_install_that_fails_once_its_plan_is_cancelled_is_not_tried_again() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        on(plan, new Event.SessionEnded(0, Optional.of(LOST), true));
        on(plan, new Event.Cancelled("enough"));

        Action.Finish finish = finish(on(plan, new Event.InstallFailed(USERS.id(), HANGS, Outlook.GOES_LIVE)));

        assertThat(finish.tables().get(0).reason()).contains("committed").contains("when this node restarts");
    }

    @Test
    void an_install_is_begun_again_when_its_pause_is_over_and_once_only() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        on(plan, new Event.InstallFailed(USERS.id(), HANGS, Outlook.GOES_LIVE));

        assertThat(on(plan, new Event.InstallDue(USERS.id()))).containsExactly(new Action.Install(USERS.id()));
        assertThat(on(plan, new Event.InstallDue(USERS.id()))).isEmpty();
    }

    @Test
    void what_a_failed_volume_had_of_a_table_is_asked_for_again() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW), of(B, USERS, HIGH)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        on(plan, new Event.SessionEnded(0, Optional.of(LOST), true)); // its source has gone since
        on(plan, new Event.TableLanded(1, USERS.id()));
        Failure why = new Failure(ErrorCode.VOLUME_FAILED, "one of several");

        List<Action> actions = on(plan, new Event.StagedLost(USERS.id(), why));

        assertThat(actions)
                .hasSize(2)
                .anySatisfy(action -> assertThat(action)
                        .isInstanceOfSatisfying(
                                Action.Retry.class,
                                retry -> assertThat(retry.session()).isZero()))
                .contains(new Action.Notify(1, new ReceivingSession.Event.Failed(why)));
        assertThat(on(plan, new Event.RetryDue(0)))
                .singleElement()
                .isInstanceOfSatisfying(
                        Action.Open.class, open -> assertThat(open.requests()).containsExactly(of(A, USERS, LOW)));
        on(plan, new Event.SessionEnded(1, Optional.of(why), true));
        on(plan, new Event.RetryDue(1));
        on(plan, new Event.TableLanded(0, USERS.id()));
        assertThat(on(plan, new Event.TableLanded(1, USERS.id()))).containsExactly(new Action.Install(USERS.id()));
    }

    @Test
    void no_other_source_is_asked_for_what_this_nodes_volumes_cannot_hold() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)), of(B, USERS, BOTH));
        start(plan);
        Failure why = new Failure(ErrorCode.VOLUME_FAILED, "one of several");
        on(plan, new Event.SessionEnded(0, Optional.of(why), false));
        on(plan, new Event.RetryDue(0));

        Action.Finish finish = finish(on(plan, new Event.SessionEnded(0, Optional.of(why), false)));

        assertThat(finish.tables().get(0).reason()).contains("VOLUME_FAILED");
    }

    @Test
    void an_install_that_fails_before_its_commit_point_fails_the_table_at_once() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));

        on(
                plan,
                new Event.InstallFailed(
                        USERS.id(), new Failure(ErrorCode.DISCARDED, "it was dropped"), Outlook.NOT_COMMITTED));
        Action.Finish finish = finish(on(plan, new Event.SessionEnded(0, Optional.of(LOST), true)));

        assertThat(finish.tables().get(0).reason()).isEqualTo("DISCARDED: it was dropped");
    }

    @Test
    void a_table_that_is_not_known_here_is_refused_and_the_others_are_fetched() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH), of(A, ORDERS, BOTH)));
        on(plan, new Event.Started());

        List<Action> actions = on(
                plan,
                new Event.Admitted(Map.of(USERS.id(), new Failure(ErrorCode.UNKNOWN_TABLE, "users is not known"))));

        assertThat(actions).containsExactly(new Action.Open(0, 0, A, List.of(of(A, ORDERS, BOTH))));
        on(plan, new Event.TableLanded(0, ORDERS.id()));
        on(plan, new Event.Installed(ORDERS.id(), 1, 1));
        Action.Finish finish = finish(on(plan, new Event.SessionEnded(0, Optional.empty(), true)));
        assertThat(finish.ranges())
                .extracting(PlanResult.RangeResult::outcome)
                .containsExactlyInAnyOrder(PlanResult.Outcome.REFUSED, PlanResult.Outcome.INSTALLED);
    }

    @Test
    void a_plan_that_is_cancelled_before_it_is_admitted_asks_nobody() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)));
        on(plan, new Event.Started());
        assertThat(on(plan, new Event.Cancelled("enough"))).isEmpty();

        Action.Finish finish = finish(on(plan, new Event.Admitted()));

        assertThat(finish.tables().get(0).reason()).isEqualTo("CANCELLED: enough");
    }

    private static final Failure HANGS = new Failure(ErrorCode.TIMEOUT, "its install has not answered");

    /** A plan for two tables of one source; the first has landed and does not become live in time. */
    private static PlanCoordinator withOverdueInstall() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, LOW), of(A, ORDERS, LOW)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        assertThat(on(plan, new Event.InstallOverdue(USERS.id(), HANGS)))
                .containsExactly(new Action.Notify(0, new ReceivingSession.Event.TableAbandoned(USERS.id(), HANGS)));
        on(plan, new Event.TableLanded(0, ORDERS.id()));
        return plan;
    }

    @Test
    void an_install_that_does_not_answer_ends_the_table_and_nobody_touches_what_has_landed() {
        PlanCoordinator plan = withOverdueInstall();
        on(plan, new Event.Installed(ORDERS.id(), 1, 5));

        List<Action> end = on(plan, new Event.SessionEnded(0, Optional.empty(), true));

        assertThat(end).hasSize(1);
        assertThat(finish(end).tables())
                .extracting(PlanResult.TableResult::reason)
                .containsExactly("TIMEOUT: its install has not answered", "");
        assertThat(on(plan, new Event.Installed(USERS.id(), 1, 5))).isEmpty();
    }

    @Test
    void an_install_that_answers_late_counts_if_the_plan_has_not_ended() {
        PlanCoordinator plan = withOverdueInstall();
        assertThat(on(plan, new Event.Installed(USERS.id(), 1, 5))).isEmpty();
        on(plan, new Event.Installed(ORDERS.id(), 1, 5));

        List<Action> end = on(plan, new Event.SessionEnded(0, Optional.empty(), true));

        assertThat(finish(end).tables()).allMatch(PlanResult.TableResult::installed);
        assertThat(finish(end).failure()).isEmpty();
    }

    @Test
    void an_install_that_fails_late_before_its_commit_point_is_removed_with_the_plan() {
        PlanCoordinator plan = withOverdueInstall();
        on(plan, new Event.InstallFailed(USERS.id(), new Failure(ErrorCode.DISK, "broken"), Outlook.NOT_COMMITTED));
        on(plan, new Event.Installed(ORDERS.id(), 1, 5));

        List<Action> end = on(plan, new Event.SessionEnded(0, Optional.empty(), true));

        assertThat(end).contains(new Action.Drop(USERS.id(), false));
        assertThat(finish(end).tables().get(0).reason()).isEqualTo("DISK: broken");
    }

    private static final Failure CLOSING = new Failure(ErrorCode.CANCELLED, "the node is shutting down");

    /** A plan whose node closes while a table is installed. */
    private static PlanCoordinator closingDuringInstall() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        on(plan, new Event.Cancelled(CLOSING, true));
        on(plan, new Event.SessionEnded(0, Optional.of(CLOSING), true));
        return plan;
    }

    private static Event.InstallFailed installFailed(ErrorCode code) {
        return new Event.InstallFailed(USERS.id(), new Failure(code, "the database ends"), Outlook.NOT_COMMITTED);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"DISCARDED", "SCHEMA", "FENCED"},
            mode = EnumSource.Mode.EXCLUDE)
    void keeps_a_complete_table_whose_install_fails_while_the_node_closes(ErrorCode code) {
        PlanCoordinator atOnce = closingDuringInstall();
        PlanCoordinator late = closingDuringInstall();
        on(late, new Event.InstallOverdue(USERS.id(), CLOSING));
        assertThat(late.isFinished()).isTrue();

        assertThat(on(atOnce, installFailed(code))).contains(new Action.Drop(USERS.id(), true));
        assertThat(on(late, installFailed(code))).containsExactly(new Action.Drop(USERS.id(), true));
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"DISCARDED", "SCHEMA", "FENCED"})
    void keeps_nothing_that_may_not_go_live_when_the_node_closes(ErrorCode code) {
        PlanCoordinator atOnce = closingDuringInstall();
        PlanCoordinator late = closingDuringInstall();
        on(late, new Event.InstallOverdue(USERS.id(), CLOSING));

        assertThat(on(atOnce, installFailed(code))).contains(new Action.Drop(USERS.id(), false));
        assertThat(on(late, installFailed(code))).containsExactly(new Action.Drop(USERS.id(), false));
    }

    /** A plan that has ended while an install hangs. */
    private static PlanCoordinator endedDuringInstall() {
        PlanCoordinator plan = withOverdueInstall();
        on(plan, new Event.Installed(ORDERS.id(), 1, 5));
        on(plan, new Event.SessionEnded(0, Optional.empty(), true));
        assertThat(plan.isFinished()).isTrue();
        return plan;
    }

    @Test
    void an_install_that_fails_after_its_plan_has_ended_keeps_its_data_if_another_attempt_may_help() {
        Failure volume = new Failure(ErrorCode.VOLUME_FAILED, "gone");

        assertThat(on(endedDuringInstall(), installFailed(ErrorCode.DISK_FULL)))
                .containsExactly(new Action.Drop(USERS.id(), true));
        assertThat(on(endedDuringInstall(), installFailed(ErrorCode.DISK)))
                .containsExactly(new Action.Drop(USERS.id(), false));
        assertThat(on(endedDuringInstall(), new Event.StagedLost(USERS.id(), volume)))
                .containsExactly(new Action.Drop(USERS.id(), true));
    }

    @Test
    void an_install_that_fails_after_its_plan_was_cancelled_keeps_nothing() {
        PlanCoordinator plan = coordinator(List.of(of(A, USERS, BOTH)));
        start(plan);
        on(plan, new Event.TableLanded(0, USERS.id()));
        on(plan, new Event.Cancelled("enough"));
        on(plan, new Event.SessionEnded(0, Optional.of(CLOSING), true));
        on(plan, new Event.InstallOverdue(USERS.id(), HANGS));

        assertThat(on(plan, installFailed(ErrorCode.DISK_FULL))).containsExactly(new Action.Drop(USERS.id(), false));
        assertThat(on(plan, installFailed(ErrorCode.DISK_FULL))).isEmpty();
    }
}
