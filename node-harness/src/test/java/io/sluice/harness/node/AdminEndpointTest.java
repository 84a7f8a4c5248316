package io.sluice.harness.node;

import static io.sluice.tools.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.HoldStatus;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.http.HttpEndpoint;
import io.sluice.harness.http.HttpLimits;
import io.sluice.harness.json.Json;
import io.sluice.streaming.Limit;
import io.sluice.streaming.access.AuditLog;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.store.Authorizer;
import io.sluice.streaming.store.Authorizer.Access;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * What strangers of this machine try at the admin endpoint of a node, over sockets. Long because it has a case for each
 * attempt, all against one node.
 */
@Timeout(60)
class AdminEndpointTest {
    private static final HttpLimits LIMITS =
            new HttpLimits(16, 4, 1 << 20, Duration.ofSeconds(1), Duration.ofMinutes(1));
    private static final String JSON = "Content-Type: application/json\r\n";

    @TempDir
    private Path folder = Path.of("");

    private final AtomicBoolean stopped = new AtomicBoolean();
    private volatile Access permission = Access.granted();
    private final List<Socket> sockets = new ArrayList<>();
    private RunningNode node = null_();
    private HttpEndpoint server = null_();
    private AdminToken token = null_();

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T null_() {
        return null; // set before each test
    }

