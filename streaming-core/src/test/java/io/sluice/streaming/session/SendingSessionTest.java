package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.session.SendingSession.Action;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.session.SendingSession.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long because it has a case for each event, in each state that knows it. */
class SendingSessionTest {
    private static final Deadlines DEADLINES = Deadlines.of(Duration.ofSeconds(5));
    private static final UUID TABLE = new UUID(0, 1);
    private static final Message.PrepareSyn SYN =
            new Message.PrepareSyn(List.of(new Message.TableRequest(TABLE, TokenRanges.FULL)), true);
    private static final Extent EXTENT = new Extent(0, Component.DATA, 50, 50);

    private final SendingSession session = new SendingSession("receiver", DEADLINES, 0);

    @Test
    void pins_offers_sends_unpins_and_completes() {
        assertThat(session.on(new Event.Received(SYN), 1))
                .containsExactly(new Action.Pin(SYN.requests(), ReceiverFeatures.NONE, Message.StreamInit.ANY_ROOM));
        assertThat(session.on(new Event.Pinned(List.of(offer(0)), Map.of()), 1))
                .containsExactly(new Action.Send(new Message.PrepareSynAck(List.of(offer(0)), true)));
        assertThat(session.on(new Event.Received(new Message.PrepareAck()), 1)).isEmpty();
        assertThat(session.on(new Event.Fetched(0, List.of(EXTENT)), 1))
                .containsExactly(new Action.Transmit(0, List.of(EXTENT)));
        assertThat(session.on(new Event.Received(new Message.Received(0)), 1)).isEmpty();
        assertThat(session.on(new Event.Received(new Message.Installed(TABLE)), 1))
                .containsExactly(
                        new Action.Unpin(TABLE),
                        new Action.Send(new Message.Complete()),
                        new Action.Finish(Optional.empty()));
        assertThat(session.state()).isEqualTo(State.COMPLETE);
    }

    @Test
    void says_by_its_heartbeat_what_it_does_and_shows_what_the_peer_says() {
        session.on(new Event.Received(SYN), 1);
        session.on(new Event.Pinned(List.of(offer(0)), Map.of()), 1);
        session.on(new Event.Received(new Message.PrepareAck()), 1);
        session.on(new Event.Received(new Message.Received(0)), 1);
        long landed = offer(0).lengthBytes();
        long now = DEADLINES.heartbeat().toNanos();

        Message.Doing doing = ((Message.KeepAlive)
                        ((Action.Send) session.on(new Event.Tick(), now).get(0)).message())
                .doing();
        assertThat(doing.stage()).isEqualTo("the receiver to fetch or install");
        assertThat(doing.seconds())
                .isEqualTo((int) DEADLINES.heartbeat().minusNanos(1).toSeconds());
        assertThat(List.of(doing.verifiedBytes(), doing.durableBytes())).containsOnly(landed);
        assertThat(doing.queued()).isZero();
        session.on(new Event.Received(new Message.KeepAlive(new Message.Doing("the disk", 7, 20, 10, 2), 1)), now);
        assertThat(session.waitingFor(now, Instant.EPOCH)
                        .map(wait -> wait.describe(Instant.EPOCH))
                        .orElseThrow())
                .endsWith("; the peer waits for the disk, 7 s, 20 bytes verified, 10 durable, 2 in its queue");
    }

    @Test
    void offers_many_sstables_in_pages() {
        session.on(new Event.Received(SYN), 1);
        List<SSTableOffer> offers =
                IntStream.range(0, 1_234).mapToObj(SendingSessionTest::offer).toList();

        List<Action> pages = session.on(new Event.Pinned(offers, Map.of()), 1);

        assertThat(pages).hasSize(3);
        assertThat(pages.stream().map(action -> ((Message.PrepareSynAck) ((Action.Send) action).message()).last()))
                .containsExactly(false, false, true);
    }

    private static List<Integer> numbers(List<Action> actions, boolean isLast) {
        return actions.stream()
                .map(action -> (Message.PrepareSynAck) ((Action.Send) action).message())
                .peek(page -> assertThat(page.last()).isEqualTo(isLast))
                .flatMap(page -> page.offers().stream())
                .map(SSTableOffer::number)
                .toList();
    }

