package io.sluice.cassandra.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.session.PushSession.FileId;
import io.sluice.cassandra.session.PushSession.State;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Summary;
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
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class PushSessionTest {
    private static final UUID TABLE = new UUID(1, 2);
    private static final Summary PROMISED = new Summary(TABLE, 9, 1_000);
    private static final StreamMessage.StreamInit INIT = new StreamMessage.StreamInit(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000),
            0,
            new UUID(3, 4),
            StreamMessage.StreamInit.BULK_LOAD,
            Optional.empty(),
            0);
    private static final SessionEvent CONNECTED = new SessionEvent.Connected();
    private static final SessionEvent ACCEPTED = new SessionEvent.Received(new StreamMessage.PrepareSynAck(List.of()));
    private static final SessionEvent COMPLETE = new SessionEvent.Received(new StreamMessage.Complete());

    private static SessionEvent received(int sequence) {
        return new SessionEvent.Received(new StreamMessage.Received(TABLE, sequence));
    }

    private static PushSession session() {
        return new PushSession(INIT, List.of(PROMISED), Set.of(new FileId(TABLE, 0), new FileId(TABLE, 1)));
    }

    /** A session in a state, by the shortest way. */
    private static PushSession in(State state) {
        PushSession session = session();
        List<SessionEvent> way = switch (state) {
            case CONNECTING -> List.of();
            case PREPARING -> List.of(CONNECTED);
            case STREAMING -> List.of(CONNECTED, ACCEPTED);
            case COMPLETE -> List.of(CONNECTED, ACCEPTED, received(0), received(1), COMPLETE);
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
                ACCEPTED,
                new SessionEvent.Received(new StreamMessage.PrepareSynAck(List.of(PROMISED))),
                received(0),
                received(7),
                COMPLETE,
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
        if (state.isFinal()) {
            return state;
        }
        boolean isAlive = event.equals(new SessionEvent.Received(new StreamMessage.KeepAlive()));
        boolean isProgress = state == State.STREAMING && event.equals(received(0));
        if (isAlive || isProgress) {
            return state;
        }
        if (state == State.CONNECTING && event.equals(CONNECTED)) {
            return State.PREPARING;
        }
        return state == State.PREPARING && event.equals(ACCEPTED) ? State.STREAMING : State.FAILED;
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void every_event_in_every_state_leads_where_the_table_says(State state, SessionEvent event) {
        PushSession session = in(state);

        session.on(event);

        assertThat(session.state()).isEqualTo(expected(state, event));
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

        events.add(SessionEvent.FileReceived.class); // of those who receive only
        events.add(SessionEvent.Installed.class);
        assertThat(events).containsExactlyInAnyOrder(SessionEvent.class.getPermittedSubclasses());
        assertThat(messages).containsExactlyInAnyOrder(StreamMessage.Control.class.getPermittedSubclasses());
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void a_session_finishes_once_and_exactly_when_it_becomes_final(State state, SessionEvent event) {
        PushSession session = in(state);

        List<SessionAction> actions = session.on(event);

        boolean becameFinal = !state.isFinal() && session.state().isFinal();
        assertThat(actions.stream().filter(SessionAction.Finish.class::isInstance))
                .hasSize(becameFinal ? 1 : 0);
    }

    @Test
    void all_that_is_sent_is_announced_first() {
        assertThat(session().on(CONNECTED))
                .containsExactly(
                        new SessionAction.Send(INIT),
                        new SessionAction.Send(new StreamMessage.PrepareSyn(List.of(), List.of(PROMISED))));
    }

    @Test
    void files_go_once_the_node_has_made_room() {
        assertThat(in(State.PREPARING).on(ACCEPTED)).containsExactly(new SessionAction.Transmit());
    }

    @Test
    void it_succeeds_when_the_node_says_that_all_is_live() {
        PushSession session = in(State.STREAMING);
        session.on(received(1));
        session.on(received(0));

        assertThat(session.outstanding()).isZero();
        assertThat(session.on(COMPLETE)).containsExactly(new SessionAction.Finish(Optional.empty()));
    }

    @Test
    void complete_with_a_file_to_go_is_a_violation_and_no_success() {
        PushSession session = in(State.STREAMING);
        session.on(received(0));

        assertThat(session.on(COMPLETE))
                .containsExactly(
                        new SessionAction.Send(new StreamMessage.SessionFailed()),
                        new SessionAction.Finish(Optional.of(new Failure(
                                ErrorCode.PROTOCOL,
                                "received Complete in state STREAMING, with 1 files outstanding"))));
    }

    @Test
    void a_file_is_confirmed_once() {
        PushSession session = in(State.STREAMING);
        session.on(received(0));

        session.on(received(0));

        assertThat(session.state()).isEqualTo(State.FAILED);
    }

    @ParameterizedTest
    @EnumSource(names = {"CONNECTING", "PREPARING", "STREAMING"})
    void a_node_that_gave_up_or_is_gone_is_told_nothing(State state) {
        assertThat(in(state).on(new SessionEvent.Received(new StreamMessage.SessionFailed())))
                .singleElement()
                .isInstanceOf(SessionAction.Finish.class);
        assertThat(in(state).on(new SessionEvent.PeerLost("gone")))
                .containsExactly(new SessionAction.Finish(Optional.of(new Failure(ErrorCode.PEER_LOST, "gone"))));
    }

    @ParameterizedTest
    @EnumSource(names = {"CONNECTING", "PREPARING", "STREAMING"})
    void a_failure_of_ours_is_told_and_keeps_its_reason(State state) {
        var failure = new Failure(ErrorCode.SOURCE_CHANGED, "a file is gone");

        assertThat(in(state).on(new SessionEvent.Failed(failure)))
                .containsExactly(
                        new SessionAction.Send(new StreamMessage.SessionFailed()),
                        new SessionAction.Finish(Optional.of(failure)));
    }
}
