package io.sluice.harness.scenario;

import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.load.LoadVerification;
import io.sluice.harness.report.RunReport.LoadResult;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All tables that clients write to during a run; there may be none. Not thread-safe: confined to the run. */
final class LiveLoads implements AutoCloseable {
    private final List<LiveLoad> loads = new ArrayList<>();

    /** One more; closed with this. */
    LiveLoad add(LiveLoad load) {
        loads.add(load);
        return load;
    }

    /** Nobody writes to it any more; is closed. */
    void remove(LiveLoad load) {
        loads.remove(load);
        load.close();
    }

    List<LiveLoad> all() {
        return List.copyOf(loads);
    }

    /** A member is dead. */
    void lost(Node dead) throws InterruptedException {
        for (LiveLoad load : loads) {
            load.lost(dead);
        }
    }

    /** A node is new, or back. */
    void started(NodeProcess process) throws IOException, InterruptedException {
        for (LiveLoad load : loads) {
            load.started(process);
        }
    }

    /** A change begins. */
    void changing(TopologyChange change) throws InterruptedException {
        for (LiveLoad load : loads) {
            load.changing(change);
        }
    }

    /** The change is done. */
    void changed() throws InterruptedException {
        for (LiveLoad load : loads) {
            load.changed();
        }
    }

    /** The tables, on the ring as it is. */
    Map<TableRef, Ring> tables() {
        Map<TableRef, Ring> tables = new LinkedHashMap<>();
        loads.forEach(load -> tables.put(load.table(), load.ring()));
        return tables;
    }

    /** Ends all writes; see {@link LiveLoad#finish}. */
    List<LoadResult> finish(Audience audience) throws IOException, InterruptedException {
        List<LoadResult> found = new ArrayList<>();
        for (LiveLoad load : loads) {
            found.add(load.finish(audience));
        }
        return found;
    }

    /** Ends all writes of a run that failed; see {@link LiveLoad#findAnywhere}. */
    List<LoadVerification.Outcome> findAnywhere() throws IOException, InterruptedException {
        List<LoadVerification.Outcome> found = new ArrayList<>();
        for (LiveLoad load : loads) {
            found.add(load.findAnywhere());
        }
        return found;
    }

    /** What the files of nodes have to hold; after {@link #finish}. */
    List<FinalAudit.Scope> scopes() throws IOException {
        List<FinalAudit.Scope> scopes = new ArrayList<>();
        for (LiveLoad load : loads) {
            scopes.add(load.scope());
        }
        return scopes;
    }

    @Override
    public void close() {
        loads.forEach(LiveLoad::close);
    }
}
