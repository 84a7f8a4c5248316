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

/** The table of the sending end: what may happen when, and where it leads. */
final class SendingRules {
    /** Everything that can happen: messages each for itself. */
    private static final List<Class<?>> KINDS = Transitions.kinds(Event.class, Event.Received.class, Message.class);

    private static final Transitions<State> TABLE = Transitions.builder(State.class, KINDS, State::isFinal)
            .in(INITIALIZED)
            .on(Message.StreamInit.class, "says which operation it is, and how much room there is", INITIALIZED)
            .on(
                    Message.PrepareSyn.class,
                    "the tables are looked up; after the last page they are pinned",
                    INITIALIZED,
                    PREPARING)
            .on(Event.Unavailable.class, "the receiver is notified, and nothing of them is kept", INITIALIZED)
            .on(Message.Released.class, "the receiver abandons a table that was refused", INITIALIZED, FAILED)
            .in(PREPARING)
            .on(Event.Unavailable.class, "they are being pinned, which says the same", PREPARING)
            .on(Event.Preparing.class, "the receiver is notified that it goes on", PREPARING)
            .on(Event.Offered.class, "some offers are sent, page by page", PREPARING)
            .on(Event.Pinned.class, "the last page of offers is sent", PREPARING)
            .on(
                    Message.PrepareAck.class,
                    "the receiver has room; if it wants nothing, all is done",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .on(Event.Fetched.class, "overtakes the ack, which is on another connection", STREAMING, FAILED)
            .on(Message.Released.class, "that table is unpinned", PREPARING, FAILED)
            .in(STREAMING)
            .on(Event.Unavailable.class, "they were pinned, which has said the same", STREAMING)
            .on(
                    Message.PrepareAck.class,
                    "a fetch has overtaken it; if it wants nothing, all is done",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .on(Event.Fetched.class, "the extents are sent", STREAMING, FAILED)
            .on(
                    Message.Released.class,
                    "that table is unpinned; after the last, all is done",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .on(Message.Received.class, "it landed; the pin stays until it is installed", STREAMING, FAILED)
            .on(
                    Message.Installed.class,
                    "that table is unpinned; after the last, all is done",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .on(
                    Message.CheckFile.class,
                    "the file is read, one after the other and each at most three times",
                    STREAMING,
                    FAILED)
            .on(Event.Summed.class, "the receiver is notified; the next file is read", STREAMING)
            .on(Event.Sent.class, "progress", STREAMING)
            .everywhere(Event.Tick.class, "heartbeats, deadlines", FAILED)
            .everywhere(Message.KeepAlive.class, "the peer lives")
            .everywhere(Message.SessionFailed.class, "the peer cannot go on; everything is unpinned", FAILED)
            .everywhere(Event.PeerLost.class, "everything is unpinned", FAILED)
            .everywhere(Event.Failed.class, "this end cannot go on; the peer is notified", FAILED)
            .otherwise(FAILED);

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
