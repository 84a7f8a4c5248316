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

/** The transition rules of the sending end. */
final class SendingRules {
    /** All kinds of events; each type of message is its own kind. */
    private static final List<Class<?>> KINDS = Transitions.kinds(Event.class, Event.Received.class, Message.class);

    private static final Transitions<State> TABLE = Transitions.builder(State.class, KINDS, State::isFinal)
            .in(INITIALIZED)
            .on(Message.StreamInit.class, "names the operation and the receiver's free space", INITIALIZED)
            .on(
                    Message.PrepareSyn.class,
                    "the tables are looked up; after the last page they are pinned",
                    INITIALIZED,
                    PREPARING)
            .on(Event.Unavailable.class, "the receiver is notified; the requests are not kept", INITIALIZED)
            .on(Message.Released.class, "the receiver abandons a refused table", INITIALIZED, FAILED)
            .in(PREPARING)
            .on(Event.Unavailable.class, "they are being pinned, which has the same result", PREPARING)
            .on(Event.Preparing.class, "the receiver is notified of the progress", PREPARING)
            .on(Event.Offered.class, "finished offers are sent, page by page", PREPARING)
            .on(Event.Pinned.class, "the last page of offers is sent", PREPARING)
            .on(
                    Message.PrepareAck.class,
                    "the receiver has space; if it needs nothing, the session is complete",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .on(
                    Event.Fetched.class,
                    "the first offers are fetched while others are prepared, or it overtakes PrepareAck; of an unpinned table:"
                            + " that connection ends",
                    STREAMING,
                    FAILED)
            .on(Message.Received.class, "the receiver had retained the SSTable", STREAMING, FAILED)
            .on(Message.CheckFile.class, "the receiver had retained the file, damaged", STREAMING, FAILED)
            .on(Message.Released.class, "that table is unpinned", PREPARING, FAILED)
            .in(STREAMING)
            .on(Event.Preparing.class, "the receiver is notified of the progress", STREAMING)
            .on(Event.Offered.class, "finished offers are sent, page by page", STREAMING, FAILED)
            .on(Event.Pinned.class, "the last page of offers is sent", STREAMING, FAILED)
            .on(Event.Unavailable.class, "they were pinned, which had the same result", STREAMING)
            .on(
                    Message.PrepareAck.class,
                    "a fetch has overtaken it; if the receiver needs nothing, the session is complete",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .on(
                    Event.Fetched.class,
                    "the extents are sent; of an unpinned table: that connection ends",
                    STREAMING,
                    FAILED)
            .on(
                    Message.Released.class,
                    "that table is unpinned; after the last one the session is complete",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .on(
                    Message.Received.class,
                    "the receiver has the SSTable: what was prepared of it is removed; the pin stays until the install",
                    STREAMING,
                    FAILED)
            .on(
                    Message.Installed.class,
                    "that table is unpinned; after the last one the session is complete",
                    STREAMING,
                    COMPLETE,
                    FAILED)
            .on(
                    Message.CheckFile.class,
                    "the file is read; files are read sequentially, each at most three times",
                    STREAMING,
                    FAILED)
            .on(Event.Summed.class, "the receiver is notified; the next file is read", STREAMING)
            .on(
                    Event.SumFailed.class,
                    "of an unpinned table: the next file is read; otherwise this end cannot continue",
                    STREAMING,
                    FAILED)
            .on(Event.Sent.class, "progress", STREAMING)
            .everywhere(Event.Tick.class, "heartbeats, deadlines", FAILED)
            .everywhere(Message.KeepAlive.class, "the peer is alive")
            .everywhere(Message.SessionFailed.class, "the peer cannot continue; everything is unpinned", FAILED)
            .everywhere(Event.PeerLost.class, "everything is unpinned", FAILED)
            .everywhere(Event.Failed.class, "this end cannot continue; the peer is notified", FAILED)
            .otherwise(FAILED);

    private SendingRules() {}

    /** The kind of an event. */
    static Class<?> kind(Event event) {
        return event instanceof Event.Received e ? e.message().getClass() : event.getClass();
    }

    /** The rules, shared by all sessions. */
    public static Transitions<State> table() {
        return TABLE;
    }
}
