package io.sluice.streaming.session;

import static io.sluice.streaming.session.PlannedTable.Stage.FAILED;
import static io.sluice.streaming.session.PlannedTable.Stage.FETCHING;
import static io.sluice.streaming.session.PlannedTable.Stage.INSTALLED;
import static io.sluice.streaming.session.PlannedTable.Stage.INSTALLING;

import io.sluice.streaming.session.PlanCoordinator.Event;
import io.sluice.streaming.session.PlannedTable.Stage;

/** What may happen to a table of a plan when, and where it leads. */
final class PlanRules {
    private PlanRules() {}

    /** Events as the table tells them apart. */
    enum Kind {
        STARTED,
        ADMITTED,
        REFUSED,
        SESSION_ENDED,
        TABLE_LANDED,
        TABLE_FAILED,
        RETRY_DUE,
        INSTALL_DUE,
        INSTALLED,
        INSTALL_FAILED,
        INSTALL_OVERDUE,
        CANCELLED
    }

    /** The kind of an event. */
    static Kind kind(Event event) {
        if (event instanceof Event.Started) {
            return Kind.STARTED;
        } else if (event instanceof Event.Admitted) {
            return Kind.ADMITTED;
        } else if (event instanceof Event.Refused) {
            return Kind.REFUSED;
        } else if (event instanceof Event.SessionEnded) {
            return Kind.SESSION_ENDED;
        } else if (event instanceof Event.TableLanded) {
            return Kind.TABLE_LANDED;
        } else if (event instanceof Event.TableFailed) {
            return Kind.TABLE_FAILED;
        } else if (event instanceof Event.RetryDue) {
            return Kind.RETRY_DUE;
        } else if (event instanceof Event.InstallDue) {
            return Kind.INSTALL_DUE;
        } else if (event instanceof Event.Installed) {
            return Kind.INSTALLED;
        } else if (event instanceof Event.InstallFailed) {
            return Kind.INSTALL_FAILED;
        }
        if (event instanceof Event.InstallOverdue) {
            return Kind.INSTALL_OVERDUE;
        } else if (event instanceof Event.Cancelled) {
            return Kind.CANCELLED;
        }
        throw new AssertionError("no rule for " + event);
    }

    /** The table. What is not in it leaves a table of the plan as it is. */
    static Transitions<Stage, Kind> table() {
        return Transitions.builder(Stage.class, Kind.class)
                .rule(FETCHING, Kind.STARTED, "its epoch is admitted, durably, before anybody is asked", FETCHING)
                .rule(
                        FETCHING,
                        Kind.ADMITTED,
                        "a session with each source is opened, unless this node cannot have it; what an earlier execution"
                                + " has committed is installed",
                        FETCHING,
                        INSTALLING,
                        FAILED)
                .rule(FETCHING, Kind.REFUSED, "a newer operation fetches the same ranges", FAILED)
                .rule(
                        FETCHING,
                        Kind.SESSION_ENDED,
                        "what it owed is asked for again after a pause, or of another replica; if nobody has it, it fails",
                        FETCHING,
                        FAILED)
                .rule(
                        FETCHING,
                        Kind.TABLE_LANDED,
                        "when all its sources have sent it, it is installed",
                        FETCHING,
                        INSTALLING)
                .rule(
                        FETCHING,
                        Kind.TABLE_FAILED,
                        "another replica is asked; if nobody has it, it fails",
                        FETCHING,
                        FAILED)
                .rule(FETCHING, Kind.RETRY_DUE, "the session is opened again", FETCHING)
                .rule(INSTALLING, Kind.INSTALL_DUE, "it is installed again", INSTALLING)
                .rule(INSTALLING, Kind.INSTALLED, "its sources are notified", INSTALLED)
                .rule(
                        INSTALLING,
                        Kind.INSTALL_FAILED,
                        "once it is committed it is tried again after a pause; else, or after the last one, it fails",
                        INSTALLING,
                        FAILED)
                .rule(INSTALLING, Kind.INSTALL_OVERDUE, "it fails; what has landed is left to the install", FAILED)
                .rule(FAILED, Kind.INSTALLED, "an install that was overdue has ended after all", INSTALLED)
                .rule(FAILED, Kind.INSTALL_FAILED, "an install that was overdue has failed", FAILED)
                .rule(
                        INSTALLING,
                        Kind.CANCELLED,
                        "between two installs it ends; one that has begun ends first",
                        INSTALLING,
                        FAILED)
                .rule(FETCHING, Kind.CANCELLED, "its sessions end; nothing more is begun", FETCHING)
                .others("nothing");
    }
}
