package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Limit;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Whatever two nodes log of a plan names plan, peer and table, on whichever thread; and nothing else does. */
@ExtendWith(LeakCheck.class)
class LogKeysTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");
    /** What a database logs while it is called. */
    private static final org.slf4j.Logger DATABASE = LoggerFactory.getLogger("io.sluice.test.Database");

    /** Of a plan or session as a whole; a reason may name a table. */
    private static final Pattern ABOUT_ALL_TABLES =
            Pattern.compile("^event=(plan|session)-|^plan [^:]*: (failed|retrying in)");

    @TempDir
    Path temp;

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.sluice");
    private final Level before = logger.getLevel();
    private final Lines lines = new Lines();

    /** One line: what it says, where, and with which keys. */
    private record Line(String logger, String thread, String text, Map<String, String> keys) {}

    private static final class Lines extends AppenderBase<ILoggingEvent> {
        /** Guarded by itself. */
        private final List<Line> written = new ArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            synchronized (written) {
                written.add(new Line(
                        event.getLoggerName(),
                        event.getThreadName(),
                        event.getFormattedMessage(),
                        Map.copyOf(event.getMDCPropertyMap())));
            }
        }

        List<Line> with(String part) {
            synchronized (written) {
                return written.stream()
                        .filter(line -> line.text().contains(part))
                        .toList();
            }
        }
    }

    @BeforeEach
    void listen() {
        logger.setLevel(Level.DEBUG);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
        lines.stop();
        logger.setLevel(before);
    }

    private static StreamOptions options() {
        return StreamOptions.builder()
                .connectionsPerHost(2)
                .retries(new RetryPolicy(2, 2, Duration.ofMillis(10), Duration.ofMillis(20)))
                .build();
    }

    private static void haveDatabasesLog(TwoNodes cluster) {
        cluster.sourceStore.onCall = call -> DATABASE.info("source: {}", call);
        cluster.targetStore.onCall = call -> DATABASE.info("target: {}", call);
    }

    private void assertAllNameThePlan(TwoNodes cluster) {
        String plan = cluster.planId.toString();
        assertThat(lines.with(plan))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line.keys()).containsEntry("plan", plan));
        assertThat(lines.with("plan " + plan + " session"))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line.keys()).containsKey("peer"));
        assertThat(lines.with(cluster.table.toString()))
                .isNotEmpty()
                .filteredOn(line -> !ABOUT_ALL_TABLES.matcher(line.text()).find())
                .allSatisfy(line -> assertThat(line.keys()).containsEntry("table", cluster.table.toString()));
        assertThat(lines.with(" " + cluster.table.name()))
                .filteredOn(line -> line.logger().equals(DATABASE.getName()))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line.keys())
                        .containsEntry("plan", plan)
                        .containsEntry("table", cluster.table.toString()));
        String source = cluster.sourceNode.id().toString();
        String target = cluster.targetNode.id().toString();
        assertThat(lines.with(" session 0 with "))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line.keys()).containsEntry("peer", source));
        assertThat(lines.with(" session 0 of "))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line.keys()).containsEntry("peer", target));
    }

    @Test
    void of_a_plan_that_is_complete() throws Exception {
        try (TwoNodes cluster = new TwoNodes(temp, FIXTURE, options())) {
            haveDatabasesLog(cluster);

            assertThat(cluster.fetchAll().isComplete()).isTrue();
            cluster.assertNothingIsLeftBehind();

            assertAllNameThePlan(cluster);
            assertThat(lines.with("is live"))
                    .singleElement()
                    .satisfies(line -> assertThat(line.keys()).doesNotContainKey("peer"));
            assertThat(lines.with("source: pin"))
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line.keys())
                            .containsEntry("peer", cluster.targetNode.id().toString()));
        }
    }

    @Test
    void of_a_plan_whose_install_fails() throws Exception {
        try (TwoNodes cluster = new TwoNodes(temp, FIXTURE, options())) {
            haveDatabasesLog(cluster);
            cluster.targetStore.isDropping = true;

            assertThat(cluster.fetchAll().isComplete()).isFalse();
            cluster.assertNothingIsLeftBehind();

            assertAllNameThePlan(cluster);
            assertThat(lines.with("is being dropped")).isNotEmpty();
        }
    }

    @Test
    void of_a_plan_that_loses_its_source_its_pins_and_is_cancelled() throws Exception {
        StreamOptions slow = StreamOptions.builder()
                .connectionsPerHost(1)
                .throughput(Limit.STREAM_THROUGHPUT_INBOUND, 16 << 10)
                .retries(new RetryPolicy(3, 3, Duration.ofMillis(10), Duration.ofMillis(20)))
                .build();
        try (TwoNodes cluster = new TwoNodes(temp, FIXTURE, options(), slow)) {
            haveDatabasesLog(cluster);
            StreamRequest request = new StreamRequest(cluster.sourceNode, cluster.table, TokenRanges.FULL);
            var result = cluster.target.execute(new StreamPlan(cluster.planId, Operation.REPLACE, List.of(request)));
            await().until(() -> !lines.with("data connection 0").isEmpty());
            cluster.source.revokePins(cluster.table, "for a test").get(10, SECONDS);
            await().until(() -> !lines.with("retrying in").isEmpty());
            cluster.target.pause(cluster.planId);
            cluster.target.resume(cluster.planId);
            cluster.source.close();
            cluster.target.cancel(cluster.planId, "for a test");
            assertThat(result.get(30, SECONDS).isComplete()).isFalse();
            cluster.assertNothingIsLeftBehind();

            assertAllNameThePlan(cluster);
            assertThat(lines.with("retrying in"))
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line.keys())
                            .containsEntry("peer", cluster.sourceNode.id().toString()));
            assertThat(lines.with("revoked the pins")).isNotEmpty();
        }
    }

    @Test
    void of_a_plan_of_a_table_that_nobody_knows() throws Exception {
        try (TwoNodes cluster = new TwoNodes(temp, FIXTURE, options())) {
            cluster.sourceStore.hidden.add(cluster.table.id());

            assertThat(cluster.fetchAll().isComplete()).isFalse();
            cluster.assertNothingIsLeftBehind();

            assertThat(lines.with("cannot pin table"))
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line.keys())
                            .containsEntry("plan", cluster.planId.toString())
                            .containsEntry("table", cluster.table.id().toString()));
        }
    }

    @Test
    void of_a_planning_whose_source_is_down() throws Exception {
        Node down = TestTables.node("down").withTokens(List.of(new Token(0)));
        Node dead = TestTables.node("dead").withTokens(List.of(new Token(100)));
        Node self = TestTables.node("self");
        Map<TableRef, Ring> rings = Map.of(TestTables.table(0), new Ring(List.of(down, dead), 2));
        try (StreamingNode planner = StreamingNode.start(self, options(), TestTables.store(temp, 1, 0))) {
            assertThat(planner.plan(new TopologyChange.Replace(dead, self), rings))
                    .failsWithin(Duration.ofSeconds(30));
        }

        assertThat(lines.with(": planning "))
                .singleElement()
                .satisfies(line ->
                        assertThat(line.text()).startsWith("plan " + line.keys().get("plan") + ":"));
        assertThat(lines.with(" did not answer"))
                .isNotEmpty()
                .allSatisfy(line ->
                        assertThat(line.text()).startsWith("plan " + line.keys().get("plan") + ":"))
                .allSatisfy(line ->
                        assertThat(line.keys()).containsEntry("peer", down.id().toString()));
    }

    @Test
    void but_not_of_what_no_plan_has_caused() throws Exception {
        try (TwoNodes cluster = new TwoNodes(temp, FIXTURE, options())) {
            assertThat(cluster.fetchAll().isComplete()).isTrue();
            for (int i = 0; i < 5; i++) {
                sendNonsense(cluster.targetNode.address().port());
            }
            await().until(() -> lines.with("refused 127.0.0.1").size() == 5);
        }

        assertThat(lines.with("refused 127.0.0.1"))
                .allSatisfy(line -> assertThat(line.keys()).isEmpty());
        assertThat(lines.with("listens on"))
                .allSatisfy(line -> assertThat(line.keys()).isEmpty());
    }

    private static void sendNonsense(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().readAllBytes();
        } catch (java.net.SocketException reset) {
            // it was refused
        }
    }

    @Test
    void the_keys_are_those_that_the_guide_names() throws IOException {
        String guide = java.nio.file.Files.readString(Path.of("..", "docs", "operations.md"));

        for (String key : List.of(LogKeys.PLAN, LogKeys.PEER, LogKeys.TABLE)) {
            assertThat(guide).contains("| `" + key + "` |");
        }
    }
}
