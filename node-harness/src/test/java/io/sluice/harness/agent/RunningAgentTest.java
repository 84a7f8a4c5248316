package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.harness.http.Answer;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.http.HttpLimits;
import io.sluice.harness.security.TrialAuthority;
import io.sluice.netty.StreamOptions;
import io.sluice.netty.TlsFiles;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What monitoring asks of an agent, its node's health and its metrics, and what agents send each other. Long because
 * all of it goes through one running agent.
 */
@Timeout(60)
class RunningAgentTest {
    private static final String SERVICE = "org.apache.cassandra.db:type=StorageService";
    private static final String USERS = "org.apache.cassandra.db:type=Tables,keyspace=shop,table=users";
    private static final TableRef REF = new TableRef(new UUID(1, 1), "shop", "users");
    private static final String TABLE = "shop/users-00000000000000010000000000000001";
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");
    private static final AdminToken TOKEN = new AdminToken("7".repeat(64));

    @TempDir
    private Path folder = Path.of("");

    private final int jmxPort = FreePort.onLoopback();
    private Optional<Registry> registry = Optional.empty();
    private Optional<JMXConnectorServer> server = Optional.empty();
    private Optional<RunningAgent> agent = Optional.empty();
    private Optional<HttpEndpoint> endpoint = Optional.empty();

    RunningAgentTest() throws IOException {}

    /** What is asked of a node here. */
    public interface NodeMBean {
        /** As nodetool netstats shows it. */
        String getOperationMode();

        /** Its id in the ring. */
        String getLocalHostId();

        /** Where the ring says that it is. */
        Map<String, String> getHostIdToEndpointWithPort();

        /** Its data directories. */
        String[] getAllDataFileLocations();

        /** Puts what the fixture has into a folder of this name. */
        void takeSnapshot(String tag, Map<String, String> options, String... entities) throws IOException;

        /** Does nothing. */
        void clearSnapshot(String tag, String... keyspaces);
    }

    /** What is asked of a table here. */
    public interface TableMBean {
        /** Its folders. */
        List<String> getDataPaths();
    }

    /** A table with one folder. */
    public static final class Table implements TableMBean {
        private final Path folder;

        Table(Path folder) {
            this.folder = folder;
        }

        @Override
        public List<String> getDataPaths() {
            return List.of(folder.toString());
        }
    }

    /** A node that is up. */
    public static final class Node implements NodeMBean {
        private final Path table;

        Node(Path table) {
            this.table = table;
        }

        @Override
        public String getOperationMode() {
            return "NORMAL";
        }

        @Override
        public String getLocalHostId() {
            return new UUID(6, 6).toString();
        }

        @Override
        public Map<String, String> getHostIdToEndpointWithPort() {
            return Map.of(getLocalHostId(), "10.0.0.7:7000");
        }

        @Override
        public String[] getAllDataFileLocations() {
            return new String[] {table.resolve("../..").normalize().toString()};
        }

