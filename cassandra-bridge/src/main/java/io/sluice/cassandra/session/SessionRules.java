package io.sluice.cassandra.session;

import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Control;
import io.sluice.streaming.session.Transitions;
import java.util.Set;
import java.util.function.Predicate;

/** The tables of the three kinds of sessions: what may happen when, and where it leads. Stateless. */
public final class SessionRules {
    private SessionRules() {}

    /** Events as the tables tell them apart. */
    public enum Kind {
        CONNECTED,
        STREAM_INIT,
        PREPARE_SYN,
        PREPARE_SYNACK,
        RECEIVED,
        COMPLETE,
        SESSION_FAILED,
        KEEP_ALIVE,
        OTHER_MESSAGE,
        ARRIVED,
        INSTALLED,
        PEER_LOST,
        FAILED
    }

    /** The kind of an event. */
    static Kind kind(SessionEvent event) {
        if (event instanceof SessionEvent.Received e) {
            return kind(e.message());
        } else if (event instanceof SessionEvent.Connected) {
            return Kind.CONNECTED;
        } else if (event instanceof SessionEvent.Arrived) {
            return Kind.ARRIVED;
        } else if (event instanceof SessionEvent.Installed) {
            return Kind.INSTALLED;
        }
        if (event instanceof SessionEvent.PeerLost) {
            return Kind.PEER_LOST;
        } else if (event instanceof SessionEvent.Failed) {
            return Kind.FAILED;
        }
        throw new AssertionError("no rule for " + event);
    }

    private static Kind kind(Control message) {
        if (message instanceof StreamMessage.StreamInit) {
            return Kind.STREAM_INIT;
        } else if (message instanceof StreamMessage.PrepareSyn) {
            return Kind.PREPARE_SYN;
        } else if (message instanceof StreamMessage.PrepareSynAck) {
            return Kind.PREPARE_SYNACK;
        } else if (message instanceof StreamMessage.Received) {
            return Kind.RECEIVED;
        } else if (message instanceof StreamMessage.Complete) {
            return Kind.COMPLETE;
        } else if (message instanceof StreamMessage.KeepAlive) {
            return Kind.KEEP_ALIVE;
        }
        return message instanceof StreamMessage.SessionFailed ? Kind.SESSION_FAILED : Kind.OTHER_MESSAGE;
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
    public static Transitions<PushSession.State, Kind> push() {
        return everySession(
                Transitions.builder(PushSession.State.class, Kind.class)
                        .rule(
                                PushSession.State.CONNECTING,
                                Kind.CONNECTED,
                                "STREAM_INIT and PREPARE_SYN are sent",
                                PushSession.State.PREPARING)
                        .rule(
                                PushSession.State.PREPARING,
                                Kind.PREPARE_SYNACK,
                                "the node has made room: the files are sent; it must ask for none",
                                PushSession.State.STREAMING,
                                PushSession.State.FAILED)
                        .rule(
                                PushSession.State.STREAMING,
                                Kind.RECEIVED,
                                "a file of ours is there, and not durable yet",
                                PushSession.State.STREAMING,
                                PushSession.State.FAILED)
                        .rule(
                                PushSession.State.STREAMING,
                                Kind.COMPLETE,
                                "all is received, durable and live",
                                PushSession.State.COMPLETE,
                                PushSession.State.FAILED),
                PushSession.State::isFinal,
                PushSession.State.FAILED,
                "the node keeps nothing of an unfinished table");
    }

    /** The initiator's end of a session in which only the node sends. */
    public static Transitions<PullSession.State, Kind> pull() {
        return everySession(
                Transitions.builder(PullSession.State.class, Kind.class)
                        .rule(
                                PullSession.State.CONNECTING,
                                Kind.CONNECTED,
                                "STREAM_INIT and PREPARE_SYN are sent",
                                PullSession.State.PREPARING)
                        .rule(
                                PullSession.State.PREPARING,
                                Kind.PREPARE_SYNACK,
                                "the node sends its files on connections of its own; if it has none, COMPLETE follows",
                                PullSession.State.RECEIVING,
                                PullSession.State.FAILED)
                        .rule(
                                PullSession.State.RECEIVING,
                                Kind.ARRIVED,
                                "the node is notified, if it had promised the file",
                                PullSession.State.RECEIVING,
                                PullSession.State.FAILED)
                        .rule(
                                PullSession.State.RECEIVING,
                                Kind.COMPLETE,
                                "all that was promised is here",
                                PullSession.State.COMPLETE,
                                PullSession.State.FAILED),
                PullSession.State::isFinal,
                PullSession.State.FAILED,
                "what has arrived is worth nothing");
    }

    /** The follower's end of a session: a node, or its bulk loader, has begun it, and sends. */
    public static Transitions<FollowSession.State, Kind> follow() {
        var table = Transitions.builder(FollowSession.State.class, Kind.class)
                .rule(
                        FollowSession.State.WAITING,
                        Kind.STREAM_INIT,
                        "bulk load, rebuild or full repair; incremental repair is refused",
                        FollowSession.State.PREPARING,
                        FollowSession.State.FAILED)
                .rule(
                        FollowSession.State.PREPARING,
                        Kind.PREPARE_SYN,
                        "PREPARE_SYNACK is sent: the files may come; whoever asks for ranges is refused",
                        FollowSession.State.RECEIVING,
                        FollowSession.State.INSTALLING,
                        FollowSession.State.FAILED)
                .rule(
                        FollowSession.State.RECEIVING,
                        Kind.ARRIVED,
                        "the node is notified; after the last file all that came becomes live",
                        FollowSession.State.RECEIVING,
                        FollowSession.State.INSTALLING,
                        FollowSession.State.FAILED)
                .rule(FollowSession.State.INSTALLING, Kind.INSTALLED, "COMPLETE is sent", FollowSession.State.LEAVING);
        for (Kind kind : Kind.values()) {
            if (kind != Kind.KEEP_ALIVE) {
                table.rule(
                        FollowSession.State.LEAVING,
                        kind,
                        "who began the session closes it; what is live stays",
                        FollowSession.State.COMPLETE);
            }
        }
        return everySession(
                table, FollowSession.State::isFinal, FollowSession.State.FAILED, "what has arrived is worth nothing");
    }

    /** Adds what holds in every kind of session. */
    private static <S extends Enum<S>> Transitions<S, Kind> everySession(
            Transitions.Builder<S, Kind> table, Predicate<S> isFinal, S failed, String lost) {
        return table.everywhere(isFinal, Kind.KEEP_ALIVE, "the node lives", Set.of())
                .everywhere(isFinal, Kind.SESSION_FAILED, lost, Set.of(failed))
                .everywhere(isFinal, Kind.PEER_LOST, lost, Set.of(failed))
                .everywhere(isFinal, Kind.FAILED, "this end cannot go on; the node is notified", Set.of(failed))
                .otherwise(isFinal, failed);
    }
}
