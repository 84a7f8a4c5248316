package io.sluice.streaming.session;

import static io.sluice.streaming.session.ReceivingSession.State.COMPLETE;
import static io.sluice.streaming.session.ReceivingSession.State.FAILED;
import static io.sluice.streaming.session.ReceivingSession.State.INITIALIZED;
import static io.sluice.streaming.session.ReceivingSession.State.PREPARING;
import static io.sluice.streaming.session.ReceivingSession.State.STREAMING;
import static io.sluice.streaming.session.ReceivingSession.State.WAIT_COMPLETE;
import static io.sluice.streaming.session.ReceivingSession.State.WAIT_INSTALL;

import io.sluice.streaming.message.Message;
import io.sluice.streaming.session.ReceivingSession.Event;
import io.sluice.streaming.session.ReceivingSession.State;
import java.util.List;

/** The table of the receiving end: what may happen when, and where it leads. */
final class ReceivingRules {
    /** Everything that can happen: messages each for itself. */
    private static final List<Class<?>> KINDS = Transitions.kinds(Event.class, Event.Received.class, Message.class);

    private static final Transitions<State> TABLE = Transitions.builder(State.class, KINDS, State::isFinal)
            .in(INITIALIZED)
            .on(Event.Connected.class, "the ranges are asked for", PREPARING)
            .on(Event.TableAbandoned.class, "the peer is notified when it is there", INITIALIZED)
            .in(PREPARING)
            .on(Message.PrepareSynAck.class, "after the last page, room and files are prepared", PREPARING, FAILED)
            .on(Message.TableRefused.class, "that table is abandoned", PREPARING, FAILED)
            .on(
                    Event.Prepared.class,
                    "data connections are opened, unless nothing is to be fetched",
                    STREAMING,
                    WAIT_INSTALL,
                    WAIT_COMPLETE,
                    FAILED)
            .on(Event.TableAbandoned.class, "the peer is notified; nothing of it is fetched", PREPARING)
            .in(STREAMING)
            .on(Event.DataConnected.class, "a window of extents is fetched on it", STREAMING)
            .on(Event.DataLost.class, "its extents are fetched on another, within a budget", STREAMING, FAILED)
            .on(
                    Event.ExtentReceived.class,
                    "the next extents are fetched; whole SSTables are staged",
                    STREAMING,
                    FAILED)
            .on(
                    Message.FileSums.class,
                    "the extents that differ are fetched again, or the source is found to be damaged",
                    STREAMING,
                    WAIT_INSTALL,
                    WAIT_COMPLETE,
                    FAILED)
            .on(
                    Event.Staged.class,
                    "the peer is notified; after the last of a table it may be installed",
                    STREAMING,
                    WAIT_INSTALL,
                    FAILED)
            .on(Event.TableInstalled.class, "the peer is notified: it may unpin that table", STREAMING, FAILED)
            .on(
                    Event.TableAbandoned.class,
                    "the peer is notified; no more of it is fetched",
                    STREAMING,
                    WAIT_INSTALL,
                    WAIT_COMPLETE)
            .on(Event.Resumed.class, "a window of extents is fetched on each connection", STREAMING)
            .in(WAIT_INSTALL)
            .on(Event.DataConnected.class, "too late to be of use", WAIT_INSTALL)
            .on(Event.DataLost.class, "nothing was on its way", WAIT_INSTALL)
            .on(Event.ExtentReceived.class, "of a table that was abandoned", WAIT_INSTALL, FAILED)
            .on(Message.FileSums.class, "of a table that was abandoned", WAIT_INSTALL)
            .on(Event.Staged.class, "of a table that was abandoned", WAIT_INSTALL, FAILED)
            .on(
                    Event.TableInstalled.class,
                    "the peer is notified: it may unpin that table",
                    WAIT_INSTALL,
                    WAIT_COMPLETE,
                    FAILED)
            .on(
                    Event.TableAbandoned.class,
                    "the peer is notified: it may unpin that table",
                    WAIT_INSTALL,
                    WAIT_COMPLETE)
            .in(WAIT_COMPLETE)
            .on(Event.DataConnected.class, "too late to be of use", WAIT_COMPLETE)
            .on(Event.DataLost.class, "nothing was on its way", WAIT_COMPLETE)
            .on(Event.ExtentReceived.class, "of a table that was abandoned", WAIT_COMPLETE, FAILED)
            .on(Message.FileSums.class, "of a table that was abandoned", WAIT_COMPLETE)
            .on(Event.Staged.class, "of a table that was abandoned", WAIT_COMPLETE, FAILED)
            .on(Event.TableAbandoned.class, "it is installed already", WAIT_COMPLETE)
            .on(Message.Complete.class, "both ends know that all is done", COMPLETE)
            .on(Event.PeerLost.class, "all is done here, and the peer cannot undo it", COMPLETE)
            .on(Message.SessionFailed.class, "all is done here, and the peer cannot undo it", COMPLETE)
            .on(
                    Event.Tick.class,
                    "heartbeats; all is done here, so an overdue peer is not waited for",
                    WAIT_COMPLETE,
                    COMPLETE)
            .everywhere(Event.Paused.class, "no more is fetched; no deadline but that of silence runs")
            .everywhere(Event.Resumed.class, "deadlines begin anew")
            .everywhere(Event.Tick.class, "heartbeats, deadlines", FAILED)
            .everywhere(Message.KeepAlive.class, "the peer lives")
            .everywhere(Message.SessionFailed.class, "the peer cannot go on", FAILED)
            .everywhere(Event.PeerLost.class, "the control connection is gone", FAILED)
            .everywhere(Event.Failed.class, "this end cannot go on; the peer is notified", FAILED)
            .otherwise(FAILED);

    private ReceivingRules() {}

    /** As which of them the table knows an event. */
    static Class<?> kind(Event event) {
        return event instanceof Event.Received e ? e.message().getClass() : event.getClass();
    }

    /** The table. One for all. */
    public static Transitions<State> table() {
        return TABLE;
    }
}
