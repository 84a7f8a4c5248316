package io.sluice.streaming.session;

import static io.sluice.streaming.session.SendingSession.State.COMPLETE;
import static io.sluice.streaming.session.SendingSession.State.FAILED;
import static io.sluice.streaming.session.SendingSession.State.INITIALIZED;
import static io.sluice.streaming.session.SendingSession.State.PREPARING;
import static io.sluice.streaming.session.SendingSession.State.STREAMING;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.session.SendingSession.Event;
import io.sluice.streaming.session.SendingSession.State;
import java.util.List;
import java.util.Set;

/** The table of the sending end: what may happen when, and where it leads. */
public final class SendingRules {
    /** Everything that can happen: messages each for itself. */
    private static final List<Class<?>> KINDS = Transitions.kinds(Event.class, Event.Received.class, Message.class);

    private static final Transitions<State> TABLE = Transitions.builder(State.class, KINDS)
            .rule(
                    INITIALIZED,
                    Message.StreamInit.class,
                    "says which operation it is, and how much room there is",
                    INITIALIZED)
            .rule(
                    INITIALIZED,
                    Message.PrepareSyn.class,
                    "the tables are looked up; after the last page they are pinned",
                    INITIALIZED,
                    PREPARING)
            .rule(
                    INITIALIZED,
                    Event.Unavailable.class,
                    "the receiver is notified, and nothing of them is kept",
                    INITIALIZED)
            .rule(PREPARING, Event.Unavailable.class, "they are being pinned, which says the same", PREPARING)
            .rule(STREAMING, Event.Unavailable.class, "they were pinned, which has said the same", STREAMING)
            .rule(PREPARING, Event.Preparing.class, "the receiver is notified that it goes on", PREPARING)
            .rule(PREPARING, Event.Offered.class, "the offers of one table are sent, page by page", PREPARING)
            .rule(PREPARING, Event.Pinned.class, "the last page of offers is sent", PREPARING)
            .rule(
                    PREPARING,
                    Message.PrepareAck.class,
                    "the receiver has room; if it wants nothing, all is done",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .rule(
                    STREAMING,
                    Message.PrepareAck.class,
                    "a fetch has overtaken it; if it wants nothing, all is done",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .rule(
                    PREPARING,
                    Event.Fetched.class,
                    "overtakes the ack, which is on another connection",
                    STREAMING,
                    FAILED)
            .rule(STREAMING, Event.Fetched.class, "the extents are sent", STREAMING, FAILED)
            .rule(PREPARING, Message.Released.class, "that table is unpinned", PREPARING, FAILED)
            .rule(
                    STREAMING,
                    Message.Released.class,
                    "that table is unpinned; after the last, all is done",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .rule(
                    STREAMING,
                    Message.Received.class,
                    "it landed; the pin stays until it is installed",
                    STREAMING,
                    FAILED)
            .rule(
                    STREAMING,
                    Message.Installed.class,
                    "that table is unpinned; after the last, all is done",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .rule(
                    STREAMING,
                    Message.CheckFile.class,
                    "the file is read, one after the other and each at most three times",
                    STREAMING,
                    FAILED)
            .rule(STREAMING, Event.Summed.class, "the receiver is notified; the next file is read", STREAMING)
            .rule(STREAMING, Event.Sent.class, "progress", STREAMING)
            .everywhere(State::isFinal, Event.Tick.class, "signs of life, deadlines", Set.of(FAILED))
            .everywhere(State::isFinal, Message.KeepAlive.class, "the peer lives", Set.of())
            .everywhere(
                    State::isFinal,
                    Message.SessionFailed.class,
                    "the peer cannot go on; everything is unpinned",
                    Set.of(FAILED))
            .everywhere(State::isFinal, Event.PeerLost.class, "everything is unpinned", Set.of(FAILED))
            .everywhere(
                    State::isFinal, Event.Failed.class, "this end cannot go on; the peer is notified", Set.of(FAILED))
            .otherwise(State::isFinal, FAILED);

    private SendingRules() {}

    /** As which of them the table knows an event. */
    static Class<?> kind(Event event) {
        return event instanceof Event.Received e ? e.message().getClass() : event.getClass();
    }

    /** The table. One for all. */
    public static Transitions<State> table() {
        return TABLE;
    }
}
