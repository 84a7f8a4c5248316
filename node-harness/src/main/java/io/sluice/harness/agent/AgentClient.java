package io.sluice.harness.agent;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Progress;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.AgentMessages.Status;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** A client of one agent. Thread-safe. */
public final class AgentClient {
    private final AdminClient http;

    /** Talks to an agent's admin endpoint. */
    public AgentClient(Address admin, AdminToken token) {
        this.http = new AdminClient("agent at " + admin, admin, token);
    }

    public Status status() throws IOException {
        return http.ask("/status", Status.class);
    }

    public Replicas replicas(String keyspace) throws IOException {
        return http.order("/replicas", new AgentMessages.Keyspace(keyspace), Replicas.class);
    }

    /** Estimates; pins nothing. */
    public AgentMessages.Sizes sizes(AgentMessages.SizeOrder order) throws IOException {
        return http.order("/sizes", order, AgentMessages.Sizes.class);
    }

    /** Takes snapshots; tables that are already pinned stay as they are. */
    public List<Pinned> pin(AgentMessages.Pin order) throws IOException {
        return List.of(http.order("/pin", order, Pinned[].class));
    }

    public void unpin(UUID operation, List<TableRef> tables) throws IOException {
        http.order("/unpin", new AgentMessages.Unpin(operation, tables), String.class);
    }

    public Digests pinnedDigests(AgentMessages.DigestOrder order) throws IOException {
        return http.order("/pinned-digests", order, Digests.class);
    }

    public void fetch(AgentMessages.Fetch order) throws IOException {
        http.order("/fetch", order, String.class);
    }

    /** How far a plan is; an {@code AdminException} says whether the agent refused, or did not answer. */
    public Progress progress(UUID planId) throws IOException {
        return http.ask("/fetch/" + planId, Progress.class);
    }

    public void cancel(UUID planId) throws IOException {
        http.order("/cancel", new AgentMessages.Cancel(planId), String.class);
    }

    public Digests landedDigests(AgentMessages.LandedOrder order) throws IOException {
        return http.order("/landed-digests", order, Digests.class);
    }

    public Imported importLanded(AgentMessages.Import order) throws IOException {
        return http.order("/import", order, Imported.class);
    }

    /** Reports that the coordinator is alive: without requests, an agent lets its node continue after a while. */
    public void keepHolding(Duration timeout) throws IOException {
        http.order("/keep-holding", "", String.class, timeout);
    }

    /** Removes received SSTables that were not imported; orders of other coordinators are refused from then on. */
    public void discard(UUID coordinator) throws IOException {
        http.order("/discard", new AgentMessages.Discard(coordinator), String.class);
    }

    public void mark(AgentMessages.Mark order) throws IOException {
        http.order("/mark", order, String.class);
    }

    public void letGo(AgentMessages.LetGo order) throws IOException {
        http.order("/let-go", order, String.class);
    }

    public void clearMarks() throws IOException {
        http.order("/clear-marks", "", String.class);
    }

    /** Clears all snapshots of an operation. */
    public void end(UUID operation) throws IOException {
        http.order("/end", new AgentMessages.End(operation), String.class);
    }

    @Override
    public String toString() {
        return http.nodeName();
    }
}
