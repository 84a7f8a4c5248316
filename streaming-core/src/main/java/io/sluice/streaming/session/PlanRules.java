package io.sluice.streaming.session;

import static io.sluice.streaming.session.PlannedTable.Stage.FAILED;
import static io.sluice.streaming.session.PlannedTable.Stage.FETCHING;
import static io.sluice.streaming.session.PlannedTable.Stage.INSTALLED;
import static io.sluice.streaming.session.PlannedTable.Stage.INSTALLING;

import io.sluice.streaming.session.PlanCoordinator.Event;
import io.sluice.streaming.session.PlannedTable.Stage;
import java.util.List;

/** What may happen to a table of a plan when, and where it leads. */
final class PlanRules {
    /** Everything that can happen to a plan. */
    private static final List<Class<?>> KINDS = Transitions.kinds(Event.class);

    private static final Transitions<Stage> TABLE = Transitions.builder(Stage.class, KINDS, stage -> false)
            .in(FETCHING)
            .on(Event.Started.class, "its epoch is admitted, durably, before anybody is asked", FETCHING)
            .on(
                    Event.Admitted.class,
                    "a session with each source is opened, unless this node cannot have it",
                    FETCHING,
                    FAILED)
            .on(Event.Refused.class, "a newer operation fetches the same ranges", FAILED)
            .on(
                    Event.SessionEnded.class,
                    "what it owed is asked for again after a pause, or of another replica; if nobody has it, it fails",
                    FETCHING,
                    FAILED)
            .on(Event.TableLanded.class, "when all its sources have sent it, it is installed", FETCHING, INSTALLING)
            .on(Event.TableFailed.class, "another replica is asked; if nobody has it, it fails", FETCHING, FAILED)
            .on(Event.RetryDue.class, "the session is opened again", FETCHING)
            .on(Event.Cancelled.class, "its sessions end; nothing more is begun", FETCHING)
            .in(INSTALLING)
            .on(Event.InstallDue.class, "it is installed again", INSTALLING)
            .on(Event.Installed.class, "its sources are notified", INSTALLED)
            .on(
                    Event.InstallFailed.class,
                    "once it is committed it is tried again after a pause; else, or after the last one, it fails",
                    INSTALLING,
                    FAILED)
            .on(
                    Event.StagedLost.class,
                    "its sources are asked again; what lies on other volumes they need not send",
                    FETCHING,
                    FAILED)
            .on(Event.InstallOverdue.class, "it fails; what has landed is left to the install", FAILED)
            .on(
                    Event.Cancelled.class,
                    "between two installs it ends; one that has begun ends first",
                    INSTALLING,
                    FAILED)
            .in(FAILED)
            .on(Event.Installed.class, "an install that was overdue has ended after all", INSTALLED)
            .on(Event.InstallFailed.class, "an install that was overdue has failed", FAILED)
            .on(Event.StagedLost.class, "an install that was overdue has failed", FAILED)
            .others("nothing");

    private PlanRules() {}

    /** The table. What is not in it leaves a table of the plan as it is. One for all. */
    static Transitions<Stage> table() {
        return TABLE;
    }
}
