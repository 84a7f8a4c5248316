package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.agent.AgentClient;
import io.sluice.harness.http.Answer;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.http.HttpLimits;
import io.sluice.streaming.ring.Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An agent knows that its coordinator lives, however long a transfer takes. */
class CoordinatorHeartbeatTest {
    @Test
    void it_orders_again_and_again_also_after_a_refusal() throws Exception {
        AdminToken token = new AdminToken("0".repeat(64));
        BlockingQueue<String> orders = new LinkedBlockingQueue<>();
        try (HttpEndpoint endpoint = HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                token,
                HttpLimits.DEFAULTS,
                (request, body) -> answer(orders, request))) {
            int port = ((InetSocketAddress) endpoint.address()).getPort();

            try (CoordinatorHeartbeat heartbeat = CoordinatorHeartbeat.start(
                    new AgentClient(new Address("127.0.0.1", port), token),
                    Duration.ofMillis(10),
                    Duration.ofSeconds(30),
                    problem -> {})) {
                assertThat(heartbeat).isNotNull();
                for (int i = 0; i < 3; i++) {
                    assertThat(orders.poll(30, TimeUnit.SECONDS)).isEqualTo("POST /keep-holding");
                }
            }
        }
    }

    @Test
    void it_goes_on_if_an_agent_does_not_answer() throws Exception {
        AdminToken token = new AdminToken("0".repeat(64));
        BlockingQueue<String> orders = new LinkedBlockingQueue<>();
        BlockingQueue<Optional<String>> problems = new LinkedBlockingQueue<>();
        CountDownLatch isOver = new CountDownLatch(1);
        try (HttpEndpoint endpoint = HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                token,
                HttpLimits.DEFAULTS,
                (request, body) -> silence(orders, request, isOver))) {
            int port = ((InetSocketAddress) endpoint.address()).getPort();

            try (CoordinatorHeartbeat heartbeat = CoordinatorHeartbeat.start(
                    new AgentClient(new Address("127.0.0.1", port), token),
                    Duration.ofMillis(10),
                    Duration.ofMillis(100),
                    problems::add)) {
                assertThat(heartbeat).isNotNull();
                for (int i = 0; i < 3; i++) {
                    assertThat(orders.poll(30, TimeUnit.SECONDS)).isEqualTo("POST /keep-holding");
                }
                assertThat(problems.poll(30, TimeUnit.SECONDS)).isPresent();
            } finally {
                isOver.countDown();
            }
        }
    }

    private static Answer silence(BlockingQueue<String> orders, String request, CountDownLatch isOver) {
        orders.add(request);
        try {
            isOver.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Answer.ok("too late");
    }

    private static Answer answer(BlockingQueue<String> orders, String request) {
        orders.add(request);
        return orders.size() == 1 ? Answer.refused(503, "not yet") : Answer.ok("done");
    }
}
