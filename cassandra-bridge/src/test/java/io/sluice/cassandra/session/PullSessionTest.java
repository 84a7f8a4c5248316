package io.sluice.cassandra.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.session.PullSession.State;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.RangeRequest;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PullSessionTest {
    private static final UUID TABLE = new UUID(1, 2);
    private static final int COMPONENTS = 7;
    private static final Summary PROMISED = new Summary(TABLE, COMPONENTS + 1, 1_000);
    private static final InetSocketAddress US = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000);
    private static final StreamMessage.StreamInit INIT =
            new StreamMessage.StreamInit(US, 0, new UUID(3, 4), StreamMessage.StreamInit.REBUILD, Optional.empty(), 0);
    private static final RangeRequest REQUEST = new RangeRequest("ks", US, TokenRanges.FULL, List.of("t"));
    private static final SessionEvent CONNECTED = new SessionEvent.Connected();
    private static final SessionEvent ANSWERED =
            new SessionEvent.Received(new StreamMessage.PrepareSynAck(List.of(PROMISED)));
    private static final SessionEvent WHOLE = new SessionEvent.FileReceived(TABLE, 0, COMPONENTS);
    private static final SessionEvent PART = new SessionEvent.FileReceived(TABLE, 1, 1);
    private static final SessionEvent COMPLETE = new SessionEvent.Received(new StreamMessage.Complete());

    private static PullSession session() {
        return new PullSession(INIT, List.of(REQUEST));
    }

    /** A session in a state, by the shortest way. */
    private static PullSession in(State state) {
        PullSession session = session();
        List<SessionEvent> way = switch (state) {
            case CONNECTING -> List.of();
            case PREPARING -> List.of(CONNECTED);
            case RECEIVING -> List.of(CONNECTED, ANSWERED);
            case COMPLETE -> List.of(CONNECTED, ANSWERED, WHOLE, PART, COMPLETE);
            case FAILED -> List.of(new SessionEvent.PeerLost("gone"));
        };
        way.forEach(session::on);
        assertThat(session.state()).isEqualTo(state);
        return session;
    }

    /** One event of each kind, and of each message that a node may send. */
    private static List<SessionEvent> events() {
        return List.of(
                CONNECTED,
                ANSWERED,
                new SessionEvent.Received(new StreamMessage.PrepareSynAck(List.of())),
                new SessionEvent.Received(new StreamMessage.PrepareSynAck(List.of(PROMISED, PROMISED))),
                WHOLE,
                new SessionEvent.FileReceived(TABLE, 0, COMPONENTS + 2),
                new SessionEvent.FileReceived(TABLE, 0, 0),
                new SessionEvent.FileReceived(new UUID(9, 9), 0, 1),
                COMPLETE,
                new SessionEvent.Received(new StreamMessage.Received(TABLE, 0)),
                new SessionEvent.Received(new StreamMessage.SessionFailed()),
                new SessionEvent.Received(new StreamMessage.KeepAlive()),
                new SessionEvent.Received(INIT),
                new SessionEvent.Received(new StreamMessage.PrepareSyn(List.of(), List.of())),
                new SessionEvent.Received(new StreamMessage.PrepareAck()),
                new SessionEvent.PeerLost("gone"),
                new SessionEvent.Failed(new Failure(ErrorCode.DISK, "broken")));
    }

    static Stream<Arguments> pairs() {
        return Arrays.stream(State.values())
                .flatMap(state -> events().stream().map(event -> Arguments.of(state, event)));
    }

    /** The table in the class's Javadoc. */
    private static State expected(State state, SessionEvent event) {
        boolean isAlive = event.equals(new SessionEvent.Received(new StreamMessage.KeepAlive()));
        boolean isProgress = state == State.RECEIVING && event.equals(WHOLE);
        if (state.isFinal() || isAlive || isProgress) {
            return state;
        }
        if (state == State.CONNECTING && event.equals(CONNECTED)) {
            return State.PREPARING;
        }
        boolean isAnswer = event.equals(ANSWERED)
                || event.equals(new SessionEvent.Received(new StreamMessage.PrepareSynAck(List.of())));
        return state == State.PREPARING && isAnswer ? State.RECEIVING : State.FAILED;
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void every_event_in_every_state_leads_where_the_table_says(State state, SessionEvent event) {
        PullSession session = in(state);

        session.on(event);

        assertThat(session.state()).isEqualTo(expected(state, event));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void a_session_finishes_once_and_exactly_when_it_becomes_final(State state, SessionEvent event) {
        PullSession session = in(state);

        List<SessionAction> actions = session.on(event);

        boolean becameFinal = !state.isFinal() && session.state().isFinal();
        assertThat(actions.stream().filter(SessionAction.Finish.class::isInstance))
                .hasSize(becameFinal ? 1 : 0);
    }

    @Test
    void the_pairs_know_every_kind_of_event_and_message() {
        Set<Class<?>> events = new HashSet<>();
        Set<Class<?>> messages = new HashSet<>();
        for (SessionEvent event : events()) {
            events.add(event.getClass());
            if (event instanceof SessionEvent.Received e) {
                messages.add(e.message().getClass());
            }
        }

        events.add(SessionEvent.Installed.class); // of the follower's end only
        assertThat(events).containsExactlyInAnyOrder(SessionEvent.class.getPermittedSubclasses());
        assertThat(messages).containsExactlyInAnyOrder(StreamMessage.Control.class.getPermittedSubclasses());
    }

    @Test
    void it_asks_and_promises_nothing() {
        assertThat(session().on(CONNECTED))
                .containsExactly(
                        new SessionAction.Send(INIT),
                        new SessionAction.Send(new StreamMessage.PrepareSyn(List.of(REQUEST), List.of())));
    }

    @Test
    void a_promise_is_acknowledged_and_none_is_not() {
        assertThat(in(State.PREPARING).on(ANSWERED))
                .containsExactly(
                        new SessionAction.Prepare(List.of(PROMISED)),
                        new SessionAction.Send(new StreamMessage.PrepareAck()));
        assertThat(in(State.PREPARING).on(new SessionEvent.Received(new StreamMessage.PrepareSynAck(List.of()))))
                .isEmpty();
    }

    @Test
    void each_file_is_confirmed_once_it_is_here() {
        assertThat(in(State.RECEIVING).on(WHOLE))
                .containsExactly(new SessionAction.Send(new StreamMessage.Received(TABLE, 0)));
    }

    @Test
    void a_file_that_comes_twice_is_a_violation() {
        PullSession session = in(State.RECEIVING);
        session.on(PART);

        session.on(PART);

        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @Test
    void complete_with_files_to_go_is_no_success() {
        PullSession session = in(State.RECEIVING);
        session.on(WHOLE);

        assertThat(session.on(COMPLETE))
                .containsExactly(
                        new SessionAction.Send(new StreamMessage.SessionFailed()),
                        new SessionAction.Finish(Optional.of(new Failure(
                                ErrorCode.PROTOCOL,
                                "received Complete in state RECEIVING, with 1 files outstanding"))));
    }

    @Test
    void nothing_in_the_ranges_is_a_success() {
        PullSession session = in(State.PREPARING);
        session.on(new SessionEvent.Received(new StreamMessage.PrepareSynAck(List.of())));

        assertThat(session.on(COMPLETE)).containsExactly(new SessionAction.Finish(Optional.empty()));
    }
}
