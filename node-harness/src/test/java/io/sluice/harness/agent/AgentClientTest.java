package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminException;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.agent.AgentMessages.Arrivals;
import io.sluice.harness.agent.AgentMessages.Import;
import io.sluice.harness.agent.AgentMessages.Imported;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.harness.agent.AgentMessages.SizeOrder;
import io.sluice.harness.agent.AgentMessages.Sizes;
import io.sluice.harness.agent.AgentMessages.TaskState;
import io.sluice.harness.http.Answer;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.http.HttpLimits;
import io.sluice.harness.json.Json;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What takes long is asked for again and again, on connections that last a moment. */
@Timeout(60)
class AgentClientTest {
    private static final AdminToken TOKEN = new AdminToken("0".repeat(64));
    private static final Import ORDER =
            new Import(new UUID(0, 1), new TableRef(new UUID(3, 3), "shop", "users"), List.of());

    private static final Set<String> QUESTIONS = Set.of("POST /arrivals", "POST /replicas", "POST /sizes");

    private final Queue<Answer> states = new ConcurrentLinkedQueue<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private HttpEndpoint endpoint;
    private AgentClient client;

    @BeforeEach
    void start() throws IOException {
        endpoint = HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TOKEN, HttpLimits.DEFAULTS, this::answer);
        int port = ((InetSocketAddress) endpoint.address()).getPort();
        client = new AgentClient(new Address("127.0.0.1", port), TOKEN);
    }

    @AfterEach
    void stop() throws IOException {
        endpoint.close();
    }

    private Answer answer(String request, byte[] body) {
        requests.add(request.replaceAll("/task/.*", "/task/ID"));
        if (request.startsWith("GET ") || QUESTIONS.contains(request)) {
            Answer next = states.poll();
            return next == null ? Answer.refused(500, "the test has no more") : next;
        }
        try {
            AgentMessages.Task task = Json.MAPPER.readValue(body, AgentMessages.Task.class);
            assertThat(task.request()).isEqualTo("POST /import");
            return states.isEmpty() ? Answer.refused(503, "no room") : Answer.ok("done");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Answer running() {
        return Answer.ok(new TaskState(Optional.empty()));
    }

    private static Answer imported() {
        JsonNode answer = Json.MAPPER.valueToTree(new Imported(2, 200));
        return Answer.ok(new TaskState(Optional.of(answer)));
    }

    @Test
    void an_import_is_started_and_asked_for_until_it_has_ended() throws IOException {
        states.addAll(List.of(running(), running(), imported()));

        assertThat(client.importLanded(ORDER)).isEqualTo(new Imported(2, 200));
        assertThat(requests).containsExactly("POST /task", "GET /task/ID", "GET /task/ID", "GET /task/ID");
    }

    @Test
    void a_question_without_an_answer_is_asked_again() throws IOException {
        states.addAll(List.of(running(), Answer.ok("what is this?"), imported()));

        assertThat(client.importLanded(ORDER)).isEqualTo(new Imported(2, 200));
    }

    @Test
    void questions_that_change_nothing_are_asked_again_too() throws IOException {
        Answer unreadable = Answer.ok("what is this?");
        Arrivals arrivals = new Arrivals(List.of(), List.of());
        Replicas replicas = new Replicas(Map.of(), Map.of());
        Sizes sizes = new Sizes(Map.of());
        states.addAll(List.of(
                unreadable, Answer.ok(arrivals), unreadable, Answer.ok(replicas), unreadable, Answer.ok(sizes)));

        assertThat(client.arrivals(new UUID(0, 1))).isEqualTo(arrivals);
        assertThat(client.replicas("shop")).isEqualTo(replicas);
        assertThat(client.sizes(new SizeOrder("shop", List.of()))).isEqualTo(sizes);
    }

    /** It hangs, as one whose disk does: asking ten times would take ten times as long. */
    @Test
    void an_answer_that_takes_too_long_is_not_waited_for_again() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (ServerSocket hung = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            AdminClient http = new AdminClient("agent", new Address("127.0.0.1", hung.getLocalPort()), TOKEN);

            assertThatThrownBy(() -> AgentClient.askAgainUnlessLate(() -> {
                        asked.incrementAndGet();
                        return http.order("/sizes", "", Sizes.class, Duration.ofMillis(50));
                    }))
                    .isInstanceOf(AdminException.class)
                    .hasMessageContaining("does not answer");
        }
        assertThat(asked).hasValue(1);
    }

    @Test
    void who_looks_now_and_then_asks_once() {
        states.add(Answer.ok("what is this?"));

        assertThatThrownBy(() -> client.replicasNow("shop")).isInstanceOf(AdminException.class);
        assertThat(requests).containsExactly("POST /replicas");
    }

    @Test
    void a_task_that_failed_says_why() {
        states.addAll(List.of(running(), Answer.refused(500, "the node did not import it")));

        assertThatThrownBy(() -> client.importLanded(ORDER))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the node did not import it");
        assertThat(requests).hasSize(3);
    }

    @Test
    void a_task_that_is_refused_is_not_started_again() {
        assertThatThrownBy(() -> client.importLanded(ORDER)).hasMessageContaining("no room");
        assertThat(requests).containsExactly("POST /task");
    }
}