    @BeforeEach
    void start() throws IOException {
        SluiceConfig config = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"))
                .with(Map.of(
                        "data_file_directories",
                                folder.resolve("a").resolve("b").resolve("data").toString(),
                        "storage_port", Integer.toString(FreePort.onLoopback())));
        node = RunningNode.start(config.node(), config.streaming(), new Authorizer() {
            @Override
            public Access mayAdminister(String who, String order) {
                return permission;
            }
        });
        token = AdminToken.create(folder.resolve("admin.token"));
        server = HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                token,
                LIMITS,
                new AdminVerbs(node, () -> stopped.set(true)));
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
        node.close();
    }

    private int port() {
        return ((InetSocketAddress) server.address()).getPort();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout(20_000);
        sockets.add(socket);
        return socket;
    }

    private String host() {
        return "Host: 127.0.0.1:" + port() + "\r\n";
    }

    private String authorization() {
        return "Authorization: Bearer " + token.text() + "\r\n";
    }

    /** The first line of the answer, and its body. */
    private String say(String request) throws IOException {
        Socket socket = connect();
        socket.getOutputStream().write(request.getBytes(UTF_8));
        return answer(socket.getInputStream());
    }

    private static String answer(InputStream in) throws IOException {
        return new String(in.readAllBytes(), UTF_8);
    }

    private String post(String path, String headers, String body) throws IOException {
        return say("POST " + path + " HTTP/1.1\r\n" + headers + "Connection: close\r\nContent-Length: "
                + body.getBytes(UTF_8).length + "\r\n\r\n" + body);
    }

    private AdminClient client() {
        return new AdminClient("node1", new Address("127.0.0.1", port()), token);
    }

    @Test
    void whoever_has_the_token_is_served() throws IOException {
        assertThat(client().status().node().name()).isEqualTo("node1");
        client().stop();

        assertThat(stopped).isTrue();
    }

    /** What auditors are told while {@code work} runs. */
    private static List<String> audited(Work work) throws Exception {
        ListAppender<ILoggingEvent> events = new ListAppender<>();
        events.start();
        Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.LOGGER);
        logger.addAppender(events);
        logger.setLevel(Level.INFO); // tests of the harness log nothing else
        try {
            work.run();
        } finally {
            logger.setLevel(Level.OFF);
            logger.detachAppender(events);
        }
        return events.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private interface Work {
        void run() throws Exception;
    }

    @Test
    void the_database_says_who_administers_and_the_auditor_hears_of_it() throws Exception {
        List<String> events = audited(() -> {
            permission = Access.denied("not today");
            assertThatThrownBy(() -> client().stop()).hasMessageContaining("not today");
            assertThat(stopped).isFalse();
            assertThat(client().status().node().name()).as("a question").isEqualTo("node1");
            permission = Access.granted();
            client().stop();
        });

        assertThat(stopped).isTrue();
        assertThat(events)
                .containsExactly(
                        "event=administered who=\"admin token\" order=\"POST /stop \" result=\"403: the database's"
                                + " authorizer denies this request: not today\"",
                        "event=administered who=\"admin token\" order=\"POST /stop \" result=done");
    }

    @Test
    void an_operator_sees_who_is_on_hold_and_ends_it() throws Exception {
        Address storage = client().status().node().address();
        for (int i = 0; i < 3; i++) {
            try (Socket hostile = new Socket()) {
                hostile.bind(new InetSocketAddress("127.3.3.3", 0));
                hostile.connect(new InetSocketAddress(storage.host(), storage.port()));
                hostile.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8));
                assertThat(ended(hostile)).isTrue();
            }
        }
        // It is noted when the connection has ended.
        List<HoldStatus> holds = await().until(() -> client().netStats().holds(), noted -> !noted.isEmpty());
        assertThat(holds).singleElement().satisfies(hold -> {
            assertThat(hold.who()).isEqualTo("address 127.3.3.3");
            assertThat(hold.secondsLeft()).isBetween(1L, 60L);
        });

        assertThat(audited(() -> client().clearHold(new AdminRequests.ClearHold("address 127.3.3.3"))))
                .singleElement()
                .satisfies(
                        event -> assertThat(event).contains("POST /clear-hold").endsWith("result=done"));

        assertThat(client().netStats().holds()).isEmpty();
        assertThatThrownBy(() -> client().clearHold(new AdminRequests.ClearHold("address 127.3.3.3")))
                .hasMessageContaining("is not on hold");
    }

    @Test
    void nobody_stops_a_node_without_its_token() throws IOException {
        assertThat(post("/stop", host() + JSON, "")).startsWith("HTTP/1.1 401 ");
        assertThat(post("/stop", host() + JSON + "Authorization: Bearer " + "0".repeat(64) + "\r\n", ""))
                .startsWith("HTTP/1.1 401 ");

        assertThat(stopped).isFalse();
    }

    @Test
    void a_refusal_tells_a_stranger_nothing_of_the_node() throws IOException {
        String refusal = say("GET /status HTTP/1.1\r\n" + host() + "\r\n");

        assertThat(refusal).startsWith("HTTP/1.1 401 ").doesNotContain("node1", folder.toString(), "Netty", "Java");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: evil.example\r\n",
                "Host: 127.0.0.1.evil.example\r\n",
                "Host: 192.0.2.1:7080\r\n",
                "",
                "Host: 127.0.0.1\r\nHost: evil.example\r\n",
                "Host: 127.0.0.1\r\nOrigin: https://evil.example\r\n",
                "Host: 127.0.0.1\r\nOrigin: null\r\n"
            })
    void a_web_page_is_refused_even_with_the_token(String headers) throws IOException {
        assertThat(post("/stop", headers + JSON + authorization(), "")).startsWith("HTTP/1.1 403 ");

        assertThat(stopped).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:9", "127.0.0.1", "127.9.9.9:7080", "[::1]:7080"})
    void names_of_this_machine_are_accepted(String host) throws IOException {
        assertThat(post("/stop", "Host: " + host + "\r\n" + JSON + authorization(), ""))
                .startsWith("HTTP/1.1 200 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"})
    void what_a_form_can_send_is_refused(String contentType) throws IOException {
        assertThat(post("/stop", host() + contentType + authorization(), "")).startsWith("HTTP/1.1 415 ");

        assertThat(stopped).isFalse();
    }

    private static Stream<String> names() {
        return HostileNames.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("names")
    void a_name_that_is_none_makes_no_folder(String name) throws IOException {
        Set<Path> before = files();

        String keyspace = post("/tables", host() + JSON + authorization(), table(name, "t"));
        String table = post("/tables", host() + JSON + authorization(), table("ks", name));
        String fetch = post("/fetch", host() + JSON + authorization(), fetch(table(name, "t")));

        assertThat(List.of(keyspace, table, fetch))
                .allSatisfy(answer -> assertThat(answer)
                        .startsWith("HTTP/1.1 400 ")
                        .contains("letters, digits")
                        .doesNotContain("io.sluice", "Exception"));
        assertThat(files()).isEqualTo(before);
    }

    private static String table(String keyspace, String name) throws IOException {
        return Json.MAPPER.writeValueAsString(Map.of(
                "table",
                Map.of("id", UUID.randomUUID(), "keyspace", keyspace, "name", name),
                "cql",
                "CREATE TABLE ks.t (k text PRIMARY KEY, v text);"));
    }

    private static String fetch(String table) throws IOException {
        String ref = Json.MAPPER.readTree(table).get("table").toString();
        return "{\"planId\":\"" + UUID.randomUUID() + "\",\"change\":{\"kind\":\"repair\",\"differences\":[],"
                + "\"isPullOnly\":true},\"rings\":[{\"tables\":[" + ref
                + "],\"ring\":{\"nodes\":[],\"replication\":{\"kind\":\"simple\",\"factor\":1}}}]}";
    }

    private Set<Path> files() throws IOException {
        try (Stream<Path> tree = Files.walk(folder)) {
            return tree.collect(java.util.stream.Collectors.toCollection(TreeSet::new));
        }
    }

    @Test
    void what_is_not_json_of_the_kind_is_refused_without_names_of_classes() throws IOException {
        for (String body : List.of("", "{", "[]", "{\"planId\":7}", "{\"planId\":\"x\"}", "[".repeat(100_000))) {
            assertThat(post("/cancel", host() + JSON + authorization(), body))
                    .as(body)
                    .startsWith("HTTP/1.1 400 ")
                    .doesNotContain("io.sluice", "Exception", "java.", "jackson");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"limit\":\"ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND\",\"bytesPerSec\":25000000}",
                "{\"limit\":\"ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND\",\"bytesPerSecond\":null}",
                "{\"limit\":\"ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND\"}",
                "{\"limit\":\"ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND\",\"bytesPerSecond\":9,\"bytesPerSec\":8}",
                "{\"bytesPerSecond\":9}"
            })
    void an_order_that_is_misspelt_or_not_complete_changes_nothing(String body) throws IOException {
        client().setThroughput(
                        new AdminRequests.Throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 25_000_000));

        assertThat(post("/throughput", host() + JSON + authorization(), body)).startsWith("HTTP/1.1 400 ");

        assertThat(client().netStats().outboundBytesPerSecond()).isEqualTo(25_000_000);
    }

    @Test
    void an_order_to_pause_says_so() throws IOException {
        String order = "{\"planId\":\"" + UUID.randomUUID() + "\"}";

        assertThat(post("/pause", host() + JSON + authorization(), order))
                .startsWith("HTTP/1.1 400 ")
                .contains("invalid body");
    }

    @Test
    void an_unknown_verb_is_told_what_there_is() throws IOException {
        assertThat(post("/nothing", host() + JSON + authorization(), "{}"))
                .startsWith("HTTP/1.1 404 ")
                .contains("POST /fetch");
    }

    @Test
    @Tag("full")
    void requests_that_never_end_keep_nobody_out_and_are_cut_off() throws IOException {
        List<Socket> silent = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Socket socket = connect();
            socket.getOutputStream()
                    .write((i % 2 == 0 ? "POST /st" : "POST /stop HTTP/1.1\r\n" + host()).getBytes(UTF_8));
            silent.add(socket);
        }

        assertThat(client().status().node().name()).isEqualTo("node1");
        for (Socket socket : silent) {
            assertThat(ended(socket)).isTrue();
        }
    }

    @Test
    @Tag("full")
    void a_body_that_trickles_in_is_cut_off_also_with_the_token() throws IOException {
        Socket socket = connect();
        socket.getOutputStream()
                .write(("POST /stop HTTP/1.1\r\n" + host() + JSON + authorization() + "Content-Length: 1000\r\n\r\n")
                        .getBytes(UTF_8));
        socket.setSoTimeout(50);

        await().until(() -> isCutOffAfterOneMoreByte(socket));
        assertThat(stopped).isFalse();
    }

    private static boolean isCutOffAfterOneMoreByte(Socket socket) {
        try {
            socket.getOutputStream().write(' ');
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException stillThere) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    private static boolean ended(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException stillThere) {
            return false;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    @Test
    void a_body_over_the_limit_is_refused_by_its_announced_length() throws IOException {
        assertThat(say("POST /write HTTP/1.1\r\n" + host() + JSON + authorization()
                        + "Content-Length: 999999999\r\n\r\n"))
                .startsWith("HTTP/1.1 413 ");
    }

    @Test
    void a_body_without_a_length_is_counted_as_it_comes() throws IOException {
        StringBuilder chunks = new StringBuilder(
                "POST /write HTTP/1.1\r\n" + host() + JSON + authorization() + "Transfer-Encoding: chunked\r\n\r\n");
        for (int i = 0; i < 17; i++) {
            chunks.append("10000\r\n").append("x".repeat(1 << 16)).append("\r\n");
        }

        assertThat(say(chunks.toString())).startsWith("HTTP/1.1 413 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u001b[2J\r\n\r\n"})
    void what_is_not_http_is_cut_off(String bytes) throws IOException {
        assertThat(say(bytes)).doesNotContain("HTTP/1.1 200");
    }

    @Test
    void an_address_that_other_machines_reach_is_refused_wherever_the_node_lives() throws IOException {
        SluiceConfig config = SluiceConfig.read(Path.of("..", "conf", "sluice.yaml"));
        InetAddress listen = InetAddress.getByName("192.0.2.1");

        assertThat(NodeMain.adminAddress(config.node(), listen))
                .isInstanceOfSatisfying(
                        InetSocketAddress.class,
                        admin -> assertThat(admin.getAddress().isLoopbackAddress())
                                .isTrue());
        for (String open : List.of("0.0.0.0", "192.0.2.1")) {
            SluiceConfig written = config.with(Map.of("admin_address", open));
            assertThatThrownBy(() -> NodeMain.adminAddress(written.node(), listen))
                    .hasMessageContaining("plain text");
        }
        SluiceConfig unix = config.with(Map.of("admin_address", "unix:work/admin.socket"));
        assertThat(NodeMain.adminAddress(unix.node(), listen))
                .isEqualTo(UnixDomainSocketAddress.of("work/admin.socket"));
    }

    @Test
    void a_socket_of_the_file_system_is_its_owners_alone_and_goes_with_the_endpoint() throws IOException {
        Path file = folder.resolve("admin.socket");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(file);
        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address).close(); // stays, as after SIGKILL
        try (HttpEndpoint unix = HttpEndpoint.start(address, token, LIMITS, new AdminVerbs(node, () -> {}));
                SocketChannel socket = SocketChannel.open(unix.address())) {
            assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
            String request =
                    "GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + authorization() + "\r\n";
            socket.write(ByteBuffer.wrap(request.getBytes(UTF_8)));

            assertThat(answer(Channels.newInputStream(socket))).startsWith("HTTP/1.1 200 ");
            assertThatThrownBy(() -> HttpEndpoint.start(address, token, LIMITS, new AdminVerbs(node, () -> {})))
                    .hasMessageContaining("another process listens there");
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void a_file_that_is_no_socket_stays_where_it_is() throws IOException {
        Path file = Files.writeString(folder.resolve("passwd"), "mine");

        assertThatThrownBy(() -> HttpEndpoint.start(
                        UnixDomainSocketAddress.of(file), token, LIMITS, new AdminVerbs(node, () -> {})))
                .hasMessageContaining("not a socket");

        assertThat(file).hasContent("mine");
    }
}