        @Override
        public void takeSnapshot(String tag, Map<String, String> options, String... entities) throws IOException {
            Path snapshot = Files.createDirectories(table.resolve("snapshots").resolve(tag));
            try (Stream<Path> files =
                    Files.list(TableDirectory.find(FIXTURE).get(0).path())) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, snapshot.resolve(String.valueOf(file.getFileName())));
                }
            }
        }

        @Override
        public void clearSnapshot(String tag, String... keyspaces) {}
    }

    @BeforeEach
    void start() throws Exception {
        ManagementFactory.getPlatformMBeanServer()
                .registerMBean(new Node(folder.resolve(TABLE)), new ObjectName(SERVICE));
        registry = Optional.of(LocateRegistry.createRegistry(jmxPort));
        JMXConnectorServer jmx = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + jmxPort + "/jmxrmi"),
                null,
                ManagementFactory.getPlatformMBeanServer());
        jmx.start();
        server = Optional.of(jmx);
        AgentSettings settings = settings(Optional.empty(), folder);
        agent = Optional.of(RunningAgent.start(settings, new NodeJmx(settings.jmx()), StreamOptions.builder()));
        endpoint = Optional.of(HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                TOKEN,
                HttpLimits.DEFAULTS,
                new AgentVerbs(() -> agent, () -> "this agent's node has not answered yet")));
    }

    private AgentSettings settings(Optional<UUID> id, Path data) throws IOException {
        return settings(id, "10.0.0.7", data);
    }

    private AgentSettings settings(Optional<UUID> id, String broadcastAddress, Path data) throws IOException {
        return new AgentSettings(
                id,
                new CassandraYaml("127.0.0.1", broadcastAddress, 7000, List.of(data), Optional.empty()),
                new NodeJmx.Target("127.0.0.1", jmxPort, Optional.empty()),
                new Address("127.0.0.1", FreePort.onLoopback()),
                new Address("127.0.0.1", 1),
                folder.resolve("token"),
                Duration.ofMinutes(1),
                2,
                true);
    }

    @AfterEach
    void stop() throws Exception {
        endpoint.orElseThrow().close();
        agent.ifPresent(RunningAgent::close);
        server.orElseThrow().stop();
        UnicastRemoteObject.unexportObject(registry.orElseThrow(), true);
        unregister();
    }

    private static void unregister() throws JMException {
        for (String bean : List.of(SERVICE, USERS)) {
            ObjectName name = new ObjectName(bean);
            if (ManagementFactory.getPlatformMBeanServer().isRegistered(name)) {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            }
        }
    }

    private HttpResponse<String> get(String path, String token) throws Exception {
        int port = ((InetSocketAddress) endpoint.orElseThrow().address()).getPort();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + token)
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void a_data_directory_that_is_not_there_is_named_and_not_made() throws Exception {
        Path unmounted = folder.resolve("unmounted").resolve("data");
        AgentSettings settings = settings(Optional.empty(), unmounted);

        assertThatThrownBy(() -> {
                    try (NodeJmx jmx = new NodeJmx(settings.jmx())) {
                        RunningAgent.start(settings, jmx, StreamOptions.builder())
                                .close();
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("data_file_directories: " + unmounted + ": no such folder");
        assertThat(unmounted).doesNotExist();
    }

    @Test
    void metrics_are_those_of_streaming_in_the_form_of_prometheus() throws Exception {
        HttpResponse<String> answer = get("/metrics", TOKEN.text());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(answer.body().lines())
                .contains("# TYPE sluice_plans_active gauge", "sluice_plans_active{node=\"10.0.0.7:7000\"} 0.0")
                .anyMatch(line -> line.startsWith("sluice_volume_free{node=\"10.0.0.7:7000\","));
    }

    @Test
    void a_node_of_ipv6_is_named_as_the_ring_names_it() throws Exception {
        Path data = Files.createTempDirectory(folder, "six");
        AgentSettings settings = settings(Optional.empty(), "2001:db8:0:0:0:0:0:7", data);
        agent.orElseThrow().close();

        agent = Optional.of(RunningAgent.start(settings, new NodeJmx(settings.jmx()), StreamOptions.builder()));

        assertThat(get("/metrics", TOKEN.text()).body())
                .contains("sluice_plans_active{node=\"" + ManagedNode.endpoint("2001:db8::7", 7000) + "\"} 0.0");
    }

    @Test
    void health_is_the_mode_of_the_node() throws Exception {
        HttpResponse<String> answer = get("/health", TOKEN.text());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("\"NORMAL\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /pause {'operation':'00000000-0000-0005-0000-000000000005'}",
                "POST /throughput {'operation':'00000000-0000-0005-0000-000000000005','bytesPerSec':25}",
                "POST /let-go {'holdId':'7','abortreason':'it failed'}",
                "POST /end {}"
            })
    void an_order_that_is_misspelt_or_not_complete_is_refused(String order) {
        int body = order.indexOf('{');
        String verb = order.substring(0, body - 1);

        Answer answer = new AgentVerbs(() -> agent, () -> "nobody has asked it")
                .answer(verb, order.substring(body).replace('\'', '"').getBytes(StandardCharsets.UTF_8));

        assertThat(answer).isEqualTo(Answer.refused(400, verb + ": invalid body"));
    }

    @Test
    void health_says_why_if_the_node_has_none() throws Exception {
        unregister();

        HttpResponse<String> answer = get("/health", TOKEN.text());

        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).contains("the node at 127.0.0.1:" + jmxPort + " has no " + SERVICE);
    }

    @Test
    void who_does_not_know_the_token_learns_neither() throws Exception {
        for (String path : List.of("/health", "/metrics")) {
            HttpResponse<String> answer = get(path, "0".repeat(64));

            assertThat(answer.statusCode()).as(path).isEqualTo(401);
            assertThat(answer.body()).as(path).contains("not authenticated").doesNotContain("NORMAL", "sluice_");
        }
    }

    @Test
    void before_the_node_has_answered_there_is_no_health() throws Exception {
        agent.orElseThrow().close();
        agent = Optional.empty();

        assertThat(get("/health", TOKEN.text()).statusCode()).isEqualTo(503);
        assertThat(get("/metrics", TOKEN.text()).body()).contains("this agent's node has not answered yet");
    }

    @Test
    void the_id_is_that_of_the_certificate_or_one_that_stays() throws Exception {
        UUID given = new UUID(7, 7);
        UUID own = agent.orElseThrow().id();
        agent.orElseThrow().close();

        AgentSettings settings = settings(Optional.of(given), folder);
        try (RunningAgent named = RunningAgent.start(settings, new NodeJmx(settings.jmx()), StreamOptions.builder())) {
            assertThat(named.id()).isEqualTo(given);
        }
        AgentSettings without = settings(Optional.empty(), folder);
        agent = Optional.of(RunningAgent.start(without, new NodeJmx(without.jmx()), StreamOptions.builder()));
        assertThat(agent.orElseThrow().id()).isEqualTo(own);
    }

    /** As {@code ./sluice certs} makes it. */
    private static UUID named(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }

    private RunningAgent withTls(TlsFiles files, UUID id) throws IOException {
        AgentSettings settings = settings(Optional.of(id), Files.createTempDirectory(folder, "data"));
        return RunningAgent.start(
                settings, new NodeJmx(settings.jmx()), StreamOptions.builder().tls(files));
    }

    private static PlanResult.Failure failureOfAFetch(RunningAgent from, RunningAgent to) throws Exception {
        return fetch(from, to, new UUID(4, 4), UUID.randomUUID()).failure().orElseThrow();
    }

    private static PlanResult fetch(RunningAgent from, RunningAgent to, UUID operation, UUID planId) throws Exception {
        UUID coordinator = UUID.randomUUID();
        to.discard(new AgentMessages.Discard(coordinator, Optional.empty()));
        to.fetch(new AgentMessages.Fetch(
                coordinator, operation, planId, Operation.REPLACE, from.self(), List.of(REF), TokenRanges.FULL));
        return await().atMost(Duration.ofSeconds(50))
                .until(() -> to.fetches().progress(planId).result(), Optional::isPresent)
                .orElseThrow();
    }

    @Test
    void agents_with_certificates_know_each_other_by_node_id() throws Exception {
        Path users = Files.createDirectories(folder.resolve(TABLE));
        ManagementFactory.getPlatformMBeanServer().registerMBean(new Table(users), new ObjectName(USERS));
        TrialAuthority authority = new TrialAuthority(folder.resolve("tls"));
        TlsFiles one = authority.issue("node1", "127.0.0.1", named("node1"));
        TlsFiles four = authority.issue("node4", "127.0.0.1", named("node4"));
        try (RunningAgent source = withTls(one, named("node1"));
                RunningAgent target = withTls(four, named("node4"));
                RunningAgent other = withTls(four, named("node5"))) {
            // Known to the source, which has pinned nothing for it.
            assertThat(failureOfAFetch(source, target).code()).isEqualTo(ErrorCode.DENIED);
            assertThat(failureOfAFetch(source, other).code()).isEqualTo(ErrorCode.UNTRUSTED);
        }
    }

    @Test
    void while_it_starts_an_agent_does_not_say_that_its_node_has_not_answered() throws Exception {
        Path users = Files.createDirectories(folder.resolve(TABLE));
        ManagementFactory.getPlatformMBeanServer().registerMBean(new Table(users), new ObjectName(USERS));
        AgentSettings any = settings(Optional.empty(), folder);
        Address admin = new Address("127.0.0.1", FreePort.onLoopback());
        AgentSettings settings = new AgentSettings(
                any.id(),
                any.yaml(),
                any.jmx(),
                any.streaming(),
                admin,
                any.tokenFile(),
                any.coordinatorTimeout(),
                any.digestThreads(),
                any.isYielding());

        assertThatThrownBy(() -> AgentMain.run(settings, () -> {
                    throw new IllegalStateException(refusal(admin, settings.tokenFile()));
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("this agent is starting")
                .hasMessageNotContaining("has not answered");
    }

    private static String refusal(Address admin, Path tokenFile) {
        try {
            return "it serves: " + new AgentClient(admin, AdminToken.readOrCreate(tokenFile)).status();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void a_coordinator_is_refused_its_first_task_when_another_one_has_discarded() throws Exception {
        Address admin =
                Address.parse(endpoint.orElseThrow().address().toString().replaceFirst("^.*/", ""));
        AgentClient asked = new AgentClient(admin, TOKEN);
        asked.discard(asked.coordinator(), Optional.empty());
        asked.discard(new UUID(2, 2), Optional.empty());

        assertThatThrownBy(() -> asked.landedStored(new AgentMessages.LandedOrder(new UUID(1, 1), REF, List.of())))
                .hasMessageContaining("another coordinator has begun at this agent after this one");
    }

    /** A coordinator asks both ends for both kinds of digests, and compares them. */
    @Test
    void what_lands_has_the_digests_of_what_is_pinned() throws Exception {
        Path users = Files.createDirectories(folder.resolve(TABLE));
        ManagementFactory.getPlatformMBeanServer().registerMBean(new Table(users), new ObjectName(USERS));
        List<TokenRange> ranges = List.of(TokenRange.of(0, Long.MIN_VALUE), TokenRange.of(Long.MIN_VALUE, 0));
        UUID operation = new UUID(5, 5);
        UUID planId = UUID.randomUUID();
        Address admin =
                Address.parse(endpoint.orElseThrow().address().toString().replaceFirst("^.*/", ""));
        AgentClient asked = new AgentClient(admin, TOKEN);
        AgentSettings settings = settings(Optional.empty(), Files.createTempDirectory(folder, "source"));
        AgentMessages.DigestOrder pinned = new AgentMessages.DigestOrder(operation, REF, ranges);
        AgentMessages.LandedOrder landed = new AgentMessages.LandedOrder(planId, REF, ranges);
        RunningAgent target = agent.orElseThrow();
        try (RunningAgent source = RunningAgent.start(settings, new NodeJmx(settings.jmx()), StreamOptions.builder())) {
            source.snapshots().take(new AgentMessages.Pin(operation, target.id(), List.of(REF)));

            PlanResult result = fetch(source, target, operation, planId);

            assertThat(result.failure()).isEmpty();
            assertThat(asked.landedStored(landed).ranges())
                    .isEqualTo(source.pinnedStored(pinned).ranges());
            AgentMessages.Digests rows = asked.landedDigests(landed);
            assertThat(rows.ranges()).isEqualTo(source.pinnedDigests(pinned).ranges());
            assertThat(rows.ranges())
                    .allSatisfy(
                            range -> assertThat(range.content().partitions()).isPositive());
            assertThat(rows.sstables()).isEqualTo(3);
        }
    }
}
