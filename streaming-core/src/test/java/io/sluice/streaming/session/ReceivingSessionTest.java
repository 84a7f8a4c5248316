package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.session.ReceivingSession.Action;
import io.sluice.streaming.session.ReceivingSession.Event;
import io.sluice.streaming.session.ReceivingSession.State;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class ReceivingSessionTest {
    private static final UUID TABLE = new UUID(0, 1);
    private static final long FILE_LENGTH = Arrivals.EXTENT_LENGTH_BYTES + 100L;
    private static final List<Message.TableRequest> REQUESTS =
            List.of(new Message.TableRequest(TABLE, TokenRanges.FULL));

    private final ReceivingSession session = new ReceivingSession(Operation.REPLACE, REQUESTS, 1);

    @Test
    void asks_fetches_stages_installs_and_completes() {
        assertThat(session.on(new Event.Connected()))
                .containsExactly(
                        new Action.Send(new Message.StreamInit(Operation.REPLACE.code())),
                        new Action.Send(new Message.PrepareSyn(REQUESTS)));
        SSTableOffer offer = offer(0, TABLE);
        assertThat(offered(offer)).containsExactly(new Action.Prepare(List.of(offer)));
        assertThat(session.on(new Event.Prepared()))
                .containsExactly(new Action.Send(new Message.PrepareAck()), new Action.OpenDataConnections(1));
        assertThat(fetchAll(offer)).isTrue();
        assertThat(session.on(new Event.Staged(0)))
                .containsExactly(new Action.Send(new Message.Received(0)), new Action.TableLanded(TABLE));
        assertThat(session.state()).isEqualTo(State.WAIT_INSTALL);
        assertThat(session.on(new Event.TableInstalled(TABLE)))
                .containsExactly(new Action.Send(new Message.Installed(TABLE)));
        assertThat(session.on(new Event.Received(new Message.Complete())))
                .containsExactly(new Action.Finish(Optional.empty()));
        assertThat(session.state()).isEqualTo(State.COMPLETE);
    }

    @Test
    void lands_a_table_of_which_the_source_has_nothing() {
        session.on(new Event.Connected());
        offered();

        assertThat(session.on(new Event.Prepared())).contains(new Action.TableLanded(TABLE));
        assertThat(session.state()).isEqualTo(State.WAIT_INSTALL);
    }

    @Test
    void fetches_a_damaged_file_again_and_gives_up_after_three_times() {
        SSTableOffer offer = offer(0, TABLE);
        toStreaming(offer);
        Deque<Action> open = new ArrayDeque<>(session.on(new Event.DataConnected(0)));
        List<Action> seen = new ArrayList<>();
        while (!open.isEmpty() && session.state() == State.STREAMING) {
            Action action = open.remove();
            seen.add(action);
            if (action instanceof Action.Fetch fetch) {
                fetch.extents().forEach(extent -> open.addAll(session.on(new Event.Arrived(0, extent, 12345))));
            }
        }

        seen.addAll(open);
        assertThat(seen.stream().filter(Action.Warn.class::isInstance)).isNotEmpty();
        assertThat(session.state()).isEqualTo(State.FAILED);
        assertThat(lastFailure(seen)).satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.CORRUPT_AT_SOURCE); // it is 12345 each time
            assertThat(failure.reason())
                    .contains("attempt 3 of 3")
                    .contains("nb-1-big-")
                    .contains("at the source");
        });
    }

    @Test
    void refuses_extents_that_it_did_not_fetch() {
        toStreaming(offer(0, TABLE));

        session.on(new Event.Arrived(0, new Extent(5, Component.DATA, 0, 1), 0));

        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @Test
    void refuses_offers_of_tables_that_it_did_not_ask_for() {
        session.on(new Event.Connected());

        offered(offer(0, new UUID(6, 6)));

        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @Test
    void is_complete_when_the_peer_goes_after_everything_is_installed() {
        session.on(new Event.Connected());
        offered();
        session.on(new Event.Prepared());
        session.on(new Event.TableInstalled(TABLE));

        session.on(new Event.PeerLost("gone"));

        assertThat(session.state()).isEqualTo(State.COMPLETE);
    }

    @Test
    void has_a_rule_for_every_event_in_every_state_and_never_leaves_a_final_one() {
        assertThat(events().stream().map(Event::getClass).distinct())
                .hasSize(Event.class.getPermittedSubclasses().length);
        for (State state : State.values()) {
            for (Event event : events()) {
                ReceivingSession some = in(state);

                List<Action> actions = some.on(event);

                assertThat(some.state()).as("%s x %s", state, event).isGreaterThanOrEqualTo(state);
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
                new Event.Prepared(),
                new Event.DataConnected(0),
                new Event.Arrived(0, new Extent(0, Component.DATA, 0, 1), 0),
                new Event.Staged(0),
                new Event.TableInstalled(TABLE),
                new Event.PeerLost("gone"),
                new Event.Failed(new Failure(ErrorCode.DISK, "broken")),
                new Event.Received(new Message.KeepAlive()),
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
            session.on(new Event.PeerLost("gone"));
        }
        if (state == State.INITIALIZED || state == State.FAILED) {
            return session;
        }
        session.on(new Event.Connected());
        if (state == State.PREPARING) {
            return session;
        }
        if (state == State.STREAMING) {
            test.offered(offer(0, TABLE));
            session.on(new Event.Prepared());
            return session;
        }
        test.offered();
        session.on(new Event.Prepared());
        if (state == State.WAIT_INSTALL) {
            return session;
        }
        session.on(new Event.TableInstalled(TABLE));
        if (state == State.COMPLETE) {
            session.on(new Event.Received(new Message.Complete()));
        }
        assertThat(session.state()).isEqualTo(state);
        return session;
    }

    private void toStreaming(SSTableOffer offer) {
        session.on(new Event.Connected());
        offered(offer);
        session.on(new Event.Prepared());
    }

    private List<Action> offered(SSTableOffer... offers) {
        return session.on(new Event.Received(new Message.PrepareSynAck(List.of(offers), true)));
    }

    /** Answers every fetch with the right bytes' checksum; whether the SSTable was to be staged once. */
    private boolean fetchAll(SSTableOffer offer) {
        Deque<Action> open = new ArrayDeque<>(session.on(new Event.DataConnected(0)));
        int stages = 0;
        while (!open.isEmpty()) {
            Action action = open.remove();
            if (action instanceof Action.Stage stage && stage.offer().equals(offer)) {
                stages++;
            } else if (action instanceof Action.Fetch fetch) {
                for (Extent extent : fetch.extents()) {
                    open.addAll(session.on(new Event.Arrived(0, extent, crcOfZeros(extent.lengthBytes()))));
                }
            }
        }
        return stages == 1;
    }

    private static Failure lastFailure(List<Action> actions) {
        return actions.stream()
                .filter(Action.Finish.class::isInstance)
                .map(Action.Finish.class::cast)
                .flatMap(finish -> finish.failure().stream())
                .reduce((a, b) -> b)
                .orElseThrow();
    }

    private static SSTableOffer offer(int number, UUID table) {
        return new SSTableOffer(
                number,
                table,
                Descriptor.parse("nb-1-big-Data.db").orElseThrow().descriptor(),
                new Token(1),
                new Token(2),
                List.of(
                        manifest(Component.STATISTICS, 10),
                        manifest(Component.CRC, 0),
                        manifest(Component.INDEX, 20),
                        manifest(Component.DATA, FILE_LENGTH)));
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