    @Test
    void offers_each_table_when_it_is_ready_and_then_says_that_these_are_all() {
        session.on(new Event.Received(SYN), 1);
        List<SSTableOffer> offers =
                IntStream.range(0, 502).mapToObj(SendingSessionTest::offer).toList();

        assertThat(numbers(session.on(new Event.Offered(offers.subList(0, 501)), 1), false))
                .hasSize(501)
                .isSorted();
        assertThat(session.on(new Event.Offered(List.of()), 1)).isEmpty(); // nothing is wanted of it
        assertThat(numbers(session.on(new Event.Offered(offers.subList(501, 502)), 1), false))
                .containsExactly(501);
        assertThat(numbers(session.on(new Event.Pinned(offers, Map.of()), 1), true))
                .isEmpty();
        session.on(new Event.Received(new Message.PrepareAck()), 1);
        assertThat(session.on(new Event.Fetched(0, List.of(EXTENT)), 1)).hasSize(1);
    }

    @Test
    void sends_the_first_offers_while_others_are_prepared_to_a_receiver_that_can_take_them() {
        ReceiverFeatures early = new ReceiverFeatures(true, true, true);
        session.on(new Event.Received(new Message.StreamInit(1, early, Message.StreamInit.ANY_ROOM)), 1);
        session.on(new Event.Received(SYN), 1);

        assertThat(session.on(new Event.Offered(List.of(offer(0))), 1))
                .containsExactly(new Action.Send(new Message.PrepareSynAck(List.of(offer(0)), false, true)));
        assertThat(session.on(new Event.Fetched(0, List.of(EXTENT)), 1))
                .containsExactly(new Action.Transmit(0, List.of(EXTENT)));
        assertThat(session.on(new Event.Received(new Message.Received(0)), 1)).isEmpty();
        session.on(new Event.Preparing(1), 1);
        assertThat(session.state()).isEqualTo(State.STREAMING);
        assertThat(numbers(session.on(new Event.Pinned(List.of(offer(0), offer(1)), Map.of()), 1), true))
                .containsExactly(1);
    }

