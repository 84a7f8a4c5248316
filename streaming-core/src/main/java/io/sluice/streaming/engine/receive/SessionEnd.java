package io.sluice.streaming.engine.receive;

import io.sluice.streaming.session.PlanCoordinator;
import java.util.Optional;

/**
 * How a receiving session ends: its plan is notified when the session is over and none of its disk tasks runs any more,
 * or, if the disk does not answer, without waiting for it.
 *
 * <p>Each method is one transition; whoever calls it acts on what it returns. Thread-safe.
 */
final class SessionEnd {
    private State state = new State.Running(); // guarded by this
    /** Disk tasks that were begun and have not ended. Guarded by this. */
    private int tasks;

    private sealed interface State {
        /** The session is not over. */
        record Running() implements State {}

        /** The session is over, disk tasks of it run, and the plan waits for them. */
        record Ending(PlanCoordinator.Event.SessionEnded end) implements State {}

        /** The same, and the plan waits no longer. */
        record Overdue() implements State {}

        /** No task runs: files are being closed. Only the plan of the first kind waits for that. */
        record Closing(Optional<PlanCoordinator.Event.SessionEnded> unsaid) implements State {}

        /** Files are closed. */
        record Closed() implements State {}
    }

    /** A disk task begins; the session is not over, or has another task. */
    synchronized void taskBegins() {
        tasks++;
    }

    /** A disk task has ended; whether the caller is to close the files of the session. */
    synchronized boolean taskEnds() {
        tasks--;
        return closeIfIdle();
    }

    /** The session is over; whether the caller is to close its files. A second end counts for nothing. */
    synchronized boolean over(PlanCoordinator.Event.SessionEnded end) {
        if (!(state instanceof State.Running)) {
            return false;
        }
        state = new State.Ending(end);
        return closeIfIdle();
    }

    private boolean closeIfIdle() {
        if (tasks > 0) {
            return false;
        }
        if (state instanceof State.Ending ending) {
            state = new State.Closing(Optional.of(ending.end()));
            return true;
        }
        if (state instanceof State.Overdue) {
            state = new State.Closing(Optional.empty());
            return true;
        }
        return false;
    }

    /** The plan waits no longer for the disk; what it is to be notified of, if it was not yet. */
    synchronized Optional<PlanCoordinator.Event.SessionEnded> overdue() {
        if (state instanceof State.Ending ending) {
            state = new State.Overdue();
            return Optional.of(ending.end());
        }
        if (state instanceof State.Closing closing) {
            state = new State.Closing(Optional.empty());
            return closing.unsaid();
        }
        return Optional.empty();
    }

    /** The files are closed; what the plan is to be notified of, if it was not yet. */
    synchronized Optional<PlanCoordinator.Event.SessionEnded> closed() {
        Optional<PlanCoordinator.Event.SessionEnded> unsaid =
                state instanceof State.Closing closing ? closing.unsaid() : Optional.empty();
        state = new State.Closed();
        return unsaid;
    }

    /** Whether the files are closed. */
    synchronized boolean isClosed() {
        return state instanceof State.Closed;
    }
}
