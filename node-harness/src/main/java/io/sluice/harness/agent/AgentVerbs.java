package io.sluice.harness.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.google.common.collect.Sets;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.http.Answer;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.json.Json;
import io.sluice.sstable.component.Printable;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin requests of an agent: a closed set of verbs. Thread-safe.
 *
 * @param agent empty until its node has answered, and it has started
 * @param waitsBecause why nothing is answered until then, a sentence
 */
record AgentVerbs(Supplier<Optional<RunningAgent>> agent, Supplier<String> waitsBecause)
        implements HttpEndpoint.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(AgentVerbs.class);
    private static final int OK = 200;
    private static final String PROGRESS = "GET /fetch/";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String TASK = "GET /task/";
    /** What may take hours, and may be interrupted: it reads whole tables. */
    private static final Set<String> ONLY_READ =
            Set.of("POST /pinned-digests", "POST /pinned-stored", "POST /landed-digests", "POST /landed-stored");
    /** What may take hours: it links or imports whole tables, too. */
    private static final Set<String> TASKS = Sets.union(ONLY_READ, Set.of("POST /pin", "POST /import"));

    @Override
    public Answer answer(String request, byte[] body) {
        Optional<RunningAgent> running = agent.get();
        if (running.isEmpty()) {
            return Answer.refused(503, waitsBecause.get());
        }
        try {
            if (request.startsWith("POST ")) {
                running.get().lease().orderReceived();
            }
            return request.equals("POST /task") || request.startsWith(TASK)
                    ? task(running.get().tasks(), request, body)
                    : answerTo(running.get(), request, body);
        } catch (JsonProcessingException e) {
            return Answer.refused(400, Printable.text(request) + ": invalid body");
        } catch (IllegalArgumentException e) {
            return Answer.refused(400, Refusal.because(e).reason());
        } catch (IOException | RuntimeException e) {
            LOG.warn("request {} failed", Printable.text(request), e);
            return new Answer(500, Refusal.because(e));
        }
    }

    private Answer task(Tasks tasks, String request, byte[] body) throws IOException {
        if (request.startsWith(TASK)) {
            Optional<Answer> answer = tasks.answer(UUID.fromString(request.substring(TASK.length())));
            return answer.filter(ended -> ended.status() != OK)
                    .orElseGet(() -> Answer.ok(
                            new AgentMessages.TaskState(answer.map(ended -> Json.MAPPER.valueToTree(ended.body())))));
        }
        AgentMessages.Task order = read(body, AgentMessages.Task.class);
        if (!TASKS.contains(order.request())) {
            throw new IllegalArgumentException(
                    "task '" + Printable.text(order.request()) + "' (expected: one of " + new TreeSet<>(TASKS) + ")");
        }
        byte[] its = Json.MAPPER.writeValueAsBytes(order.body());
        return done(() -> tasks.start(
                order.coordinator(),
                order.id(),
                ONLY_READ.contains(order.request()),
                () -> answer(order.request(), its)));
    }

    private static Answer answerTo(RunningAgent agent, String request, byte[] body) throws IOException {
        if (request.startsWith(PROGRESS)) {
            return Answer.ok(agent.fetches().progress(UUID.fromString(request.substring(PROGRESS.length()))));
        }
        return switch (request) {
            case "GET /health" -> Answer.ok(agent.node().operationMode());
            case "GET /metrics" -> Answer.text(PROMETHEUS, agent.metrics().scrape());
            case "GET /status" -> Answer.ok(agent.status());
            case "GET /streamed" -> Answer.ok(agent.node().streamedBytes());
            case "POST /replicas" ->
                Answer.ok(
                        agent.replicas(read(body, AgentMessages.Keyspace.class).keyspace()));
            case "POST /keep-holding" ->
                Answer.ok("done"); // like every request, it shows that the coordinator is alive
            case "POST /sizes" -> Answer.ok(agent.sizes(read(body, AgentMessages.SizeOrder.class)));
            case "POST /pin" -> Answer.ok(agent.snapshots().take(read(body, AgentMessages.Pin.class)));
            case "POST /unpin" -> {
                AgentMessages.Unpin order = read(body, AgentMessages.Unpin.class);
                yield done(() -> agent.snapshots().clear(order.operation(), order.tables()));
            }
            case "POST /pinned-digests" -> Answer.ok(agent.pinnedDigests(read(body, AgentMessages.DigestOrder.class)));
            case "POST /pinned-stored" -> Answer.ok(agent.pinnedStored(read(body, AgentMessages.DigestOrder.class)));
            case "POST /fetch" -> {
                AgentMessages.Fetch order = read(body, AgentMessages.Fetch.class);
                yield done(() -> agent.fetch(order));
            }
            case "POST /cancel" -> {
                AgentMessages.Cancel order = read(body, AgentMessages.Cancel.class);
                yield done(() -> agent.fetches().cancel(order.planId()));
            }
            case "POST /landed-digests" -> Answer.ok(agent.landedDigests(read(body, AgentMessages.LandedOrder.class)));
            case "POST /landed-stored" -> Answer.ok(agent.landedStored(read(body, AgentMessages.LandedOrder.class)));
            case "POST /import" -> {
                AgentMessages.Import order = read(body, AgentMessages.Import.class);
                yield Answer.ok(agent.importLanded(order));
            }
            case "POST /arrivals" -> Answer.ok(agent.arrivals(read(body, AgentMessages.ArrivalsOrder.class)));
            case "POST /discard" -> {
                AgentMessages.Discard order = read(body, AgentMessages.Discard.class);
                yield done(() -> agent.discard(order));
            }
            case "POST /mark" -> {
                AgentMessages.Mark order = read(body, AgentMessages.Mark.class);
                yield done(() -> agent.mark(order));
            }
            case "POST /let-go" -> {
                AgentMessages.LetGo order = read(body, AgentMessages.LetGo.class);
                yield done(() -> agent.letGo(order));
            }
            case "POST /pause" -> {
                AgentMessages.Pause order = read(body, AgentMessages.Pause.class);
                yield done(() -> agent.pause(order));
            }
            case "POST /throughput" -> {
                AgentMessages.Throughput order = read(body, AgentMessages.Throughput.class);
                yield done(() -> agent.throughput(order));
            }
            case "POST /clear-marks" -> done(agent::clearMarks);
            case "POST /rebuild" -> Answer.ok(agent.rebuild());
            case "POST /end-rebuild" -> {
                AgentMessages.End order = read(body, AgentMessages.End.class);
                yield done(() -> agent.endRebuild(order.operation()));
            }
            case "POST /end" -> {
                AgentMessages.End order = read(body, AgentMessages.End.class);
                yield done(() -> agent.snapshots().clearAll(order.operation()));
            }
            default ->
                Answer.refused(
                        404,
                        Printable.text(request)
                                + ": unknown (expected: GET /health, /metrics, /status, /streamed, /fetch/PLAN, /task/ID or POST /task, /replicas, /keep-holding, /sizes, /pin, /unpin,"
                                + " /pinned-digests, /pinned-stored, /fetch, /cancel, /landed-digests, /landed-stored, /import, /arrivals, /discard, /mark, /let-go,"
                                + " /pause, /throughput, /clear-marks, /rebuild, /end-rebuild, /end)");
        };
    }

    private interface Order {
        void run() throws IOException;
    }

    private static Answer done(Order order) throws IOException {
        order.run();
        return Answer.ok("done");
    }

    private static <T> T read(byte[] body, Class<T> order) throws IOException {
        return Json.ORDERS.readValue(body, order);
    }
}