    @Test
    void nothing_is_installed_before_the_last_page_of_offers() {
        session.on(new Event.Received(SYN), 1);
        session.on(new Event.Offered(List.of(offer(0))), 1);
        session.on(new Event.Fetched(0, List.of(EXTENT)), 1);

        session.on(new Event.Received(new Message.Installed(TABLE)), 1);

        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @Test
    void waits_as_long_as_the_preparation_gets_on_and_says_that_it_does() {
        session.on(new Event.Received(SYN), 0);
        long now = 0;
        long progress = -1;
        for (int step = 1; step <= 100; step++) {
            now += DEADLINES.install().toNanos() - 1;
            session.on(new Event.Received(new Message.KeepAlive(new Message.Doing("waits", 1, 0, 0, 0), 0)), now);
            session.on(new Event.Preparing(step), now);
            Message.KeepAlive sign = (Message.KeepAlive)
                    ((Action.Send) session.on(new Event.Tick(), now).get(0)).message();
            assertThat(sign.progress()).isGreaterThan(progress);
            progress = sign.progress();
        }
        assertThat(session.state()).isEqualTo(State.PREPARING);
    }

    @Test
    void sends_when_a_fetch_overtakes_the_ack_on_the_other_connection() {
        session.on(new Event.Received(SYN), 1);
        session.on(new Event.Pinned(List.of(offer(0)), Map.of()), 1);

        assertThat(session.on(new Event.Fetched(0, List.of(EXTENT)), 1))
                .containsExactly(new Action.Transmit(0, List.of(EXTENT)));
        assertThat(session.on(new Event.Received(new Message.PrepareAck()), 1)).isEmpty();
        assertThat(session.state()).isEqualTo(State.STREAMING);
    }

    @Test
    void refuses_to_send_what_it_did_not_offer() {
        for (Extent extent : List.of(
                new Extent(0, Component.DATA, 51, 50),
                new Extent(1, Component.DATA, 0, 1),
                new Extent(0, Component.FILTER, 0, 1))) {
            SendingSession some = in(State.STREAMING);

            some.on(new Event.Fetched(0, List.of(extent)), 1);

            assertThat(some.state()).as("%s", extent).isEqualTo(State.FAILED);
        }
    }

    private void requestWith(UUID other) {
        session.on(
                new Event.Received(new Message.PrepareSyn(
                        List.of(
                                new Message.TableRequest(TABLE, TokenRanges.FULL),
                                new Message.TableRequest(other, TokenRanges.FULL)),
                        true)),
                1);
    }

    @Test
    void sends_nothing_of_a_table_that_it_has_unpinned() {
        requestWith(new UUID(0, 2));
        session.on(new Event.Pinned(List.of(offer(0)), Map.of()), 1);
        session.on(new Event.Received(new Message.PrepareAck()), 1);
        session.on(new Event.Received(new Message.Installed(TABLE)), 1);
        assertThat(session.state()).isEqualTo(State.STREAMING);

        List<Action> actions = session.on(new Event.Fetched(0, List.of(EXTENT)), 1);

        assertThat(actions).as("on a connection that is lost").containsExactly(new Action.Disconnect(0));
        assertThat(session.state()).isEqualTo(State.STREAMING);
    }

    @Test
    void sends_nothing_of_a_table_that_was_abandoned_while_others_are_prepared() {
        requestWith(new UUID(0, 2));
        session.on(new Event.Offered(List.of(offer(0))), 1);
        session.on(new Event.Received(new Message.Released(TABLE, ErrorCode.DISK_FULL, "full")), 1);
        assertThat(session.state()).isEqualTo(State.PREPARING);

        List<Action> actions = session.on(new Event.Fetched(0, List.of(EXTENT)), 1);

        assertThat(actions).containsExactly(new Action.Disconnect(0));
        assertThat(session.on(new Event.Pinned(List.of(offer(0)), Map.of()), 1)).isNotEmpty();
        assertThat(session.state()).isEqualTo(State.STREAMING);
    }

    @Test
    void does_not_wait_for_ever_for_a_receiver_that_only_says_that_it_lives() {
        SendingSession some = in(State.STREAMING);
        long second = 1_000_000_000L;
        long deadline = DEADLINES.install().toSeconds();
        Message alive = new Message.KeepAlive(new Message.Doing("nothing", 1, 0, 0, 0), 0);
        for (long now = 1; now <= deadline; now++) {
            some.on(new Event.Received(alive), now * second);
            some.on(new Event.Tick(), now * second);
        }
        assertThat(some.state()).isEqualTo(State.STREAMING);

        List<Action> actions = some.on(new Event.Tick(), (deadline + 2) * second);

        assertThat(some.state()).isEqualTo(State.FAILED);
        assertThat(actions.toString()).contains("TIMEOUT").contains("s for the receiver to fetch or install");
    }

    @Test
    void refuses_one_table_and_offers_the_others() {
        UUID other = new UUID(0, 2);
        session.on(
                new Event.Received(new Message.PrepareSyn(
                        List.of(
                                new Message.TableRequest(TABLE, TokenRanges.FULL),
                                new Message.TableRequest(other, TokenRanges.FULL)),
                        true)),
                1);
        Failure why = new Failure(ErrorCode.UNKNOWN_TABLE, "who?");

        assertThat(session.on(new Event.Pinned(List.of(offer(0)), Map.of(other, why)), 1))
                .containsExactly(
                        new Action.Send(new Message.TableRefused(other, ErrorCode.UNKNOWN_TABLE, "who?")),
                        new Action.Send(new Message.PrepareSynAck(List.of(offer(0)), true)));
        session.on(new Event.Received(new Message.Released(other, ErrorCode.UNKNOWN_TABLE, "who?")), 1);
        session.on(new Event.Received(new Message.PrepareAck()), 1);
        session.on(new Event.Received(new Message.Installed(TABLE)), 1);
        assertThat(session.state()).isEqualTo(State.COMPLETE);
    }

    @Test
    void joins_the_pages_of_a_request() {
        TokenRanges first = TokenRanges.of(TokenRange.of(1, 5));
        TokenRanges second = TokenRanges.of(TokenRange.of(8, 9));

        assertThat(session.on(
                        new Event.Received(
                                new Message.PrepareSyn(List.of(new Message.TableRequest(TABLE, first)), false)),
                        1))
                .containsExactly(new Action.LookUp(List.of(new Message.TableRequest(TABLE, first))));
        assertThat(session.on(
                        new Event.Received(
                                new Message.PrepareSyn(List.of(new Message.TableRequest(TABLE, second)), true)),
                        1))
                .containsExactly(new Action.Pin(
                        List.of(new Message.TableRequest(TABLE, first.union(second))),
                        ReceiverFeatures.NONE,
                        Message.StreamInit.ANY_ROOM));
    }

    @Test
    void keeps_nothing_of_a_table_that_is_not_known_while_further_pages_come() {
        List<Message.TableRequest> page = List.of(new Message.TableRequest(TABLE, TokenRanges.FULL));
        session.on(new Event.Received(new Message.PrepareSyn(page, false)), 1);
        assertThat(session.heldBytes()).isGreaterThan(100);

        Failure unknown = new Failure(ErrorCode.UNKNOWN_TABLE, "who?");
        assertThat(session.on(new Event.Unavailable(Map.of(TABLE, unknown)), 1))
                .containsExactly(new Action.Send(new Message.TableRefused(TABLE, ErrorCode.UNKNOWN_TABLE, "who?")));

        assertThat(session.heldBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_table_that_was_refused_at_once_is_released_once(boolean isAllAskedFor) {
        UUID other = new UUID(0, 2);
        session.on(
                new Event.Received(
                        new Message.PrepareSyn(List.of(new Message.TableRequest(other, TokenRanges.FULL)), false)),
                1);
        session.on(new Event.Unavailable(Map.of(other, new Failure(ErrorCode.UNKNOWN_TABLE, "who?"))), 1);
        if (isAllAskedFor) {
            session.on(new Event.Received(SYN), 1);
        }
        Event released = new Event.Received(new Message.Released(other, ErrorCode.UNKNOWN_TABLE, "not wanted"));

        assertThat(session.on(released, 1)).isEmpty();
        assertThat(session.state().isFinal()).isFalse();
        session.on(released, 1);
        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @Test
    void a_page_of_nothing_is_a_violation_since_it_could_be_repeated_for_ever() {
        assertThat(session.on(new Event.Received(new Message.PrepareSyn(List.of(), false)), 1))
                .contains(new Action.Finish(Optional.of(
                        new Failure(ErrorCode.PROTOCOL, "PrepareSyn without requests received in state INITIALIZED"))));
    }

    @Test
    void unpins_when_nothing_is_heard_of_the_receiver() {
        session.on(new Event.Received(SYN), 0);
        long second = 1_000_000_000L;
        for (int now = 1; now < 30; now++) {
            session.on(new Event.Tick(), now * second);
            assertThat(session.state()).as("after %d s", now).isEqualTo(State.PREPARING);
        }

        List<Action> actions = session.on(new Event.Tick(), 31 * second);

        assertThat(session.state()).isEqualTo(State.FAILED);
        assertThat(actions.toString()).contains("TIMEOUT").contains("receiver sent nothing for 30 s");
    }

    private static Event check(int offer, Component component) {
        return new Event.Received(new Message.CheckFile(offer, component, 1 << 20));
    }

    private static Event summed(int offer, Component component, boolean isLast) {
        return new Event.Summed(new Message.FileSums(offer, component, 0, List.of(1), isLast));
    }

    @Test
    void reads_one_file_after_the_other_for_a_receiver_that_asks_for_many() {
        SendingSession some = in(State.STREAMING);
        Action first = new Action.Sum(0, Component.DATA, 1 << 20);
        Action second = new Action.Sum(0, Component.INDEX, 1 << 20);

        assertThat(some.on(check(0, Component.DATA), 1)).containsExactly(first);
        assertThat(some.on(check(0, Component.INDEX), 1)).isEmpty();
        assertThat(some.on(summed(0, Component.DATA, false), 1)).hasSize(1);
        assertThat(some.on(summed(0, Component.DATA, true), 1)).hasSize(2).contains(second);
        assertThat(some.on(summed(0, Component.INDEX, true), 1)).hasSize(1);
        assertThat(some.on(check(0, Component.DATA), 1)).containsExactly(first);
    }

    @Test
    void goes_on_when_a_file_cannot_be_read_any_more_since_its_table_was_released() {
        UUID other = new UUID(0, 2);
        session.on(
                new Event.Received(new Message.PrepareSyn(
                        List.of(
                                new Message.TableRequest(TABLE, TokenRanges.FULL),
                                new Message.TableRequest(other, TokenRanges.FULL)),
                        true)),
                1);
        session.on(new Event.Pinned(List.of(offer(0), offer(1, other)), Map.of()), 1);
        session.on(new Event.Received(new Message.PrepareAck()), 1);
        session.on(check(0, Component.DATA), 1);
        session.on(check(1, Component.DATA), 1);
        session.on(new Event.Received(new Message.Released(TABLE, ErrorCode.DISCARDED, "dropped")), 1);
        Failure gone = new Failure(ErrorCode.DISK, "no such file");

        assertThat(session.on(new Event.SumFailed(0, gone), 1))
                .containsExactly(new Action.Sum(1, Component.DATA, 1 << 20));
        assertThat(session.state()).isEqualTo(State.STREAMING);
        session.on(new Event.SumFailed(1, gone), 1);
        assertThat(session.state()).as("of a pinned table").isEqualTo(State.FAILED);
    }

    @Test
    void a_receiver_that_asks_for_checksums_without_end_is_shown_out() {
        SendingSession some = in(State.STREAMING);
        int read = 0;
        while (!some.state().isFinal()) {
            read += some.on(check(0, Component.DATA), 1).stream()
                    .filter(Action.Sum.class::isInstance)
                    .toList()
                    .size();
            some.on(summed(0, Component.DATA, true), 1);
        }

        assertThat(read).isEqualTo(3);
    }

    @Test
    void has_a_rule_for_every_event_in_every_state_and_never_leaves_a_final_one() {
        List<Event> events = List.of(
                new Event.Received(SYN),
                new Event.Received(new Message.PrepareAck()),
                new Event.Received(new Message.KeepAlive(new Message.Doing("works", 1, 20, 10, 2), 3)),
                new Event.Received(new Message.Installed(TABLE)),
                new Event.Received(new Message.Installed(new UUID(8, 8))),
                new Event.Received(new Message.Complete()),
                new Event.Received(new Message.SessionFailed(ErrorCode.DISK, "there")),
                new Event.Fetched(0, List.of(EXTENT)),
                new Event.Pinned(List.of(offer(0)), Map.of()),
                new Event.Received(new Message.Released(TABLE, ErrorCode.CANCELLED, "not wanted")),
                new Event.Received(new Message.CheckFile(0, Component.DATA, 1 << 20)),
                new Event.Summed(new Message.FileSums(0, Component.DATA, 0, List.of(1), true)),
                new Event.SumFailed(0, new Failure(ErrorCode.DISK, "broken")),
                new Event.Sent(5),
                new Event.Preparing(3),
                new Event.Offered(List.of(offer(0))),
                new Event.Unavailable(Map.of(TABLE, new Failure(ErrorCode.UNKNOWN_TABLE, "who?"))),
                new Event.Tick(),
                new Event.PeerLost("gone"),
                new Event.Failed(new Failure(ErrorCode.DISK, "here")));
        assertThat(events.stream().map(Event::getClass).distinct())
                .hasSize(Event.class.getPermittedSubclasses().length);
        for (State state : State.values()) {
            for (Event event : events) {
                SendingSession some = in(state);

                List<Action> actions = some.on(event, 1);

                assertThat(some.state()).as("%s x %s", state, event).isGreaterThanOrEqualTo(state);
                assertThat(SendingRules.table()
                                .rule(state, SendingRules.kind(event))
                                .next())
                        .as("%s x %s", state, event)
                        .contains(some.state());
                boolean ended = !state.isFinal() && some.state().isFinal();
                assertThat(actions.stream()
                                .filter(Action.Finish.class::isInstance)
                                .count())
                        .as("%s x %s", state, event)
                        .isEqualTo(ended ? 1 : 0);
                if (state.isFinal()) {
                    assertThat(actions).isEmpty();
                }
            }
        }
    }

    private static SendingSession in(State state) {
        SendingSession session = new SendingSession("receiver", DEADLINES, 0);
        if (state == State.FAILED) {
            session.on(new Event.PeerLost("gone"), 1);
        }
        if (state == State.INITIALIZED || state == State.FAILED) {
            return session;
        }
        session.on(new Event.Received(SYN), 1);
        if (state == State.PREPARING) {
            return session;
        }
        session.on(new Event.Pinned(List.of(offer(0)), Map.of()), 1);
        session.on(new Event.Received(new Message.PrepareAck()), 1);
        if (state == State.COMPLETE) {
            session.on(new Event.Received(new Message.Installed(TABLE)), 1);
        }
        assertThat(session.state()).isEqualTo(state);
        return session;
    }

    private static SSTableOffer offer(int number) {
        return offer(number, TABLE);
    }

    private static SSTableOffer offer(int number, UUID table) {
        return new SSTableOffer(
                number,
                table,
                Descriptor.parse("nb-1-big-Data.db").orElseThrow().descriptor(),
                new Token(1),
                new Token(2),
                new ModeChoice(TransferMode.WHOLE, "all of it is wanted"),
                List.of(
                        new ComponentManifest(Component.STATISTICS, 10, 1),
                        new ComponentManifest(Component.INDEX, 10, 1),
                        new ComponentManifest(Component.DATA, 100, 1)));
    }
}
