package io.sluice.streaming.engine.receive;

import io.sluice.streaming.session.PlanCoordinator;
import java.util.Optional;

/**
 * How a receiving session ends: its plan is notified when the session is over and none of its disk tasks runs any more,
 * or, if the disk does not answer, without waiting for it.
 *
 * <p>Each method is one transition; the caller acts on its result. Thread-safe.
 */
final class SessionEnd {
    private State state = new State.Running(); // guarded by this
    /** Number of running disk tasks. Guarded by this. */
    private int tasks;

    private sealed interface State {
        /** The session is running. */
        record Running() implements State {}

        /** The session is over, some of its disk tasks are running, and the plan waits for them. */
        record Ending(PlanCoordinator.Event.SessionEnded end) implements State {}

        /** The session is over, some of its disk tasks are running, and the plan no longer waits. */
        record Overdue() implements State {}

        /** No task is running: files are being closed. If {@code unsaid} is present, the plan waits for that. */
        record Closing(Optional<PlanCoordinator.Event.SessionEnded> unsaid) implements State {}

        /** Files are closed. */
        record Closed() implements State {}
    }

    /** A disk task begins; the session must be running, or have another task. */
    synchronized void taskBegins() {
        tasks++;
    }

    /** A disk task has ended; returns whether the caller must close the files of the session. */
    synchronized boolean taskEnds() {
        tasks--;
        return closeIfIdle();
    }

    /** The session is over; returns whether the caller must close its files. A second call has no effect. */
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

    /** The plan no longer waits for the disk; returns the event to notify it of, if it was not notified yet. */
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

    /** The files are closed; returns the event to notify the plan of, if it was not notified yet. */
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
