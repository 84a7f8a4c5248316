package io.sluice.simulation;

import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.runtime.ActivityListener;
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.store.TableStore;

/**
 * Where tests put something of their own between the engines and what they run on: a disk or a database of which a call
 * hangs, fails or is counted. As it is, it changes nothing. Not thread-safe.
 */
class Seams {
    /** How the engine of a node sees its disk. */
    Disk disk(SimulatedNode node, Disk disk) {
        return disk;
    }

    /** How the engine of a node sees its database. */
    TableStore store(SimulatedNode node, TableStore store) {
        return store;
    }

    /**
     * Runs what a thread does that may wait.
     *
     * @return whether it has ended; else it hangs, and goes on later
     */
    boolean run(Runnable work) {
        work.run();
        return true;
    }

    /** How often sessions are tried again. */
    RetryPolicy retries() {
        return RetryPolicy.DEFAULTS;
    }

    /** How the next session of a receiver fetches. */
    SessionSettings sessions(SessionSettings drawn) {
        return drawn;
    }

    /** Who is notified of sessions and tables. */
    ActivityListener activity() {
        return ActivityListener.NONE;
    }

    /** A plan has ended; the last that the database is notified of it. */
    void finished(PlanResult result) {}
}
