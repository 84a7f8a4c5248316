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
import java.util.Set;

/** The table of the receiving end: what may happen when, and where it leads. */
public final class ReceivingRules {
    /** Everything that can happen: messages each for itself. */
    private static final List<Class<?>> KINDS = Transitions.kinds(Event.class, Event.Received.class, Message.class);

    private static final Transitions<State> TABLE = Transitions.builder(State.class, KINDS)
            .rule(INITIALIZED, Event.Connected.class, "the ranges are asked for", PREPARING)
            .rule(
                    PREPARING,
                    Message.PrepareSynAck.class,
                    "after the last page, room and files are prepared",
                    PREPARING,
                    FAILED)
            .rule(PREPARING, Message.TableRefused.class, "that table is given up", PREPARING, FAILED)
            .rule(
                    PREPARING,
                    Event.Prepared.class,
                    "data connections are opened, unless nothing is to be fetched",
                    STREAMING,
                    WAIT_INSTALL,
                    WAIT_COMPLETE,
                    FAILED)
            .rule(STREAMING, Event.DataConnected.class, "a window of extents is fetched on it", STREAMING)
            .rule(WAIT_INSTALL, Event.DataConnected.class, "too late to be of use", WAIT_INSTALL)
            .rule(WAIT_COMPLETE, Event.DataConnected.class, "too late to be of use", WAIT_COMPLETE)
            .rule(
                    STREAMING,
                    Event.DataLost.class,
                    "its extents are fetched on another, within a budget",
                    STREAMING,
                    FAILED)
            .rule(WAIT_INSTALL, Event.DataLost.class, "nothing was on its way", WAIT_INSTALL)
            .rule(WAIT_COMPLETE, Event.DataLost.class, "nothing was on its way", WAIT_COMPLETE)
            .rule(
                    STREAMING,
                    Event.Arrived.class,
                    "the next extents are fetched; whole SSTables are staged",
                    STREAMING,
                    FAILED)
            .rule(WAIT_INSTALL, Event.Arrived.class, "of a table that was given up", WAIT_INSTALL, FAILED)
            .rule(WAIT_COMPLETE, Event.Arrived.class, "of a table that was given up", WAIT_COMPLETE, FAILED)
            .rule(
                    STREAMING,
                    Message.FileSums.class,
                    "the extents that differ are fetched again, or the source is found to be damaged",
                    STREAMING,
                    WAIT_INSTALL,
                    WAIT_COMPLETE,
                    FAILED)
            .rule(WAIT_INSTALL, Message.FileSums.class, "of a table that was given up", WAIT_INSTALL)
            .rule(WAIT_COMPLETE, Message.FileSums.class, "of a table that was given up", WAIT_COMPLETE)
            .rule(
                    STREAMING,
                    Event.Staged.class,
                    "the peer is notified; after the last of a table it may be installed",
                    STREAMING,
                    WAIT_INSTALL,
                    FAILED)
            .rule(WAIT_INSTALL, Event.Staged.class, "of a table that was given up", WAIT_INSTALL, FAILED)
            .rule(WAIT_COMPLETE, Event.Staged.class, "of a table that was given up", WAIT_COMPLETE, FAILED)
            .rule(
                    STREAMING,
                    Event.TableInstalled.class,
                    "the peer is notified: it may unpin that table",
                    STREAMING,
                    FAILED)
            .rule(
                    WAIT_INSTALL,
                    Event.TableInstalled.class,
                    "the peer is notified: it may unpin that table",
                    WAIT_INSTALL,
                    WAIT_COMPLETE,
                    FAILED)
            .rule(INITIALIZED, Event.TableGivenUp.class, "the peer is notified when it is there", INITIALIZED)
            .rule(PREPARING, Event.TableGivenUp.class, "the peer is notified; nothing of it is fetched", PREPARING)
            .rule(
                    STREAMING,
                    Event.TableGivenUp.class,
                    "the peer is notified; no more of it is fetched",
                    STREAMING,
                    WAIT_INSTALL,
                    WAIT_COMPLETE)
            .rule(
                    WAIT_INSTALL,
                    Event.TableGivenUp.class,
                    "the peer is notified: it may unpin that table",
                    WAIT_INSTALL,
                    WAIT_COMPLETE)
            .rule(WAIT_COMPLETE, Event.TableGivenUp.class, "it is installed already", WAIT_COMPLETE)
            .rule(WAIT_COMPLETE, Message.Complete.class, "both ends know that all is done", COMPLETE)
            .rule(WAIT_COMPLETE, Event.PeerLost.class, "all is done here, and the peer cannot undo it", COMPLETE)
            .rule(WAIT_COMPLETE, Message.SessionFailed.class, "all is done here, and the peer cannot undo it", COMPLETE)
            .rule(
                    WAIT_COMPLETE,
                    Event.Tick.class,
                    "signs of life; all is done here, so an overdue peer is not waited for",
                    WAIT_COMPLETE,
                    COMPLETE)
            .rule(STREAMING, Event.Resumed.class, "a window of extents is fetched on each connection", STREAMING)
            .everywhere(
                    State::isFinal,
                    Event.Paused.class,
                    "no more is fetched; no deadline but that of silence runs",
                    Set.of())
            .everywhere(State::isFinal, Event.Resumed.class, "deadlines begin anew", Set.of())
            .everywhere(State::isFinal, Event.Tick.class, "signs of life, deadlines", Set.of(FAILED))
            .everywhere(State::isFinal, Message.KeepAlive.class, "the peer lives", Set.of())
            .everywhere(State::isFinal, Message.SessionFailed.class, "the peer cannot go on", Set.of(FAILED))
            .everywhere(State::isFinal, Event.PeerLost.class, "the control connection is gone", Set.of(FAILED))
            .everywhere(
                    State::isFinal, Event.Failed.class, "this end cannot go on; the peer is notified", Set.of(FAILED))
            .otherwise(State::isFinal, FAILED);

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
