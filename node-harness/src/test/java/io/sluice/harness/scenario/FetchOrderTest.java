package io.sluice.harness.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminException;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.FetchState.Problem;
import io.sluice.harness.admin.RingTables;
import io.sluice.harness.admin.RingView;
import io.sluice.harness.http.Answer;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.http.HttpLimits;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node is sent that is to fetch, and how it is reported that it will not. */
@Timeout(60)
class FetchOrderTest {
    private static final HttpLimits SMALL = new HttpLimits(16, 1, 64, Duration.ofSeconds(10), Duration.ofMinutes(1));

    @TempDir
    private Path folder = Path.of("");

    private static AdminRequests.Fetch order(int nodes, int vnodes, int tables) {
        SplittableRandom random = new SplittableRandom(1);
        List<Node> members = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            members.add(new Node(
                    new UUID(0, i),
                    "node" + i,
                    new Address("127.0.0.1", 7000 + i),
                    random.longs(vnodes).mapToObj(Token::new).toList()));
        }
        Map<TableRef, RingView> rings = new LinkedHashMap<>();
        for (int i = 0; i < tables; i++) {
            Ring each = new Ring(members, new Replication.Simple(3)); // as after a change
            rings.put(new TableRef(new UUID(1, i), "ks", "t" + i), RingView.of(each));
        }
        return AdminRequests.Fetch.of(new UUID(2, 0), new TopologyChange.Decommission(members.get(0)), rings);
    }

    private HttpEndpoint endpoint(HttpLimits limits, HttpEndpoint.Handler handler) throws IOException {
        return HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                AdminToken.create(folder.resolve("token")),
                limits,
                handler);
    }

    private AdminClient client(HttpEndpoint endpoint) throws IOException {
        int port = ((InetSocketAddress) endpoint.address()).getPort();
        return new AdminClient("node1", new Address("127.0.0.1", port), AdminToken.read(folder.resolve("token")));
    }

    @Test
    void tables_of_equal_rings_share_one() {
        AdminRequests.Fetch order = order(3, 4, 20);

        assertThat(order.rings())
                .singleElement()
                .satisfies(shared -> assertThat(shared.tables()).hasSize(20));
        assertThat(order.rings())
                .extracting(RingTables::ring)
                .allSatisfy(ring -> assertThat(ring.nodes()).hasSize(3));
    }

    @Test
    void a_node_takes_the_order_of_the_largest_ring_and_many_tables() throws IOException {
        AtomicReference<String> received = new AtomicReference<>("");
        try (HttpEndpoint endpoint = endpoint(HttpLimits.DEFAULTS, (request, body) -> {
            received.set(new String(body, UTF_8));
            return Answer.refused(404, "only looked at");
        })) {
            AdminException refused = catchThrowableOfType(
                    AdminException.class, () -> client(endpoint).fetch(order(120, 256, 20)));

            assertThat(refused).hasMessageContaining("only looked at");
        }
        assertThat(received.get()).contains("\"t19\"");
    }

    @Test
    void a_node_that_refuses_the_order_is_not_lost() throws IOException {
        try (HttpEndpoint endpoint = endpoint(SMALL, (request, body) -> Answer.ok("never"))) {
            AdminException refused = catchThrowableOfType(
                    AdminException.class, () -> client(endpoint).fetch(order(3, 4, 1)));

            Problem problem = ChangeExecution.problem(refused, "silent");

            assertThat(problem.code()).isEqualTo(ErrorCode.INTERNAL);
            assertThat(problem.reason()).contains("node1").contains("more than 64 bytes");
        }
    }

    @Test
    void a_node_that_does_not_answer_is_lost() throws IOException {
        AdminToken token = AdminToken.create(folder.resolve("token"));
        AdminClient nobody = new AdminClient("node1", new Address("127.0.0.1", FreePort.onLoopback()), token);

        AdminException silent = catchThrowableOfType(AdminException.class, () -> nobody.fetch(order(3, 4, 1)));

        assertThat(ChangeExecution.problem(silent, "it is gone"))
                .isEqualTo(new Problem(ErrorCode.PEER_LOST, "it is gone"));
    }
}
