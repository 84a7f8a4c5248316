package io.sluice.harness.replace;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.VolumeStatus;
import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.agent.AgentMessages.Arrivals;
import io.sluice.harness.agent.AgentMessages.Hook;
import io.sluice.harness.agent.AgentMessages.Pins;
import io.sluice.harness.agent.AgentMessages.Rebuild;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.AgentMessages.Sizes;
import io.sluice.harness.agent.AgentMessages.Status;
import io.sluice.harness.agent.AgentMessages.TaskState;
import io.sluice.harness.agent.OperationMode;
import io.sluice.harness.http.Answer;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.http.HttpLimits;
import io.sluice.harness.json.Json;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/** An agent without a node: shows the state that a test gives it, and notes its orders. Thread-safe. */
final class FakeAgent implements AutoCloseable {
    private static final AdminToken TOKEN = new AdminToken("0".repeat(64));
    /** Change nothing, and are not noted. */
    private static final Set<String> QUESTIONS = Set.of(
            "/fetch/",
            "/replicas",
            "/arrivals",
            "/pinned-digests",
            "/pinned-stored",
            "/landed-digests",
            "/landed-stored");

    /** The node that is not alive, and whose place a node with a hook takes. */
    static final String DEAD = "10.0.0.3:7000";

    private final String endpoint;
    private final HttpEndpoint http;
    private final Queue<String> orders = new ConcurrentLinkedQueue<>();
    private volatile List<String> modes = List.of("NORMAL");
    private volatile Optional<Hook> hook = Optional.empty();
    private volatile Optional<Hook> hookAfterRefusal = Optional.empty();
    private volatile String refused = "";
    private final AtomicInteger starting = new AtomicInteger();
    private volatile Ring ring = new Ring("s1", List.of(), List.of(DEAD), List.of());
    private volatile List<TableRef> tables = List.of();
    private volatile Replicas replicas = new Replicas(Map.of(), Map.of());
    private volatile Map<String, Long> bytes = Map.of();
    private volatile long streamedBytes;
    private volatile long freeBytes = Long.MAX_VALUE;

    /** What a node knows of the others. */
    record Ring(String schema, List<String> live, List<String> unreachable, List<String> changing) {}

    private volatile Optional<String> replaces = Optional.of(DEAD);
    private volatile String datacenter = "dc1";
    private volatile Optional<Rebuild> rebuild = Optional.empty();
    private volatile Optional<Pins> pins = Optional.empty();
    private final Map<String, Function<JsonNode, Object>> answers = new ConcurrentHashMap<>();
    private final Map<String, Answer> tasks = new ConcurrentHashMap<>();
    private final Map<String, Integer> unanswered = new ConcurrentHashMap<>();

