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
import io.sluice.streaming.session.SendingSession.Action;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.session.SendingSession.State;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SendingSessionTest {
    private static final UUID TABLE = new UUID(0, 1);
    private static final Message.PrepareSyn SYN =
            new Message.PrepareSyn(List.of(new Message.TableRequest(TABLE, TokenRanges.FULL)));
    private static final Extent EXTENT = new Extent(0, Component.DATA, 50, 50);

    private final SendingSession session = new SendingSession();

    @Test
    void pins_offers_sends_unpins_and_completes() {
        assertThat(session.on(new Event.Received(SYN))).containsExactly(new Action.Pin(SYN.requests()));
        assertThat(session.on(new Event.Pinned(List.of(offer(0)))))
                .containsExactly(new Action.Send(new Message.PrepareSynAck(List.of(offer(0)), true)));
        assertThat(session.on(new Event.Received(new Message.PrepareAck()))).isEmpty();
        assertThat(session.on(new Event.Fetched(0, List.of(EXTENT))))
                .containsExactly(new Action.Transmit(0, List.of(EXTENT)));
        assertThat(session.on(new Event.Received(new Message.Received(0)))).isEmpty();
        assertThat(session.on(new Event.Received(new Message.Installed(TABLE))))
                .containsExactly(
                        new Action.Unpin(TABLE),
                        new Action.Send(new Message.Complete()),
                        new Action.Finish(Optional.empty()));
        assertThat(session.state()).isEqualTo(State.COMPLETE);
    }

    @Test
    void offers_many_sstables_in_pages() {
        session.on(new Event.Received(SYN));
        List<SSTableOffer> offers =
                IntStream.range(0, 1_234).mapToObj(SendingSessionTest::offer).toList();

        List<Action> pages = session.on(new Event.Pinned(offers));

        assertThat(pages).hasSize(3);
        assertThat(pages.stream().map(action -> ((Message.PrepareSynAck) ((Action.Send) action).message()).last()))
                .containsExactly(false, false, true);
    }

    @Test
    void sends_when_a_fetch_overtakes_the_ack_on_the_other_connection() {
        session.on(new Event.Received(SYN));
        session.on(new Event.Pinned(List.of(offer(0))));

        assertThat(session.on(new Event.Fetched(0, List.of(EXTENT))))
                .containsExactly(new Action.Transmit(0, List.of(EXTENT)));
        assertThat(session.on(new Event.Received(new Message.PrepareAck()))).isEmpty();
        assertThat(session.state()).isEqualTo(State.STREAMING);
    }

    @Test
    void refuses_to_send_what_it_did_not_offer() {
        for (Extent extent : List.of(
                new Extent(0, Component.DATA, 51, 50),
                new Extent(1, Component.DATA, 0, 1),
                new Extent(0, Component.FILTER, 0, 1))) {
            SendingSession some = in(State.STREAMING);

            some.on(new Event.Fetched(0, List.of(extent)));

            assertThat(some.state()).as("%s", extent).isEqualTo(State.FAILED);
        }
    }

    @Test
    void has_a_rule_for_every_event_in_every_state_and_never_leaves_a_final_one() {
        List<Event> events = List.of(
                new Event.Received(SYN),
                new Event.Received(new Message.PrepareAck()),
                new Event.Received(new Message.KeepAlive()),
                new Event.Received(new Message.Installed(TABLE)),
                new Event.Received(new Message.Installed(new UUID(8, 8))),
                new Event.Received(new Message.Complete()),
                new Event.Received(new Message.SessionFailed(ErrorCode.DISK, "there")),
                new Event.Fetched(0, List.of(EXTENT)),
                new Event.Pinned(List.of(offer(0))),
                new Event.PeerLost("gone"),
                new Event.Failed(new Failure(ErrorCode.DISK, "here")));
        assertThat(events.stream().map(Event::getClass).distinct())
                .hasSize(Event.class.getPermittedSubclasses().length);
        for (State state : State.values()) {
            for (Event event : events) {
                SendingSession some = in(state);

                List<Action> actions = some.on(event);

                assertThat(some.state()).as("%s x %s", state, event).isGreaterThanOrEqualTo(state);
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
        SendingSession session = new SendingSession();
        if (state == State.FAILED) {
            session.on(new Event.PeerLost("gone"));
        }
        if (state == State.INITIALIZED || state == State.FAILED) {
            return session;
        }
        session.on(new Event.Received(SYN));
        if (state == State.PREPARING) {
            return session;
        }
        session.on(new Event.Pinned(List.of(offer(0))));
        session.on(new Event.Received(new Message.PrepareAck()));
        if (state == State.COMPLETE) {
            session.on(new Event.Received(new Message.Installed(TABLE)));
        }
        assertThat(session.state()).isEqualTo(state);
        return session;
    }

    private static SSTableOffer offer(int number) {
        return new SSTableOffer(
                number,
                TABLE,
                Descriptor.parse("nb-1-big-Data.db").orElseThrow().descriptor(),
                new Token(1),
                new Token(2),
                List.of(
                        new ComponentManifest(Component.STATISTICS, 10, 1),
                        new ComponentManifest(Component.INDEX, 10, 1),
                        new ComponentManifest(Component.DATA, 100, 1)));
    }
}
