package io.sluice.simulation;

import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.runtime.ActivityListener;
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.TableStore;

/**
 * Lets tests wrap the seams between engines and simulation: a disk or a database whose calls hang, fail or are counted.
 * By default it changes nothing. Not thread-safe.
 */
class Seams {
    /** The disk as the engine of a node sees it. */
    Disk disk(SimulatedNode node, Disk disk) {
        return disk;
    }

    /** The database as the engine of a node sees it. */
    TableStore store(SimulatedNode node, TableStore store) {
        return store;
    }

    /**
     * Runs the work of a thread, which may wait.
     *
     * @return whether it has ended; otherwise it hangs, and continues later
     */
    boolean run(Runnable work) {
        work.run();
        return true;
    }

    /** Decides about peers in place of the databases. */
    Authorizer authorizer() {
        return Authorizer.EVERYTHING;
    }

    /** Runs a question of a node to the authorizer; a question that is not run has no answer. */
    void ask(SimulatedNode node, Runnable question) {
        question.run();
    }

    /** The retry policy of sessions. */
    RetryPolicy retries() {
        return RetryPolicy.DEFAULTS;
    }

    /** The settings of the next session of a receiver. */
    SessionSettings sessions(SessionSettings drawn) {
        return drawn;
    }

    /** Bytes of temporary files that a source may prepare ahead of its receiver. */
    long aheadBytes(long drawn) {
        return drawn;
    }

    /** The listener of sessions and tables. */
    ActivityListener activity() {
        return ActivityListener.NONE;
    }

    /** Called when a plan has ended, after its last notification of the database. */
    void finished(PlanResult result) {}
}
