package io.sluice.harness.agent;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminException;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Progress;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.AgentMessages.Status;
import io.sluice.harness.agent.AgentMessages.StoredDigests;
import io.sluice.harness.json.Json;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client of one agent, which takes it for a coordinator of its own: what an earlier one has asked for, and nobody
 * waits for any more, ends when this one asks for something long. Thread-safe.
 */
public final class AgentClient {
    private static final Logger LOG = LoggerFactory.getLogger(AgentClient.class);
    private static final Duration SHORT = Duration.ofSeconds(30);
    /** For what reads many small files, or looks at many. */
    private static final Duration MINUTES = Duration.ofMinutes(5);
    /** With longer and longer pauses: 9 s, and the timeouts. */
    private static final int QUESTIONS = 10;

    private static final long PAUSE_MILLIS = 200;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    private final AdminClient http;
    private final UUID coordinator = UUID.randomUUID();

    /** Talks to an agent's admin endpoint. */
    public AgentClient(Address admin, AdminToken token) {
        this.http = new AdminClient("agent at " + admin, admin, token);
    }

    /** The id that this client's tasks are asked for by: for all that one run orders. */
    public UUID coordinator() {
        return coordinator;
    }

    /** The state of agent and node. Asked once: no answer is an answer, that nobody is there. */
    public Status status() throws IOException {
        return http.ask("/status", Status.class);
    }

    public Replicas replicas(String keyspace) throws IOException {
        return askAgain(() -> replicasNow(keyspace));
    }

    /** The same, asked once: for who asks again anyway. */
    public Replicas replicasNow(String keyspace) throws IOException {
        return http.order("/replicas", new AgentMessages.Keyspace(keyspace), Replicas.class, SHORT);
    }

    /** Estimates, within 5 minutes; pins nothing. */
    public AgentMessages.Sizes sizes(AgentMessages.SizeOrder order) throws IOException {
        return askAgainUnlessLate(() -> http.order("/sizes", order, AgentMessages.Sizes.class, MINUTES));
    }

    /** Takes snapshots; tables that are already pinned stay as they are. */
    public List<Pinned> pin(AgentMessages.Pin order) throws IOException {
        return List.of(task("/pin", order, Pinned[].class));
    }

    public void unpin(UUID operation, List<TableRef> tables) throws IOException {
        http.order("/unpin", new AgentMessages.Unpin(operation, tables), String.class);
    }

    public Digests pinnedDigests(AgentMessages.DigestOrder order) throws IOException {
        return task("/pinned-digests", order, Digests.class);
    }

    public StoredDigests pinnedStored(AgentMessages.DigestOrder order) throws IOException {
        return task("/pinned-stored", order, StoredDigests.class);
    }

    public void fetch(AgentMessages.Fetch order) throws IOException {
        http.order("/fetch", order, String.class);
    }

    /** How far a plan is. Asks again if there is no answer: that says nothing of a transfer that may run for hours. */
    public Progress progress(UUID planId) throws IOException {
        return askAgain(() -> http.ask("/fetch/" + planId, Progress.class));
    }

    public void pause(AgentMessages.Pause order) throws IOException {
        http.order("/pause", order, String.class);
    }

    public void throughput(AgentMessages.Throughput order) throws IOException {
        http.order("/throughput", order, String.class);
    }

    public void cancel(UUID planId) throws IOException {
        http.order("/cancel", new AgentMessages.Cancel(planId), String.class);
    }

    public Digests landedDigests(AgentMessages.LandedOrder order) throws IOException {
        return task("/landed-digests", order, Digests.class);
    }

    public StoredDigests landedStored(AgentMessages.LandedOrder order) throws IOException {
        return task("/landed-stored", order, StoredDigests.class);
    }

    public Imported importLanded(AgentMessages.Import order) throws IOException {
        return task("/import", order, Imported.class);
    }

    /** Reports that the coordinator is alive: without requests, an agent lets its node continue after a while. */
    public void keepHolding(Duration timeout) throws IOException {
        http.order("/keep-holding", "", String.class, timeout);
    }

    /** Bytes of all that Cassandra itself has streamed to the node since it started. */
    public long streamedBytes() throws IOException {
        return http.ask("/streamed", Long.class);
    }

    /** What is there of an operation, within 5 minutes. */
    public AgentMessages.Arrivals arrivals(UUID operation) throws IOException {
        return askAgainUnlessLate(() -> http.order(
                "/arrivals", new AgentMessages.ArrivalsOrder(operation), AgentMessages.Arrivals.class, MINUTES));
    }

    /**
     * Removes what was received for operations that do not continue; orders of other coordinators are refused from then
     * on.
     *
     * @param keep the operation that continues; empty if none does
     */
    public void discard(UUID coordinator, Optional<UUID> keep) throws IOException {
        http.order("/discard", new AgentMessages.Discard(coordinator, keep), String.class);
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

    /** Begins to rebuild the node, which is a member, or goes on with what has begun since it started. */
    public AgentMessages.Rebuild rebuild() throws IOException {
        return http.order("/rebuild", "", AgentMessages.Rebuild.class);
    }

    /** The rebuild is over. */
    public void endRebuild(UUID operation) throws IOException {
        http.order("/end-rebuild", new AgentMessages.End(operation), String.class);
    }

    /** Clears all snapshots of an operation. */
    public void end(UUID operation) throws IOException {
        http.order("/end", new AgentMessages.End(operation), String.class);
    }

    /** Has an order carried out that may take hours: no connection has to last as long. */
    private <T> T task(String path, Object order, Class<T> answer) throws IOException {
        AgentMessages.Task task =
                new AgentMessages.Task(coordinator, UUID.randomUUID(), "POST " + path, Json.ORDERS.valueToTree(order));
        String unused = askAgain(() -> http.order("/task", task, String.class, SHORT));
        for (int asked = 0; true; asked++) {
            Optional<JsonNode> state = askAgain(() -> http.ask("/task/" + task.id(), AgentMessages.TaskState.class))
                    .answer();
            if (state.isPresent()) {
                return Json.MAPPER.treeToValue(state.get(), answer);
            }
            pause(Math.min(LONGEST_PAUSE_MILLIS, (long) asked * asked));
        }
    }

    interface Question<T> {
        T ask() throws IOException;
    }

    /** Also if there is no answer: to ask has no further effect, and what it is about goes on. */
    private static <T> T askAgain(Question<T> question) throws IOException {
        return askAgain(question, e -> false);
    }

    /** But not if an agent that was reached did not answer in time: it would be as late again. */
    static <T> T askAgainUnlessLate(Question<T> question) throws IOException {
        return askAgain(question, e -> e.getCause() instanceof SocketTimeoutException);
    }

    private static <T> T askAgain(Question<T> question, Predicate<AdminException> isLast) throws IOException {
        for (int asked = 1; true; asked++) {
            try {
                return question.ask();
            } catch (AdminException e) {
                if (e.isRefused()
                        || isLast.test(e)
                        || asked == QUESTIONS
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LOG.warn("{}; asking again, {} of {}", e.getMessage(), asked, QUESTIONS);
                pause(asked * PAUSE_MILLIS);
            }
        }
    }

    private static void pause(long millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for an agent", e);
        }
    }

    @Override
    public String toString() {
        return http.nodeName();
    }
}
