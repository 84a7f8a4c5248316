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

/** The transition rules of the receiving end. */
final class ReceivingRules {
    /** All kinds of events; each type of message is its own kind. */
    private static final List<Class<?>> KINDS = Transitions.kinds(Event.class, Event.Received.class, Message.class);

    private static final Transitions<State> TABLE = Transitions.builder(State.class, KINDS, State::isFinal)
            .in(INITIALIZED)
            .on(Event.Connected.class, "the ranges are requested", PREPARING)
            .on(Event.TableAbandoned.class, "the peer is notified when it is connected", INITIALIZED)
            .in(PREPARING)
            .on(
                    Message.PrepareSynAck.class,
                    "for what may be fetched, space is reserved and files are prepared",
                    PREPARING,
                    FAILED)
            .on(Message.TableRefused.class, "that table is abandoned", PREPARING, FAILED)
            .on(
                    Event.Prepared.class,
                    "data connections are opened, unless everything is offered and there is nothing to fetch",
                    STREAMING,
                    WAIT_INSTALL,
                    WAIT_COMPLETE,
                    FAILED)
            .on(Event.TableAbandoned.class, "the peer is notified; nothing of it is fetched", PREPARING)
            .in(STREAMING)
            .on(
                    Message.PrepareSynAck.class,
                    "the source still prepares: space is reserved and files are prepared",
                    STREAMING,
                    FAILED)
            .on(Message.TableRefused.class, "that table is abandoned", STREAMING, FAILED)
            .on(
                    Event.Prepared.class,
                    "that is fetched, too; after the last page the source is notified",
                    STREAMING,
                    WAIT_INSTALL,
                    WAIT_COMPLETE,
                    FAILED)
            .on(Event.DataConnected.class, "a window of extents is fetched on it", STREAMING)
            .on(
                    Event.DataLost.class,
                    "its extents are fetched on another connection; the number of losses is limited",
                    STREAMING,
                    FAILED)
            .on(
                    Event.ExtentReceived.class,
                    "the next extents are fetched; complete SSTables are staged",
                    STREAMING,
                    FAILED)
            .on(
                    Message.FileSums.class,
                    "differing extents are fetched again, or the source's file is corrupt",
                    STREAMING,
                    WAIT_INSTALL,
                    WAIT_COMPLETE,
                    FAILED)
            .on(
                    Event.Staged.class,
                    "the peer is notified; after the last SSTable of a table it can be installed",
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
            .on(Event.DataConnected.class, "too late", WAIT_INSTALL)
            .on(Event.DataLost.class, "nothing was in flight", WAIT_INSTALL)
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
            .on(Event.DataConnected.class, "too late", WAIT_COMPLETE)
            .on(Event.DataLost.class, "nothing was in flight", WAIT_COMPLETE)
            .on(Event.ExtentReceived.class, "of a table that was abandoned", WAIT_COMPLETE, FAILED)
            .on(Message.FileSums.class, "of a table that was abandoned", WAIT_COMPLETE)
            .on(Event.Staged.class, "of a table that was abandoned", WAIT_COMPLETE, FAILED)
            .on(Event.TableAbandoned.class, "it is installed already", WAIT_COMPLETE)
            .on(Message.Complete.class, "both ends know that everything is installed", COMPLETE)
            .on(Event.PeerLost.class, "everything is installed here", COMPLETE)
            .on(Message.SessionFailed.class, "everything is installed here", COMPLETE)
            .on(
                    Event.Tick.class,
                    "heartbeats; everything is installed here, so an overdue peer is ignored",
                    WAIT_COMPLETE,
                    COMPLETE)
            .everywhere(Event.Paused.class, "nothing more is fetched; only the silence deadline runs")
            .everywhere(Event.Resumed.class, "deadlines restart")
            .everywhere(Event.Tick.class, "heartbeats, deadlines", FAILED)
            .everywhere(Event.Staging.class, "the peer is notified of the progress")
            .everywhere(Message.KeepAlive.class, "the peer is alive")
            .everywhere(Message.SessionFailed.class, "the peer cannot continue", FAILED)
            .everywhere(Event.PeerLost.class, "the control connection is lost", FAILED)
            .everywhere(Event.Failed.class, "this end cannot continue; the peer is notified", FAILED)
            .otherwise(FAILED);

    private ReceivingRules() {}

    /** The kind of an event. */
    static Class<?> kind(Event event) {
        return event instanceof Event.Received e ? e.message().getClass() : event.getClass();
    }

    /** The rules, shared by all sessions. */
    public static Transitions<State> table() {
        return TABLE;
    }
}
