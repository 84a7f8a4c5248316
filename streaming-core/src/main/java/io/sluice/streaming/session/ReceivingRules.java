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
import java.util.Set;

/** The table of the receiving end: what may happen when, and where it leads. */
public final class ReceivingRules {
    private ReceivingRules() {}

    /** Events as the table tells them apart. */
    public enum Kind {
        CONNECTED,
        PREPARE_SYN_ACK,
        TABLE_REFUSED,
        FILE_SUMS,
        COMPLETE,
        KEEP_ALIVE,
        SESSION_FAILED,
        OTHER_MESSAGE,
        PREPARED,
        DATA_CONNECTED,
        DATA_LOST,
        ARRIVED,
        STAGED,
        TABLE_INSTALLED,
        TABLE_GIVEN_UP,
        PAUSED,
        RESUMED,
        TICK,
        PEER_LOST,
        FAILED
    }

    /** The kind of an event. */
    static Kind kind(Event event) {
        if (event instanceof Event.Received e) {
            return kind(e.message());
        }
        if (event instanceof Event.Connected) {
            return Kind.CONNECTED;
        }
        if (event instanceof Event.Prepared) {
            return Kind.PREPARED;
        }
        if (event instanceof Event.DataConnected) {
            return Kind.DATA_CONNECTED;
        }
        if (event instanceof Event.DataLost) {
            return Kind.DATA_LOST;
        }
        if (event instanceof Event.Arrived) {
            return Kind.ARRIVED;
        }
        if (event instanceof Event.Staged) {
            return Kind.STAGED;
        }
        if (event instanceof Event.TableInstalled) {
            return Kind.TABLE_INSTALLED;
        }
        if (event instanceof Event.TableGivenUp) {
            return Kind.TABLE_GIVEN_UP;
        }
        if (event instanceof Event.Paused) {
            return Kind.PAUSED;
        }
        if (event instanceof Event.Resumed) {
            return Kind.RESUMED;
        }
        if (event instanceof Event.Tick) {
            return Kind.TICK;
        }
        return event instanceof Event.PeerLost ? Kind.PEER_LOST : Kind.FAILED;
    }

    private static Kind kind(Message message) {
        if (message instanceof Message.PrepareSynAck) {
            return Kind.PREPARE_SYN_ACK;
        }
        if (message instanceof Message.TableRefused) {
            return Kind.TABLE_REFUSED;
        }
        if (message instanceof Message.FileSums) {
            return Kind.FILE_SUMS;
        }
        if (message instanceof Message.Complete) {
            return Kind.COMPLETE;
        }
        if (message instanceof Message.KeepAlive) {
            return Kind.KEEP_ALIVE;
        }
        return message instanceof Message.SessionFailed ? Kind.SESSION_FAILED : Kind.OTHER_MESSAGE;
    }