    /** Starts as the agent of a node that the ring calls {@code endpoint}, which is NORMAL and has no hook. */
    FakeAgent(String endpoint) throws IOException {
        this.endpoint = endpoint;
        this.http = HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TOKEN, HttpLimits.DEFAULTS, this::answer);
    }

    AgentClient client() {
        return client(TOKEN);
    }

    AgentClient client(AdminToken token) {
        return new AgentClient(new Address("127.0.0.1", ((InetSocketAddress) http.address()).getPort()), token);
    }

    /** The node's modes, one for each time that it is asked; the last one stays. */
    void modes(String... next) {
        modes = List.of(next);
    }

    void hook(Hook now) {
        hook = Optional.of(now);
    }

    /** From now on the hook refuses to let go, and shows this then. */
    void refuseToLetGo(Hook then) {
        hookAfterRefusal = Optional.of(then);
    }

    /** From now on it fails to carry out this order, such as {@code /end}. */
    void refuse(String order) {
        refused = order;
    }

    /** The next {@code times} that it is asked for its status it has not reached its node yet. */
    void starting(int times) {
        starting.set(times);
    }

    void ring(Ring now) {
        ring = now;
    }

    /** Its tables, with the replicas of their keyspaces, and the bytes of each table in whatever ranges. */
    void data(Map<TableRef, Long> now, Replicas holders) {
        tables = List.copyOf(now.keySet());
        bytes = now.entrySet().stream()
                .collect(Collectors.toMap(entry -> entry.getKey().name(), Map.Entry::getValue));
        replicas = holders;
    }

    /** What its node's database has streamed by itself. */
    void streamedBytes(long now) {
        streamedBytes = now;
    }

    void freeBytes(long now) {
        freeBytes = now;
    }

    /** The tables of its node, from now on. */
    void tables(TableRef... now) {
        tables = List.of(now);
    }

    /** From now on its node replaces this one, or none. */
    void replaces(Optional<String> dead) {
        replaces = dead;
    }

    void datacenter(String now) {
        datacenter = now;
    }

    /** The rebuild of its node that has begun; until the coordinator ends it. */
    void rebuild(Rebuild now) {
        rebuild = Optional.of(now);
    }

    /** It keeps snapshots of this operation for the agent of this node; until the coordinator ends it. */
    void pins(UUID operation, String target) {
        pins = Optional.of(new Pins(operation, id(target)));
    }

    /** From now on it answers this order, such as {@code /pin}, or question like that. */
    void answer(String order, Function<JsonNode, Object> with) {
        answers.put(order, with);
    }

    /** The next {@code times} that this is asked, what answers is not an agent. */
    void leaveUnanswered(String order, int times) {
        unanswered.put(order, times);
    }

    /** What it was ordered, with bodies where a test may want to know them. */
    List<String> orders() {
        return List.copyOf(orders);
    }

    /** Carries out a task at once, and has its answer when asked for it. */
    private Answer answer(String request, byte[] body) {
        if (request.equals("POST /task")) {
            JsonNode task = tree(body);
            Answer answer = answerTo(
                    task.get("request").asText(), task.get("body").toString().getBytes(StandardCharsets.UTF_8));
            tasks.put(task.get("id").asText(), answer);
            return Answer.ok("done");
        }
        if (request.startsWith("GET /task/")) {
            Answer answer = Objects.requireNonNull(tasks.get(request.substring("GET /task/".length())));
            return answer.status() != 200
                    ? answer
                    : Answer.ok(new TaskState(Optional.of(Json.MAPPER.valueToTree(answer.body()))));
        }
        return answerTo(request, body);
    }

    private Answer answerTo(String request, byte[] body) {
        if (request.equals("GET /status") && refused.equals("/status")) {
            return Answer.refused(500, "mode of the node: UNHEARD_OF (expected: another)");
        }
        if (request.equals("GET /status") && starting.getAndUpdate(times -> Math.max(0, times - 1)) > 0) {
            return Answer.refused(503, "this agent's node has not answered yet");
        }
        if (request.equals("GET /status")) {
            Status status = status();
            modes = modes.size() > 1 ? modes.subList(1, modes.size()) : modes;
            return Answer.ok(status);
        }
        if (request.equals("GET /streamed")) {
            return Answer.ok(streamedBytes);
        }
        if (request.equals("POST /keep-holding")) {
            return Answer.ok("done");
        }
        if (request.startsWith("GET /fetch/")) { // the question is about this plan
            return answerTo("POST /fetch/", quoted(request.substring("GET /fetch/".length())));
        }
        String path = request.substring("POST ".length());
        int left = unanswered.getOrDefault(path, 0);
        if (left > 0) {
            unanswered.put(path, left - 1);
            return Answer.ok(List.of("what is this?"));
        }
        if (path.equals(refused) && QUESTIONS.contains(path)) {
            return Answer.refused(500, "no room");
        }
        Function<JsonNode, Object> given = answers.get(path);
        if (given == null && path.equals("/replicas")) {
            return Answer.ok(replicas);
        }
        if (given == null && path.equals("/arrivals")) {
            return Answer.ok(new Arrivals(List.of(), List.of()));
        }
        if (given == null && path.equals("/sizes")) {
            return Answer.ok(new Sizes(bytes));
        }
        if (QUESTIONS.contains(path)) {
            return Answer.ok(given == null ? List.of("no answer in this test") : given.apply(tree(body)));
        }
        orders.add(path.equals("/discard") ? path : path + " " + tree(body));
        if (request.equals("POST " + refused)) {
            return Answer.refused(500, "no room");
        }
        if (request.equals("POST /let-go") && hookAfterRefusal.isPresent()) {
            hook = hookAfterRefusal;
            return Answer.refused(500, "the hook refuses");
        }
        if (path.equals("/end")) {
            pins = Optional.empty();
        }
        if (path.equals("/end-rebuild")) {
            rebuild = Optional.empty();
        }
        return Answer.ok(given == null ? "done" : given.apply(tree(body)));
    }

    private static byte[] quoted(String text) {
        return ('"' + text + '"').getBytes(StandardCharsets.UTF_8);
    }

    private static JsonNode tree(byte[] body) {
        try {
            return Json.MAPPER.readTree(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static UUID id(String endpoint) {
        return new UUID(0, endpoint.hashCode());
    }

    private Status status() {
        return new Status(
                new Node(id(endpoint), endpoint, Address.parse(endpoint), List.of()),
                endpoint,
                "5.0.9",
                OperationMode.valueOf(modes.get(0)),
                ring.schema(),
                false,
                List.of(new VolumeStatus("/data", freeBytes, 0, 0, 0, Optional.empty())),
                1,
                ring.live(),
                ring.unreachable(),
                ring.changing(),
                tables,
                hook,
                replaces,
                pins,
                datacenter,
                rebuild);
    }

    @Override
    public void close() throws IOException {
        http.close();
    }
}
