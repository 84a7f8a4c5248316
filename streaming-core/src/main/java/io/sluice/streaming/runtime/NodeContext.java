package io.sluice.streaming.runtime;

import io.sluice.streaming.Deadlines;
import io.sluice.streaming.access.AccessControl;
import io.sluice.streaming.install.StagingArea;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.metrics.Traffic;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableStore;
import io.sluice.streaming.throttle.Throttles;
import java.time.Instant;
import java.util.UUID;

/**
 * What both ends of the sessions of a node share. Immutable; thread-safe.
 *
 * @param serial in which the database is called for one plan, once at a time
 * @param inventory memory for lists of what is asked for and offered, and for messages on their way
 * @param log for lines that a peer can cause at will
 */
public record NodeContext(
        Node self,
        Environment environment,
        TableStore store,
        StagingArea staging,
        SerialExecutors serial,
        Throttles throttles,
        PeerShares inventory,
        AccessControl access,
        Traffic traffic,
        PeerLog log,
        Deadlines deadlines) {
    /** The clock of the loop. */
    public long nanoTime() {
        return environment.loop().nanoTime();
    }

    /** The time of day, for results and people. */
    public Instant now() {
        return environment.loop().now();
    }

    /** Runs {@code task} on the loop. */
    public void onLoop(Runnable task) {
        environment.loop().execute(task);
    }

    /** Runs {@code task} when all that was given before for the same plan has ended, where the database may wait. */
    public void onInstalls(UUID planId, Runnable task) {
        serial.execute(planId, environment.installs(), task);
    }

    /** The same where the disk may wait. */
    public void onDisk(UUID planId, Runnable task) {
        serial.execute(planId, environment.disk(), task);
    }
}
