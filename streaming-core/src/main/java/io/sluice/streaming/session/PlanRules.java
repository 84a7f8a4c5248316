package io.sluice.streaming.session;

import static io.sluice.streaming.session.PlannedTable.Stage.FAILED;
import static io.sluice.streaming.session.PlannedTable.Stage.FETCHING;
import static io.sluice.streaming.session.PlannedTable.Stage.INSTALLED;
import static io.sluice.streaming.session.PlannedTable.Stage.INSTALLING;

import io.sluice.streaming.session.PlanCoordinator.Event;
import io.sluice.streaming.session.PlannedTable.Stage;
import java.util.List;

/** The transition rules of a table of a plan. */
final class PlanRules {
    /** All kinds of events of a plan. */
    private static final List<Class<?>> KINDS = Transitions.kinds(Event.class);

    private static final Transitions<Stage> TABLE = Transitions.builder(Stage.class, KINDS, stage -> false)
            .in(FETCHING)
            .on(Event.Started.class, "its epoch is persisted before any source is contacted", FETCHING)
            .on(
                    Event.Admitted.class,
                    "a session with each source is opened, unless this node cannot receive the table",
                    FETCHING,
                    FAILED)
            .on(Event.Refused.class, "a newer operation fetches the same ranges", FAILED)
            .on(
                    Event.SessionEnded.class,
                    "missing ranges are requested again after a pause, or from another replica; without a source the table fails",
                    FETCHING,
                    FAILED)
            .on(Event.TableLanded.class, "when all its sources have sent it, it is installed", FETCHING, INSTALLING)
            .on(Event.TableFailed.class, "another replica is used; without a source the table fails", FETCHING, FAILED)
            .on(Event.RetryDue.class, "the session is opened again", FETCHING)
            .on(Event.Cancelled.class, "its sessions end; nothing more is started", FETCHING)
            .in(INSTALLING)
            .on(Event.InstallDue.class, "it is installed again", INSTALLING)
            .on(Event.Installed.class, "its sources are notified", INSTALLED)
            .on(
                    Event.InstallFailed.class,
                    "a committed table is retried after a pause; otherwise, or after the last retry, it fails",
                    INSTALLING,
                    FAILED)
            .on(
                    Event.StagedLost.class,
                    "it is requested from its sources again, except data retained on other volumes",
                    FETCHING,
                    FAILED)
            .on(Event.InstallOverdue.class, "it fails; its staged files are left to the install", FAILED)
            .on(
                    Event.Cancelled.class,
                    "it fails between two installs; a running install ends first",
                    INSTALLING,
                    FAILED)
            .in(FAILED)
            .on(Event.Installed.class, "an overdue install has succeeded", INSTALLED)
            .on(Event.InstallFailed.class, "an overdue install has failed", FAILED)
            .on(Event.StagedLost.class, "an overdue install has failed", FAILED)
            .others("nothing");

    private PlanRules() {}

    /** The rules, shared by all plans. An event without a rule does not change a table. */
    static Transitions<Stage> table() {
        return TABLE;
    }
}