    /** The table. */
    public static Transitions<State, Kind> table() {
        return Transitions.builder(State.class, Kind.class)
                .rule(INITIALIZED, Kind.CONNECTED, "the ranges are asked for", PREPARING)
                .rule(
                        PREPARING,
                        Kind.PREPARE_SYN_ACK,
                        "after the last page, room and files are prepared",
                        PREPARING,
                        FAILED)
                .rule(PREPARING, Kind.TABLE_REFUSED, "that table is given up", PREPARING, FAILED)
                .rule(
                        PREPARING,
                        Kind.PREPARED,
                        "data connections are opened, unless nothing is to be fetched",
                        STREAMING,
                        WAIT_INSTALL,
                        WAIT_COMPLETE,
                        FAILED)
                .rule(STREAMING, Kind.DATA_CONNECTED, "a window of extents is fetched on it", STREAMING)
                .rule(WAIT_INSTALL, Kind.DATA_CONNECTED, "too late to be of use", WAIT_INSTALL)
                .rule(WAIT_COMPLETE, Kind.DATA_CONNECTED, "too late to be of use", WAIT_COMPLETE)
                .rule(
                        STREAMING,
                        Kind.DATA_LOST,
                        "its extents are fetched on another, within a budget",
                        STREAMING,
                        FAILED)
                .rule(WAIT_INSTALL, Kind.DATA_LOST, "nothing was on its way", WAIT_INSTALL)
                .rule(WAIT_COMPLETE, Kind.DATA_LOST, "nothing was on its way", WAIT_COMPLETE)
                .rule(
                        STREAMING,
                        Kind.ARRIVED,
                        "the next extents are fetched; whole SSTables are staged",
                        STREAMING,
                        FAILED)
                .rule(WAIT_INSTALL, Kind.ARRIVED, "of a table that was given up", WAIT_INSTALL, FAILED)
                .rule(WAIT_COMPLETE, Kind.ARRIVED, "of a table that was given up", WAIT_COMPLETE, FAILED)
                .rule(
                        STREAMING,
                        Kind.FILE_SUMS,
                        "the extents that differ are fetched again, or the source is found to be damaged",
                        STREAMING,
                        WAIT_INSTALL,
                        WAIT_COMPLETE,
                        FAILED)
                .rule(WAIT_INSTALL, Kind.FILE_SUMS, "of a table that was given up", WAIT_INSTALL)
                .rule(WAIT_COMPLETE, Kind.FILE_SUMS, "of a table that was given up", WAIT_COMPLETE)
                .rule(
                        STREAMING,
                        Kind.STAGED,
                        "the peer is told; after the last of a table it may be installed",
                        STREAMING,
                        WAIT_INSTALL,
                        FAILED)
                .rule(WAIT_INSTALL, Kind.STAGED, "of a table that was given up", WAIT_INSTALL, FAILED)
                .rule(WAIT_COMPLETE, Kind.STAGED, "of a table that was given up", WAIT_COMPLETE, FAILED)
                .rule(STREAMING, Kind.TABLE_INSTALLED, "the peer is told: it may unpin that table", STREAMING, FAILED)
                .rule(
                        WAIT_INSTALL,
                        Kind.TABLE_INSTALLED,
                        "the peer is told: it may unpin that table",
                        WAIT_INSTALL,
                        WAIT_COMPLETE,
                        FAILED)
                .rule(INITIALIZED, Kind.TABLE_GIVEN_UP, "the peer is told when it is there", INITIALIZED)
                .rule(PREPARING, Kind.TABLE_GIVEN_UP, "the peer is told; nothing of it is fetched", PREPARING)
                .rule(
                        STREAMING,
                        Kind.TABLE_GIVEN_UP,
                        "the peer is told; no more of it is fetched",
                        STREAMING,
                        WAIT_INSTALL,
                        WAIT_COMPLETE)
                .rule(
                        WAIT_INSTALL,
                        Kind.TABLE_GIVEN_UP,
                        "the peer is told: it may unpin that table",
                        WAIT_INSTALL,
                        WAIT_COMPLETE)
                .rule(WAIT_COMPLETE, Kind.TABLE_GIVEN_UP, "it is installed already", WAIT_COMPLETE)
                .rule(WAIT_COMPLETE, Kind.COMPLETE, "both ends know that all is done", COMPLETE)
                .rule(WAIT_COMPLETE, Kind.PEER_LOST, "all is done here, and the peer cannot undo it", COMPLETE)
                .rule(WAIT_COMPLETE, Kind.SESSION_FAILED, "all is done here, and the peer cannot undo it", COMPLETE)
                .rule(
                        WAIT_COMPLETE,
                        Kind.TICK,
                        "signs of life; all is done here, so an overdue peer is not waited for",
                        WAIT_COMPLETE,
                        COMPLETE)
                .rule(STREAMING, Kind.RESUMED, "a window of extents is fetched on each connection", STREAMING)
                .everywhere(
                        State::isFinal,
                        Kind.PAUSED,
                        "no more is fetched; no deadline but that of silence runs",
                        Set.of())
                .everywhere(State::isFinal, Kind.RESUMED, "deadlines begin anew", Set.of())
                .everywhere(State::isFinal, Kind.TICK, "signs of life, deadlines", Set.of(FAILED))
                .everywhere(State::isFinal, Kind.KEEP_ALIVE, "the peer lives", Set.of())
                .everywhere(State::isFinal, Kind.SESSION_FAILED, "the peer cannot go on", Set.of(FAILED))
                .everywhere(State::isFinal, Kind.PEER_LOST, "the control connection is gone", Set.of(FAILED))
                .everywhere(State::isFinal, Kind.FAILED, "this end cannot go on; the peer is told", Set.of(FAILED))
                .otherwise(State::isFinal, FAILED);
    }
}
