package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.streaming.session.Transitions;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The tables of the three kinds of sessions: what may happen when, and where it leads. Stateless. */
public final class SessionRules {
    /** Everything that can happen: messages each for itself. */
    private static final List<Class<?>> KINDS =
            Transitions.kinds(SessionEvent.class, SessionEvent.Received.class, Control.class);

    private static final Transitions<PushSession.State> PUSH = makePush();
    private static final Transitions<PullSession.State> PULL = makePull();
    private static final Transitions<FollowSession.State> FOLLOW = makeFollow();

    private SessionRules() {}

    /** As which of them the tables know an event. */
    static Class<?> kind(SessionEvent event) {
        return event instanceof SessionEvent.Received e ? e.message().getClass() : event.getClass();
    }

    /** What has happened, for a failure. */
    static String describe(SessionEvent event) {
        if (event instanceof SessionEvent.Received e) {
            return e.message().getClass().getSimpleName();
        } else if (event instanceof SessionEvent.Arrived e) {
            return "file " + e.sequence() + " of table " + e.tableId();
        }
        return event instanceof SessionEvent.Connected
                ? "a second connection"
                : event.getClass().getSimpleName();
    }

    /** The initiator's end of a session in which only we send. */
    public static Transitions<PushSession.State> push() {
        return PUSH;
    }

    private static Transitions<PushSession.State> makePush() {
        return everySession(
                Transitions.builder(PushSession.State.class, KINDS)
                        .rule(
                                PushSession.State.CONNECTING,
                                SessionEvent.Connected.class,
                                "STREAM_INIT and PREPARE_SYN are sent",
                                PushSession.State.PREPARING)
                        .rule(
                                PushSession.State.PREPARING,
                                StreamMessage.PrepareSynAck.class,
                                "the node has made room: the files are sent; it must ask for none",
                                PushSession.State.STREAMING,
                                PushSession.State.FAILED)
                        .rule(
                                PushSession.State.STREAMING,
                                StreamMessage.Received.class,
                                "a file of ours is there, and not durable yet",
                                PushSession.State.STREAMING,
                                PushSession.State.FAILED)
                        .rule(
                                PushSession.State.STREAMING,
                                StreamMessage.Complete.class,
                                "all is received, durable and live",
                                PushSession.State.COMPLETE,
                                PushSession.State.FAILED),
                PushSession.State::isFinal,
                PushSession.State.FAILED,
                "the node keeps nothing of an unfinished table");
    }

    /** The initiator's end of a session in which only the node sends. */
    public static Transitions<PullSession.State> pull() {
        return PULL;
    }

    private static Transitions<PullSession.State> makePull() {
        return everySession(
                Transitions.builder(PullSession.State.class, KINDS)
                        .rule(
                                PullSession.State.CONNECTING,
                                SessionEvent.Connected.class,
                                "STREAM_INIT and PREPARE_SYN are sent",
                                PullSession.State.PREPARING)
                        .rule(
                                PullSession.State.PREPARING,
                                StreamMessage.PrepareSynAck.class,
                                "the node sends its files on connections of its own; if it has none, COMPLETE follows",
                                PullSession.State.RECEIVING,
                                PullSession.State.FAILED)
                        .rule(
                                PullSession.State.RECEIVING,
                                SessionEvent.Arrived.class,
                                "the node is notified, if it had promised the file",
                                PullSession.State.RECEIVING,
                                PullSession.State.FAILED)
                        .rule(
                                PullSession.State.RECEIVING,
                                StreamMessage.Complete.class,
                                "all that was promised is here",
                                PullSession.State.COMPLETE,
                                PullSession.State.FAILED),
                PullSession.State::isFinal,
                PullSession.State.FAILED,
                "what has arrived is worth nothing");
    }

    /** The follower's end of a session: a node, or its bulk loader, has begun it, and sends. */
    public static Transitions<FollowSession.State> follow() {
        return FOLLOW;
    }

    private static Transitions<FollowSession.State> makeFollow() {
        var table = Transitions.builder(FollowSession.State.class, KINDS)
                .rule(
                        FollowSession.State.WAITING,
                        StreamMessage.StreamInit.class,
                        "bulk load, rebuild or full repair; incremental repair is refused",
                        FollowSession.State.PREPARING,
                        FollowSession.State.FAILED)
                .rule(
                        FollowSession.State.PREPARING,
                        StreamMessage.PrepareSyn.class,
                        "PREPARE_SYNACK is sent: the files may come; whoever asks for ranges is refused",
                        FollowSession.State.RECEIVING,
                        FollowSession.State.INSTALLING,
                        FollowSession.State.FAILED)
                .rule(
                        FollowSession.State.RECEIVING,
                        SessionEvent.Arrived.class,
                        "the node is notified; after the last file all that came becomes live",
                        FollowSession.State.RECEIVING,
                        FollowSession.State.INSTALLING,
                        FollowSession.State.FAILED)
                .rule(
                        FollowSession.State.INSTALLING,
                        SessionEvent.Installed.class,
                        "COMPLETE is sent",
                        FollowSession.State.LEAVING)
                .anything(
                        FollowSession.State.LEAVING,
                        StreamMessage.KeepAlive.class,
                        "who began the session closes it; what is live stays",
                        FollowSession.State.COMPLETE);
        return everySession(
                table, FollowSession.State::isFinal, FollowSession.State.FAILED, "what has arrived is worth nothing");
    }

    /** Adds what holds in every kind of session. */
    private static <S extends Enum<S>> Transitions<S> everySession(
            Transitions.Builder<S> table, Predicate<S> isFinal, S failed, String lost) {
        return table.everywhere(isFinal, StreamMessage.KeepAlive.class, "the node lives", Set.of())
                .everywhere(isFinal, StreamMessage.SessionFailed.class, lost, Set.of(failed))
                .everywhere(isFinal, SessionEvent.PeerLost.class, lost, Set.of(failed))
                .everywhere(
                        isFinal,
                        SessionEvent.Failed.class,
                        "this end cannot go on; the node is notified",
                        Set.of(failed))
                .otherwise(isFinal, failed);
    }
}
