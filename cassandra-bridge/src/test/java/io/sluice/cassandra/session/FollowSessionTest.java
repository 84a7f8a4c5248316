package io.sluice.cassandra.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.wire.StreamMessage;
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

class FollowSessionTest {
    private static final UUID TABLE = new UUID(1, 2);
    private static final int COMPONENTS = 7;
    private static final List<Summary> PROMISED = List.of(new Summary(TABLE, COMPONENTS + 1, 1_000));
    private static final InetSocketAddress LOADER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000);
    private static final SessionEvent INIT = new SessionEvent.Received(init(Optional.empty(), 0));
    private static final SessionEvent PREPARE =
            new SessionEvent.Received(new StreamMessage.PrepareSyn(List.of(), PROMISED));
    private static final SessionEvent WHOLE = new SessionEvent.FileReceived(TABLE, 0, COMPONENTS);
    private static final SessionEvent LAST = new SessionEvent.FileReceived(TABLE, 1, 1);
    private static final SessionEvent INSTALLED = new SessionEvent.Installed();
    private static final SessionEvent GONE = new SessionEvent.PeerLost("gone");
    private static final SessionEvent KEEP_ALIVE = new SessionEvent.Received(new StreamMessage.KeepAlive());

    private static StreamMessage.StreamInit init(Optional<UUID> pendingRepair, int previewKind) {
        return new StreamMessage.StreamInit(
                LOADER, 0, new UUID(3, 4), StreamMessage.StreamInit.BULK_LOAD, pendingRepair, previewKind);
    }

    /** A session in a state, by the shortest way. */
    private static FollowSession in(FollowSession.State state) {
        FollowSession session = new FollowSession();
        List<SessionEvent> way = switch (state) {
            case WAITING -> List.of();
            case PREPARING -> List.of(INIT);
            case RECEIVING -> List.of(INIT, PREPARE);
            case INSTALLING -> List.of(INIT, PREPARE, WHOLE, LAST);
            case LEAVING -> List.of(INIT, PREPARE, WHOLE, LAST, INSTALLED);
            case COMPLETE -> List.of(INIT, PREPARE, WHOLE, LAST, INSTALLED, GONE);
            case FAILED -> List.of(GONE);
        };
        way.forEach(session::on);
        assertThat(session.state()).isEqualTo(state);
        return session;
    }

    /** One event of each kind, and of each message that a sender may send. */
    private static List<SessionEvent> events() {
        return List.of(
                INIT,
                new SessionEvent.Received(init(Optional.of(new UUID(7, 7)), 0)),
                new SessionEvent.Received(init(Optional.empty(), 1)),
                PREPARE,
                new SessionEvent.Received(new StreamMessage.PrepareSyn(
                        List.of(new StreamMessage.RangeRequest("ks", LOADER, TokenRanges.FULL, List.of())), List.of())),
                new SessionEvent.Received(
                        new StreamMessage.PrepareSyn(List.of(), List.of(PROMISED.get(0), PROMISED.get(0)))),
                new SessionEvent.Received(new StreamMessage.PrepareSynAck(List.of())),
                new SessionEvent.Received(new StreamMessage.PrepareAck()),
                new SessionEvent.Received(new StreamMessage.Received(TABLE, 0)),
                new SessionEvent.Received(new StreamMessage.Complete()),
                new SessionEvent.Received(new StreamMessage.SessionFailed()),
                KEEP_ALIVE,
                WHOLE,
                new SessionEvent.FileReceived(TABLE, 0, COMPONENTS + 2),
                new SessionEvent.FileReceived(TABLE, 0, 0),
                new SessionEvent.FileReceived(new UUID(9, 9), 0, 1),
                GONE,
                new SessionEvent.Failed(new Failure(ErrorCode.DISK, "broken")));
    }

    static Stream<Arguments> pairs() {
        return Arrays.stream(FollowSession.State.values())
                .flatMap(state -> events().stream().map(event -> Arguments.of(state, event)));
    }

    /** The table in the class's Javadoc. */
    private static FollowSession.State expected(FollowSession.State state, SessionEvent event) {
        if (state.isFinal() || event.equals(KEEP_ALIVE)) {
            return state;
        }
        return switch (state) {
            case LEAVING -> FollowSession.State.COMPLETE;
            case WAITING -> event.equals(INIT) ? FollowSession.State.PREPARING : FollowSession.State.FAILED;
            case PREPARING -> event.equals(PREPARE) ? FollowSession.State.RECEIVING : FollowSession.State.FAILED;
            case RECEIVING -> event.equals(WHOLE) ? FollowSession.State.RECEIVING : FollowSession.State.FAILED;
            default -> FollowSession.State.FAILED;
        };
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void every_event_in_every_state_leads_where_the_table_says(FollowSession.State state, SessionEvent event) {
        FollowSession session = in(state);

        session.on(event);

        assertThat(session.state()).isEqualTo(expected(state, event));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void a_session_finishes_once_and_exactly_when_it_becomes_final(FollowSession.State state, SessionEvent event) {
        FollowSession session = in(state);

        List<SessionAction> actions = session.on(event);

        boolean becameFinal = !state.isFinal() && session.state().isFinal();
        assertThat(actions.stream().filter(SessionAction.Finish.class::isInstance))
                .hasSize(becameFinal ? 1 : 0);
    }

    @Test
    void the_pairs_know_every_message() {
        Set<Class<?>> messages = new HashSet<>();
        for (SessionEvent event : events()) {
            if (event instanceof SessionEvent.Received e) {
                messages.add(e.message().getClass());
            }
        }

        assertThat(messages).containsExactlyInAnyOrder(StreamMessage.Control.class.getPermittedSubclasses());
    }

    @Test
    void it_looks_for_table_and_room_before_it_lets_files_come() {
        assertThat(in(FollowSession.State.PREPARING).on(PREPARE))
                .containsExactly(
                        new SessionAction.Prepare(PROMISED),
                        new SessionAction.Send(new StreamMessage.PrepareSynAck(List.of())));
    }

    @Test
    void it_installs_when_the_last_file_is_here_and_says_so_when_that_is_done() {
        FollowSession session = in(FollowSession.State.RECEIVING);

        assertThat(session.on(WHOLE)).containsExactly(new SessionAction.Send(new StreamMessage.Received(TABLE, 0)));
        assertThat(session.on(LAST))
                .containsExactly(
                        new SessionAction.Send(new StreamMessage.Received(TABLE, 1)), new SessionAction.Install());
        assertThat(session.on(INSTALLED)).containsExactly(new SessionAction.Send(new StreamMessage.Complete()));
        assertThat(session.on(GONE)).containsExactly(new SessionAction.Finish(Optional.empty()));
    }

    @Test
    void a_session_without_files_is_complete_at_once() {
        FollowSession session = in(FollowSession.State.PREPARING);

        List<SessionAction> actions =
                session.on(new SessionEvent.Received(new StreamMessage.PrepareSyn(List.of(), List.of())));

        assertThat(actions)
                .containsExactly(
                        new SessionAction.Prepare(List.of()),
                        new SessionAction.Send(new StreamMessage.PrepareSynAck(List.of())),
                        new SessionAction.Install());
    }

    @Test
    void what_cannot_be_installed_is_told_to_the_sender() {
        var damaged = new Failure(ErrorCode.CORRUPT_IN_FLIGHT, "a bit is wrong");

        assertThat(in(FollowSession.State.INSTALLING).on(new SessionEvent.Failed(damaged)))
                .containsExactly(
                        new SessionAction.Send(new StreamMessage.SessionFailed()),
                        new SessionAction.Finish(Optional.of(damaged)));
    }
}
