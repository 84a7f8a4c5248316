package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.install.StagedExtent;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.progress.StreamActivity.Wait;
import io.sluice.streaming.progress.StreamActivity.Waiting;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.ReceivingSession.Action;
import io.sluice.streaming.session.ReceivingSession.Event;
import io.sluice.streaming.session.ReceivingSession.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class ReceivingSessionTest {
    private static final Node PEER = new Node(new UUID(7, 7), "source", new Address("127.0.0.1", 1), List.of());
    private static final Instant NOW = Instant.EPOCH.plusSeconds(7);
    private static final ReceivingSession.Attempt ATTEMPT =
            new ReceivingSession.Attempt(PEER, 0, Instant.EPOCH, Optional.empty());
    private static final UUID TABLE = new UUID(0, 1);
    private static final long FILE_LENGTH = SessionSettings.EXTENT_LENGTH_BYTES + 100L;
    private static final List<Message.TableRequest> REQUESTS =
            List.of(new Message.TableRequest(TABLE, TokenRanges.FULL));

    private final ReceivingSession session = new ReceivingSession(
            Operation.REPLACE, "source", REQUESTS, SessionSettings.of(1, Deadlines.of(Duration.ofSeconds(5))), 0);

    private Wait waiting(long nowNanos) {
        return session.progress(ATTEMPT, nowNanos, NOW).waitingFor().orElseThrow();
    }

    @Test
    void asks_fetches_stages_installs_and_completes() {
        assertThat(session.on(new Event.Connected(), 1))
                .containsExactly(
                        new Action.Send(new Message.StreamInit(Operation.REPLACE.code())),
                        new Action.Send(new Message.PrepareSyn(REQUESTS, true)));
        SSTableOffer offer = offer(0, TABLE);
        assertThat(offered(offer)).containsExactly(new Action.Prepare(List.of(offer)));
        assertThat(session.on(new Event.Prepared(List.of()), 1))
                .containsExactly(new Action.Send(new Message.PrepareAck()), new Action.OpenDataConnection(0));
        assertThat(fetchAll(offer)).isTrue();
        assertThat(session.on(new Event.Staged(0), 1))
                .containsExactly(new Action.Send(new Message.Received(0)), new Action.TableLanded(TABLE));
        assertThat(session.state()).isEqualTo(State.WAIT_INSTALL);
        assertThat(session.on(new Event.TableInstalled(TABLE), 1))
                .containsExactly(new Action.Send(new Message.Installed(TABLE)));
        assertThat(session.on(new Event.Received(new Message.Complete()), 1))
                .containsExactly(new Action.Finish(Optional.empty()));
        assertThat(session.state()).isEqualTo(State.COMPLETE);
    }

    @Test
    void much_is_fetched_by_two_connections_from_the_first_offers_on_that_say_so() {
        ReceivingSession adding = new ReceivingSession(
                Operation.REPLACE, "source", REQUESTS, SessionSettings.of(0, Deadlines.of(Duration.ofSeconds(5))), 0);
        adding.on(new Event.Connected(), 1);
        adding.on(
                new Event.Received(new Message.PrepareSynAck(
                        List.of(offer(0, TABLE, ConnectionRamp.SECOND_AT_BYTES)), true, false)),
                1);

        assertThat(adding.on(new Event.Prepared(List.of()), 1))
                .contains(new Action.OpenDataConnection(0), new Action.OpenDataConnection(1))
                .doesNotContain(new Action.OpenDataConnection(2));
    }

    @Test
    void fetches_the_first_offers_while_the_source_prepares_others_and_lands_nothing_before_it_knows_all() {
        session.on(new Event.Connected(), 1);
        SSTableOffer first = offer(0, TABLE);
        SSTableOffer second = offer(1, TABLE);
        assertThat(page(false, true, first)).containsExactly(new Action.Prepare(List.of(first)));
        assertThat(page(false, true, second)).as("one at a time").isEmpty();
        assertThat(session.on(new Event.Prepared(List.of()), 1))
                .containsExactly(new Action.Prepare(List.of(second)), new Action.OpenDataConnection(0));
        assertThat(fetchAll(first)).isTrue();
        assertThat(session.on(new Event.Staged(0), 1)).containsExactly(new Action.Send(new Message.Received(0)));
        assertThat(waiting(1).what()).isEqualTo(Waiting.STAGING);

        List<Action> fetches = session.on(new Event.Prepared(List.of()), 1);
        assertThat(fetches).hasSize(1).first().isInstanceOf(Action.Fetch.class);
        assertThat(waiting(1).what()).isEqualTo(Waiting.BYTES);
        assertThat(fetchAll(second, fetches)).isTrue();
        assertThat(session.on(new Event.Staged(1), 1)).containsExactly(new Action.Send(new Message.Received(1)));
        assertThat(waiting(1).what()).isEqualTo(Waiting.OFFERS);
        assertThat(session.state()).isEqualTo(State.STREAMING);
        assertThat(page(true, true)).containsExactly(new Action.Prepare(List.of()));
        assertThat(session.on(new Event.Prepared(List.of()), 1))
                .containsExactly(new Action.Send(new Message.PrepareAck()), new Action.TableLanded(TABLE));
        assertThat(session.state()).isEqualTo(State.WAIT_INSTALL);
    }

    @Test
    void fetches_nothing_early_from_a_source_that_does_not_allow_it() {
        session.on(new Event.Connected(), 1);
        SSTableOffer first = offer(0, TABLE);
        SSTableOffer second = offer(1, TABLE);

        assertThat(page(false, false, first)).isEmpty();
        assertThat(page(true, true, second)).containsExactly(new Action.Prepare(List.of(first, second)));
    }

    @Test
    void a_table_that_the_source_refuses_after_its_first_offers_is_abandoned() {
        session.on(new Event.Connected(), 1);
        page(false, true, offer(0, TABLE));
        session.on(new Event.Prepared(List.of()), 1);

        assertThat(session.on(new Event.Received(new Message.TableRefused(TABLE, ErrorCode.DISK, "broken")), 1))
                .hasSize(2)
                .first()
                .isInstanceOf(Action.Send.class);
        assertThat(session.state()).as("until the last page").isEqualTo(State.STREAMING);
        page(true, true);
        assertThat(session.on(new Event.Prepared(List.of()), 1))
                .containsExactly(new Action.Send(new Message.PrepareAck()));
        assertThat(session.state()).isEqualTo(State.WAIT_COMPLETE);
    }

    private List<Action> page(boolean isLast, boolean isFetchable, SSTableOffer... offers) {
        return session.on(new Event.Received(new Message.PrepareSynAck(List.of(offers), isLast, isFetchable)), 1);
    }

    @Test
    void lands_a_table_of_which_the_source_has_nothing() {
        session.on(new Event.Connected(), 1);
        offered();

        assertThat(session.on(new Event.Prepared(List.of()), 1)).contains(new Action.TableLanded(TABLE));
        assertThat(session.state()).isEqualTo(State.WAIT_INSTALL);
    }

    @Test
    void a_pause_by_hand_asks_for_nothing_more_and_stops_no_peer_and_no_clock_but_deadlines() {
        session.on(new Event.Connected(), 1);
        offered(offer(0, TABLE));
        session.on(new Event.Prepared(List.of()), 1);
        session.on(new Event.Paused(), 1);
        assertThat(session.on(new Event.DataConnected(0), 1)).isEmpty();

        long second = Duration.ofSeconds(1).toNanos();
        List<Long> told = new ArrayList<>();
        long now = 1;
        for (int i = 0; i < 3_600; i++) { // an hour
            now += second;
            session.on(new Event.Received(new Message.KeepAlive(new Message.Doing("waits", 1, 20, 10, 2), 0)), now);
            for (Action action : session.on(new Event.Tick(), now)) {
                Message.KeepAlive alive = (Message.KeepAlive) ((Action.Send) action).message();
                assertThat(alive.doing().stage()).contains("an operator to resume the plan");
                told.add(alive.progress());
            }
        }
        assertThat(told)
                .as("each one changes, so that the peer waits")
                .hasSize(720)
                .doesNotHaveDuplicates();
        assertThat(waiting(now).what()).isEqualTo(Waiting.RESUME);
        assertThat(waiting(now).limit()).isEmpty();
        assertThat(session.state()).isEqualTo(State.STREAMING);

        assertThat(session.on(new Event.Resumed(), now)).hasSize(1).first().isInstanceOf(Action.Fetch.class);
        assertThat(session.on(new Event.Tick(), now + 1)).isEmpty();
        for (int i = 0; i < 121; i++) {
            now += second;
            session.on(new Event.Received(new Message.KeepAlive(new Message.Doing("waits", 1, 20, 10, 2), 0)), now);
            session.on(new Event.Tick(), now);
        }
        assertThat(session.state()).as("deadlines run again").isEqualTo(State.FAILED);
    }

    @Test
    void a_connection_that_cannot_be_opened_is_not_replaced_while_another_carries_bytes() {
        session.on(new Event.Connected(), 1);
        offered(offer(0, TABLE));
        session.on(new Event.Prepared(List.of()), 1);
        session.on(new Event.DataConnected(0), 1);

        assertThat(session.on(new Event.DataLost(1, "peer refused: LIMIT"), 1))
                .hasSize(1)
                .first()
                .isInstanceOf(Action.Warn.class);
        assertThat(session.on(new Event.DataLost(0, "reset"), 1)).contains(new Action.OpenDataConnection(1));
    }

    @Test
    void requests_a_limited_number_of_extents_in_advance_however_short_they_are() {
        session.on(new Event.Connected(), 1);
        SSTableOffer[] offers =
                IntStream.range(0, 5_000).mapToObj(i -> offer(i, TABLE, 5_000)).toArray(SSTableOffer[]::new);
        offered(offers);
        session.on(new Event.Prepared(List.of()), 1);
        Deque<Extent> requested = new ArrayDeque<>();
        int received = 0;
        int most = 0;
        List<Action> actions = session.on(new Event.DataConnected(0), 1);
        while (true) {
            for (Action action : actions) {
                if (action instanceof Action.Fetch fetch) {
                    requested.addAll(fetch.extents());
                }
            }
            most = Math.max(most, requested.size());
            if (requested.isEmpty()) {
                break;
            }
            Extent next = requested.remove();
            received++;
            actions = session.on(new Event.ExtentReceived(0, next, crcOfZeros(next.lengthBytes())), 1);
        }

        assertThat(received).as("of three files each").isEqualTo(15_000);
        assertThat(most).isBetween(1_000, 5_000);
    }

    private static final long SECOND_LENGTH = FILE_LENGTH - SessionSettings.EXTENT_LENGTH_BYTES;
    private static final List<Integer> SUMS =
            List.of((int) crcOfZeros(SessionSettings.EXTENT_LENGTH_BYTES), (int) crcOfZeros((int) SECOND_LENGTH));

    /** Answers all fetches; the second extent of the data file comes damaged. */
    private List<Action> fetchDamaged(List<Action> begin) {
        Deque<Action> open = new ArrayDeque<>(begin);
        List<Action> other = new ArrayList<>();
        while (!open.isEmpty()) {
            Action action = open.remove();
            if (action instanceof Action.Fetch fetch) {
                for (Extent extent : fetch.extents()) {
                    long crc32 = extent.offset() > 0 ? 12345 : crcOfZeros(extent.lengthBytes());
                    open.addAll(session.on(new Event.ExtentReceived(0, extent, crc32), 1));
                }
            } else {
                other.add(action);
            }
        }
        return other;
    }

    private List<Action> sums(List<Integer> sums) {
        return session.on(new Event.Received(new Message.FileSums(0, Component.DATA, 0, sums, true)), 1);
    }

    @Test
    void bytes_are_counted_by_table_and_those_of_a_damaged_extent_are_not() {
        toStreaming(offer(0, TABLE));
        fetchDamaged(session.on(new Event.DataConnected(0), 1));

        sums(SUMS);

        SessionProgress progress = session.progress(ATTEMPT, 1, NOW);
        assertThat(progress.bytesReceived()).isEqualTo(progress.bytesTotal() - SECOND_LENGTH);
        assertThat(session.receivedTables())
                .containsExactly(new TableProgress(TABLE, progress.bytesTotal(), progress.bytesReceived()));
    }

    @Test
    void fetches_only_the_damaged_extent_again_and_gives_up_after_three_times() {
        toStreaming(offer(0, TABLE));
        List<Action> actions = fetchDamaged(session.on(new Event.DataConnected(0), 1));
        for (int attempt = 1; attempt < 3; attempt++) {
            assertThat(actions)
                    .contains(new Action.Send(
                            new Message.CheckFile(0, Component.DATA, SessionSettings.EXTENT_LENGTH_BYTES)));
            List<Action> again = sums(SUMS);
            assertThat(again)
                    .contains(new Action.Fetch(
                            0, List.of(new Extent(0, Component.DATA, SessionSettings.EXTENT_LENGTH_BYTES, (int)
                                    SECOND_LENGTH))));
            actions = fetchDamaged(again);
        }

        List<Action> last = sums(SUMS);

        assertThat(last)
                .anySatisfy(action -> assertThat(action).isInstanceOfSatisfying(Action.TableFailed.class, failed -> {
                    assertThat(failed.why().code()).isEqualTo(ErrorCode.CORRUPT_IN_FLIGHT);
                    assertThat(failed.why().reason())
                            .contains("attempt 3 of 3")
                            .contains("nb-1-big-Data.db")
                            .contains("corrupted in transit at offset " + SessionSettings.EXTENT_LENGTH_BYTES);
                }));
        assertThat(session.state()).isEqualTo(State.WAIT_COMPLETE); // it has no other table
    }

    @Test
    void blames_the_source_if_it_reads_another_checksum_than_it_promised() {
        toStreaming(offer(0, TABLE));
        fetchDamaged(session.on(new Event.DataConnected(0), 1));

        List<Action> actions = sums(List.of(SUMS.get(0), 12345));

        assertThat(actions)
                .anySatisfy(action -> assertThat(action).isInstanceOfSatisfying(Action.TableFailed.class, failed -> {
                    assertThat(failed.why().code()).isEqualTo(ErrorCode.CORRUPT_AT_SOURCE);
                    assertThat(failed.why().reason()).contains("the file is corrupt at the source");
                }));
    }

    @Test
    void refuses_checksums_that_it_did_not_ask_for() {
        toStreaming(offer(0, TABLE));

        sums(SUMS);

        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @Test
    void fetches_on_another_connection_what_a_lost_one_was_to_bring() {
        toStreaming(offer(0, TABLE));
        Action first = session.on(new Event.DataConnected(0), 1).get(0);

        List<Action> lost = session.on(new Event.DataLost(0, "reset"), 1);

        assertThat(lost).contains(new Action.OpenDataConnection(1));
        assertThat(session.on(new Event.DataConnected(1), 1))
                .containsExactly(new Action.Fetch(1, ((Action.Fetch) first).extents()));
    }

    @Test
    void loses_the_peer_when_no_data_connection_brings_a_byte() {
        toStreaming(offer(0, TABLE));
        for (int connection = 0; connection < 5; connection++) {
            session.on(new Event.DataLost(connection, "refused"), 1);
            assertThat(session.state()).isEqualTo(State.STREAMING);
        }

        session.on(new Event.DataLost(5, "refused"), 1);

        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @Test
    void fetches_nothing_that_is_held() {
        session.on(new Event.Connected(), 1);
        SSTableOffer offer = offer(0, TABLE);
        offered(offer);
        List<StagedExtent> held = new ArrayList<>();
        for (ComponentManifest manifest : offer.components()) {
            for (long at = 0; at < manifest.lengthBytes(); at += SessionSettings.EXTENT_LENGTH_BYTES) {
                int length = (int) Math.min(SessionSettings.EXTENT_LENGTH_BYTES, manifest.lengthBytes() - at);
                held.add(new StagedExtent(new Extent(0, manifest.component(), at, length), crcOfZeros(length)));
            }
        }
        StagedExtent missing = held.remove(0);

        assertThat(session.on(new Event.Prepared(held), 1)).contains(new Action.OpenDataConnection(0));
        assertThat(session.on(new Event.DataConnected(0), 1))
                .containsExactly(new Action.Fetch(0, List.of(missing.extent())));
        assertThat(session.on(new Event.ExtentReceived(0, missing.extent(), missing.crc32()), 1))
                .containsExactly(new Action.Stage(offer));
        assertThat(session.progress(ATTEMPT, 1, NOW).bytesResumed())
                .isEqualTo(offer.lengthBytes() - missing.extent().lengthBytes());
    }

    @Test
    void stages_at_once_what_is_held_entirely() {
        session.on(new Event.Connected(), 1);
        SSTableOffer offer = offer(0, TABLE);
        offered(offer);
        List<StagedExtent> held = new ArrayList<>();
        for (ComponentManifest manifest : offer.components()) {
            for (long at = 0; at < manifest.lengthBytes(); at += SessionSettings.EXTENT_LENGTH_BYTES) {
                int length = (int) Math.min(SessionSettings.EXTENT_LENGTH_BYTES, manifest.lengthBytes() - at);
                held.add(new StagedExtent(new Extent(0, manifest.component(), at, length), crcOfZeros(length)));
            }
        }

        assertThat(session.on(new Event.Prepared(held), 1)).contains(new Action.Stage(offer));
    }

    @Test
    void tells_the_source_of_a_table_that_was_given_up_when_nothing_of_it_is_on_its_way() {
        toStreaming(offer(0, TABLE));
        Action.Fetch fetch =
                (Action.Fetch) session.on(new Event.DataConnected(0), 1).get(0);
        Failure why = new Failure(ErrorCode.DISK, "broken");
        Action released = new Action.Send(new Message.Released(TABLE, why.code(), why.reason()));

        assertThat(session.on(new Event.TableAbandoned(TABLE, why), 1)).doesNotContain(released);
        List<Action> actions = new ArrayList<>();
        for (Extent extent : fetch.extents()) {
            assertThat(actions).doesNotContain(released);
            actions.addAll(session.on(new Event.ExtentReceived(0, extent, 0), 1));
        }
        assertThat(actions).containsExactly(released);
    }

    @Test
    void names_what_it_waits_for_and_does_not_wait_for_ever() {
        toStreaming(offer(0, TABLE));
        long second = 1_000_000_000L;
        assertThat(waiting(second))
                .isEqualTo(new Wait(Waiting.BYTES, NOW.minusNanos(second - 1), Optional.of(Duration.ofMinutes(2)), ""));
        assertThat(waiting(second).describe(NOW)).startsWith("bytes, ").contains("(deadline: 120 s)");
        for (int now = 1; now <= 120; now++) {
            session.on(
                    new Event.Received(new Message.KeepAlive(new Message.Doing("reads", 1, 20, 10, 2), 0)),
                    now * second);
            session.on(new Event.Tick(), now * second);
        }
        assertThat(session.state()).isEqualTo(State.STREAMING);

        List<Action> actions = session.on(new Event.Tick(), 122 * second);

        assertThat(session.state()).isEqualTo(State.FAILED);
        assertThat(actions.toString()).contains("TIMEOUT").contains("s for bytes");
    }

    /** Lets seconds pass in which the source lives, but does nothing; returns the progress that heartbeats report. */
    private List<Long> pass(int fromSecond, int toSecond, int secondsOfAStep) {
        List<Long> reported = new ArrayList<>();
        for (int second = fromSecond; second < toSecond && !session.state().isFinal(); second++) {
            long now = Duration.ofSeconds(second).toNanos();
            session.on(new Event.Received(new Message.KeepAlive(new Message.Doing("waits", 1, 20, 10, 2), 0)), now);
            if (second % secondsOfAStep == 0) {
                session.on(new Event.Staging(second), now);
            }
            for (Action action : session.on(new Event.Tick(), now)) {
                if (action instanceof Action.Send send && send.message() instanceof Message.KeepAlive alive) {
                    reported.add(alive.progress());
                }
            }
        }
        return reported;
    }

    @Test
    void stages_a_large_sstable_as_long_as_the_disk_makes_progress() {
        SSTableOffer offer = offer(0, TABLE);
        toStreaming(offer);
        assertThat(fetchAll(offer)).isTrue();
        assertThat(waiting(1).what()).isEqualTo(Waiting.STAGING);

        List<Long> reported = pass(1, 900, 5);

        assertThat(session.state()).isEqualTo(State.STREAMING);
        assertThat(reported)
                .as("so that the source waits, too")
                .hasSizeGreaterThan(100)
                .doesNotHaveDuplicates();
        pass(900, 1_600, Integer.MAX_VALUE);
        assertThat(session.state()).as("10 min without progress").isEqualTo(State.FAILED);
    }

    @Test
    void looks_for_retained_extents_as_long_as_the_disk_makes_progress() {
        session.on(new Event.Connected(), 1);
        offered(offer(0, TABLE));

        pass(1, 3_600, 5);

        assertThat(session.state()).isEqualTo(State.PREPARING);
        assertThat(waiting(1).what()).isEqualTo(Waiting.STAGING);
    }

    @Test
    void what_the_disk_does_is_not_what_a_source_sends() {
        toStreaming(offer(0, TABLE));

        pass(1, 150, 5);

        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @Test
    void waits_for_the_other_sources_of_a_table_as_long_as_its_own_lives() {
        SSTableOffer offer = offer(0, TABLE);
        toStreaming(offer);
        fetchAll(offer);
        session.on(new Event.Staged(0), 1);

        List<Long> reported = pass(1, 3 * 3_600, Integer.MAX_VALUE);

        assertThat(session.state()).isEqualTo(State.WAIT_INSTALL);
        assertThat(waiting(1).limit()).isEmpty();
        assertThat(reported).as("so that the source waits, too").doesNotHaveDuplicates();
        assertThat(reported).allMatch(progress -> progress < 0);
        session.on(new Event.TableInstalled(TABLE), Duration.ofHours(3).toNanos());
        assertThat(session.state()).isEqualTo(State.WAIT_COMPLETE);
    }

    @Test
    void gives_everybody_a_fresh_deadline_when_it_was_paused_itself() {
        toStreaming(offer(0, TABLE));
        session.on(new Event.Tick(), 1);

        session.on(new Event.Tick(), 3_600_000_000_000L); // an hour later

        assertThat(session.state()).isEqualTo(State.STREAMING);
    }

    @Test
    void tells_the_source_of_a_table_that_was_given_up_before_there_was_a_connection() {
        session.on(new Event.TableAbandoned(TABLE, new Failure(ErrorCode.DISCARDED, "it was dropped")), 1);
        assertThat(session.state()).isEqualTo(State.INITIALIZED);

        assertThat(session.on(new Event.Connected(), 1))
                .endsWith(
                        new Action.Send(new Message.PrepareSyn(REQUESTS, true)),
                        new Action.Send(new Message.Released(TABLE, ErrorCode.DISCARDED, "it was dropped")));
    }

    @Test
    void a_refusal_that_crosses_with_giving_the_table_up_is_no_violation() {
        session.on(new Event.Connected(), 1);
        session.on(new Event.TableAbandoned(TABLE, new Failure(ErrorCode.DISCARDED, "it was dropped")), 1);

        assertThat(session.on(
                        new Event.Received(new Message.TableRefused(TABLE, ErrorCode.UNKNOWN_TABLE, "dropped")), 1))
                .isEmpty();
        assertThat(session.state()).isEqualTo(State.PREPARING);
    }

    @Test
    void refuses_extents_that_it_did_not_fetch() {
        toStreaming(offer(0, TABLE));

        session.on(new Event.ExtentReceived(0, new Extent(5, Component.DATA, 0, 1), 0), 1);

        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @Test
    void refuses_offers_of_tables_that_it_did_not_ask_for() {
        session.on(new Event.Connected(), 1);

        offered(offer(0, new UUID(6, 6)));

        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @Test
    void is_complete_when_the_peer_goes_after_everything_is_installed() {
        session.on(new Event.Connected(), 1);
        offered();
        session.on(new Event.Prepared(List.of()), 1);
        session.on(new Event.TableInstalled(TABLE), 1);

        session.on(new Event.PeerLost("gone"), 1);

        assertThat(session.state()).isEqualTo(State.COMPLETE);
    }

    @Test
    void has_a_rule_for_every_event_in_every_state_and_never_leaves_a_final_one() {
        assertThat(events().stream().map(Event::getClass).distinct())
                .hasSize(Event.class.getPermittedSubclasses().length);
        for (State state : State.values()) {
            for (Event event : events()) {
                ReceivingSession some = in(state);

                List<Action> actions = some.on(event, 1);

                assertThat(some.state()).as("%s x %s", state, event).isGreaterThanOrEqualTo(state);
                assertThat(ReceivingRules.table()
                                .rule(state, ReceivingRules.kind(event))
                                .next())
                        .as("%s x %s", state, event)
                        .contains(some.state());
                boolean ended = !state.isFinal() && some.state().isFinal();
                assertThat(actions.stream()
                                .filter(Action.Finish.class::isInstance)
                                .count())
                        .as("%s x %s ends once", state, event)
                        .isEqualTo(ended ? 1 : 0);
                if (state.isFinal()) {
                    assertThat(actions).isEmpty();
                    assertThat(some.state()).isEqualTo(state);
                }
            }
        }
    }

    private static List<Event> events() {
        List<Event> events = new ArrayList<>(List.of(
                new Event.Connected(),
                new Event.Prepared(List.of()),
                new Event.DataConnected(0),
                new Event.ExtentReceived(0, new Extent(0, Component.DATA, 0, 1), 0),
                new Event.Staging(1),
                new Event.Staged(0),
                new Event.TableInstalled(TABLE),
                new Event.DataLost(0, "reset"),
                new Event.TableAbandoned(TABLE, new Failure(ErrorCode.DISK, "broken")),
                new Event.Paused(),
                new Event.Resumed(),
                new Event.Tick(),
                new Event.Received(new Message.TableRefused(TABLE, ErrorCode.DISK, "broken there")),
                new Event.Received(new Message.FileSums(0, Component.DATA, 0, List.of(1), true)),
                new Event.PeerLost("gone"),
                new Event.Failed(new Failure(ErrorCode.DISK, "broken")),
                new Event.Received(new Message.KeepAlive(new Message.Doing("works", 1, 20, 10, 2), 3)),
                new Event.Received(new Message.Complete()),
                new Event.Received(new Message.PrepareSynAck(List.of(offer(0, TABLE)), true)),
                new Event.Received(new Message.SessionFailed(ErrorCode.DISK, "broken there")),
                new Event.Received(new Message.Received(0))));
        return events;
    }

    private static ReceivingSession in(State state) {
        ReceivingSessionTest test = new ReceivingSessionTest();
        ReceivingSession session = test.session;
        if (state == State.FAILED) {
            session.on(new Event.PeerLost("gone"), 1);
        }
        if (state == State.INITIALIZED || state == State.FAILED) {
            return session;
        }
        session.on(new Event.Connected(), 1);
        if (state == State.PREPARING) {
            return session;
        }
        if (state == State.STREAMING) {
            test.offered(offer(0, TABLE));
            session.on(new Event.Prepared(List.of()), 1);
            return session;
        }
        test.offered();
        session.on(new Event.Prepared(List.of()), 1);
        if (state == State.WAIT_INSTALL) {
            return session;
        }
        session.on(new Event.TableInstalled(TABLE), 1);
        if (state == State.COMPLETE) {
            session.on(new Event.Received(new Message.Complete()), 1);
        }
        assertThat(session.state()).isEqualTo(state);
        return session;
    }

    private void toStreaming(SSTableOffer offer) {
        session.on(new Event.Connected(), 1);
        offered(offer);
        session.on(new Event.Prepared(List.of()), 1);
    }

    private List<Action> offered(SSTableOffer... offers) {
        return session.on(new Event.Received(new Message.PrepareSynAck(List.of(offers), true)), 1);
    }

    /** Answers every fetch with the right bytes' checksum; whether the SSTable was to be staged once. */
    private boolean fetchAll(SSTableOffer offer) {
        return fetchAll(offer, session.on(new Event.DataConnected(0), 1));
    }

    private boolean fetchAll(SSTableOffer offer, List<Action> first) {
        Deque<Action> open = new ArrayDeque<>(first);
        int stages = 0;
        while (!open.isEmpty()) {
            Action action = open.remove();
            if (action instanceof Action.Stage stage && stage.offer().equals(offer)) {
                stages++;
            } else if (action instanceof Action.Fetch fetch) {
                for (Extent extent : fetch.extents()) {
                    open.addAll(session.on(new Event.ExtentReceived(0, extent, crcOfZeros(extent.lengthBytes())), 1));
                }
            }
        }
        return stages == 1;
    }

    private static SSTableOffer offer(int number, UUID table) {
        return offer(number, table, FILE_LENGTH);
    }

    private static SSTableOffer offer(int number, UUID table, long dataBytes) {
        return new SSTableOffer(
                number,
                table,
                Descriptor.parse("nb-1-big-Data.db").orElseThrow().descriptor(),
                new Token(1),
                new Token(2),
                new ModeChoice(TransferMode.WHOLE, "all of it is wanted"),
                List.of(
                        manifest(Component.STATISTICS, 10),
                        manifest(Component.CRC, 0),
                        manifest(Component.INDEX, 20),
                        manifest(Component.DATA, dataBytes)));
    }

    private static ComponentManifest manifest(Component component, long length) {
        return new ComponentManifest(component, length, crcOfZeros((int) length));
    }

    private static long crcOfZeros(int length) {
        byte[] zeros = new byte[length];
        Arrays.fill(zeros, (byte) 0);
        CRC32 crc = new CRC32();
        crc.update(zeros);
        return crc.getValue();
    }
}
