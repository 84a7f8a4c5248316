package io.sluice.streaming.session;

import static io.sluice.streaming.session.SendingSession.State.COMPLETE;
import static io.sluice.streaming.session.SendingSession.State.FAILED;
import static io.sluice.streaming.session.SendingSession.State.INITIALIZED;
import static io.sluice.streaming.session.SendingSession.State.PREPARING;
import static io.sluice.streaming.session.SendingSession.State.STREAMING;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.session.SendingSession.State;
import java.util.Set;

/** The table of the sending end: what may happen when, and where it leads. */
public final class SendingRules {
    private SendingRules() {}

    /** Events as the table tells them apart. */
    public enum Kind {
        STREAM_INIT,
        PREPARE_SYN,
        PREPARE_ACK,
        RECEIVED,
        INSTALLED,
        RELEASED,
        CHECK_FILE,
        KEEP_ALIVE,
        SESSION_FAILED,
        OTHER_MESSAGE,
        UNAVAILABLE,
        PINNED,
        FETCHED,
        SUMMED,
        SENT,
        TICK,
        PEER_LOST,
        FAILED
    }

    /** The kind of an event. */
    static Kind kind(Event event) {
        if (event instanceof Event.Received e) {
            return kind(e.message());
        }
        if (event instanceof Event.Unavailable) {
            return Kind.UNAVAILABLE;
        }
        if (event instanceof Event.Pinned) {
            return Kind.PINNED;
        }
        if (event instanceof Event.Fetched) {
            return Kind.FETCHED;
        }
        if (event instanceof Event.Summed) {
            return Kind.SUMMED;
        }
        if (event instanceof Event.Sent) {
            return Kind.SENT;
        }
        if (event instanceof Event.Tick) {
            return Kind.TICK;
        }
        return event instanceof Event.PeerLost ? Kind.PEER_LOST : Kind.FAILED;
    }

    private static Kind kind(Message message) {
        if (message instanceof Message.StreamInit) {
            return Kind.STREAM_INIT;
        }
        if (message instanceof Message.PrepareSyn) {
            return Kind.PREPARE_SYN;
        }
        if (message instanceof Message.PrepareAck) {
            return Kind.PREPARE_ACK;
        }
        if (message instanceof Message.Received) {
            return Kind.RECEIVED;
        }
        if (message instanceof Message.Installed) {
            return Kind.INSTALLED;
        }
        if (message instanceof Message.Released) {
            return Kind.RELEASED;
        }
        if (message instanceof Message.CheckFile) {
            return Kind.CHECK_FILE;
        }
        if (message instanceof Message.KeepAlive) {
            return Kind.KEEP_ALIVE;
        }
        return message instanceof Message.SessionFailed ? Kind.SESSION_FAILED : Kind.OTHER_MESSAGE;
    }

    /** The table. */
    public static Transitions<State, Kind> table() {
        return Transitions.builder(State.class, Kind.class)
                .rule(
                        INITIALIZED,
                        Kind.STREAM_INIT,
                        "says which operation it is, and how much room there is",
                        INITIALIZED)
                .rule(
                        INITIALIZED,
                        Kind.PREPARE_SYN,
                        "the tables are looked up; after the last page they are pinned",
                        INITIALIZED,
                        PREPARING)
                .rule(INITIALIZED, Kind.UNAVAILABLE, "the receiver is told, and nothing of them is kept", INITIALIZED)
                .rule(PREPARING, Kind.UNAVAILABLE, "they are being pinned, which says the same", PREPARING)
                .rule(STREAMING, Kind.UNAVAILABLE, "they were pinned, which has said the same", STREAMING)
                .rule(PREPARING, Kind.PINNED, "the offers are sent, page by page", PREPARING)
                .rule(
                        PREPARING,
                        Kind.PREPARE_ACK,
                        "the receiver has room; if it wants nothing, all is done",
                        STREAMING,
                        COMPLETE,
                        FAILED)
                .rule(
                        STREAMING,
                        Kind.PREPARE_ACK,
                        "a fetch has overtaken it; if it wants nothing, all is done",
                        STREAMING,
                        COMPLETE,
                        FAILED)
                .rule(PREPARING, Kind.FETCHED, "overtakes the ack, which is on another connection", STREAMING, FAILED)
                .rule(STREAMING, Kind.FETCHED, "the extents are sent", STREAMING, FAILED)
                .rule(PREPARING, Kind.RELEASED, "that table is unpinned", PREPARING, FAILED)
                .rule(
                        STREAMING,
                        Kind.RELEASED,
                        "that table is unpinned; after the last, all is done",
                        STREAMING,
                        COMPLETE,
                        FAILED)
                .rule(STREAMING, Kind.RECEIVED, "it landed; the pin stays until it is installed", STREAMING, FAILED)
                .rule(
                        STREAMING,
                        Kind.INSTALLED,
                        "that table is unpinned; after the last, all is done",
                        STREAMING,
                        COMPLETE,
                        FAILED)
                .rule(
                        STREAMING,
                        Kind.CHECK_FILE,
                        "the file is read, one after the other and each at most three times",
                        STREAMING,
                        FAILED)
                .rule(STREAMING, Kind.SUMMED, "the receiver is told; the next file is read", STREAMING)
                .rule(STREAMING, Kind.SENT, "progress", STREAMING)
                .everywhere(State::isFinal, Kind.TICK, "signs of life, deadlines", Set.of(FAILED))
                .everywhere(State::isFinal, Kind.KEEP_ALIVE, "the peer lives", Set.of())
                .everywhere(
                        State::isFinal,
                        Kind.SESSION_FAILED,
                        "the peer cannot go on; everything is unpinned",
                        Set.of(FAILED))
                .everywhere(State::isFinal, Kind.PEER_LOST, "everything is unpinned", Set.of(FAILED))
                .everywhere(State::isFinal, Kind.FAILED, "this end cannot go on; the peer is told", Set.of(FAILED))
                .otherwise(State::isFinal, FAILED);
    }
}
