package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.netty.metrics.StreamMeters;
import io.sluice.sstable.SSTable;
import io.sluice.streaming.Limit;
import io.sluice.streaming.memory.MemoryBudget;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.StreamActivity.StreamCounters;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.Relay;
import io.sluice.tools.Relay.Way;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a transfer leaves in counters, meters and flight recordings. */
@ExtendWith(LeakCheck.class)
class MetricsTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");

    @TempDir
    Path temp;

    private final CompletableFuture<Socket> control = new CompletableFuture<>();

    @Test
    void what_moved_is_counted_at_both_ends() throws Exception {
        try (TwoNodes cluster = new TwoNodes(temp, FIXTURE)) {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new StreamMeters(cluster.target, Tags.of("node", "target")).bindTo(registry);
            long bytes = 0;
            for (SSTable sstable : cluster.sourceSSTables()) {
                bytes += cluster.streamedBytes(sstable);
            }

            cluster.fetchAll();

            StreamCounters in = cluster.target.counters();
            assertThat(in.bytesReceived()).isEqualTo(bytes);
            assertThat(in.sstablesStaged()).isEqualTo(3);
            assertThat(in.installs()).isEqualTo(1);
            assertThat(in.socketReads()).isPositive();
            assertThat(in.fileWrites()).isPositive();
            assertThat(in.syncs()).isGreaterThan(3 * 7);
            assertThat(in.sessionsFailed()).isZero();
            System.gc(); // meters must outlive what bound them
            assertThat((long) registry.get("sluice.received")
                            .tag("node", "target")
                            .functionCounter()
                            .count())
                    .isEqualTo(bytes);
            assertThat((long) registry.get("sluice.queue.limit")
                            .tag("queue", "receiving")
                            .gauge()
                            .value())
                    .isEqualTo(MemoryBudget.DEFAULTS.receivingBytes());
            assertThat(registry.get("sluice.queue.used")
                            .tag("queue", "inventory")
                            .gauge()
                            .value())
                    .isZero();
            assertThat(registry.find("sluice.certificate.expires.in").timeGauge())
                    .as("in plain text")
                    .isNull();
            cluster.assertNothingIsLeftBehind();
            StreamCounters out = cluster.source.counters();
            assertThat(out.bytesSent()).isEqualTo(bytes);
            assertThat(out.regionsSent()).isPositive();
        }
    }

    private static double staged(SimpleMeterRegistry registry) {
        return registry.get("sluice.sstables.staged").functionCounter().count();
    }

    @Test
    void a_node_that_follows_another_of_the_same_name_is_measured_in_its_place() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Tags tags = Tags.of("node", "target");
        try (TwoNodes before = new TwoNodes(temp.resolve("before"), FIXTURE);
                TwoNodes after = new TwoNodes(temp.resolve("after"), FIXTURE)) {
            StreamMeters first = new StreamMeters(before.target, tags);
            first.bindTo(registry);
            before.fetchAll();
            assertThat(staged(registry)).isEqualTo(3);

            new StreamMeters(after.target, tags).bindTo(registry);

            assertThat(staged(registry)).isZero();
            after.fetchAll();
            first.close();
            assertThat(staged(registry)).isEqualTo(3);
            before.assertNothingIsLeftBehind();
            after.assertNothingIsLeftBehind();
        }
    }

    @Test
    void bound_twice_it_counts_once_and_closed_it_leaves_nothing() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (TwoNodes cluster = new TwoNodes(temp, FIXTURE)) {
            StreamMeters meters = new StreamMeters(cluster.target, Tags.empty());
            meters.bindTo(registry);
            meters.bindTo(registry);

            cluster.fetchAll();
            assertThat(registry.get("sluice.plans")
                            .tag("outcome", "complete")
                            .timer()
                            .count())
                    .isEqualTo(1);
            meters.close();

            assertThat(registry.getMeters()).isEmpty();
            cluster.assertNothingIsLeftBehind();
        }
    }

    @Test
    void a_flight_recording_tells_of_sessions_and_installs() throws Exception {
        Path file = temp.resolve("recording.jfr");
        try (Recording recording = new Recording();
                TwoNodes cluster = new TwoNodes(temp, FIXTURE)) {
            recording.enable("io.sluice.Session");
            recording.enable("io.sluice.Install");
            recording.start();
            cluster.fetchAll();
            cluster.assertNothingIsLeftBehind(); // closes both ends: they have written theirs
            recording.stop();
            recording.dump(file);

            List<RecordedEvent> events = RecordingFile.readAllEvents(file);
            assertThat(events).anySatisfy(event -> {
                assertThat(event.getEventType().getName()).isEqualTo("io.sluice.Install");
                assertThat(event.getInt("sstables")).isEqualTo(3);
            });
            for (String direction : List.of("in", "out")) {
                assertThat(events).anySatisfy(event -> {
                    assertThat(event.getEventType().getName()).isEqualTo("io.sluice.Session");
                    assertThat(event.getString("direction")).isEqualTo(direction);
                    assertThat(event.getString("plan")).isEqualTo(cluster.planId.toString());
                    assertThat(event.getLong("bytes")).isPositive();
                    assertThat(event.getString("failure")).isEmpty();
                });
            }
        }
    }

    @Test
    void bytes_that_were_here_before_have_not_moved_in_a_flight_recording() throws Exception {
        Path file = temp.resolve("recording.jfr");
        Node source = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp.resolve("source"), 1, 40 << 20); // SSTables of three extents each
        StreamOptions options = StreamOptions.builder().connectionsPerHost(1).build();
        long mark = bytesOf(temp.resolve("source")) * 3 / 4; // in the second SSTable, after its first extent
        try (Recording recording = new Recording();
                StreamingNode sender = StreamingNode.start(source, options, store);
                Relay relay = Relay.start(
                        new InetSocketAddress(
                                source.address().host(), source.address().port()),
                        (way, from, to) -> endSession(mark, way, from, to));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 1, 0))) {
            Node behind = TestTables.node(source.id(), "source", relay.address().getPort());
            recording.enable("io.sluice.Session");
            recording.start();

            PlanResult result = receiver.execute(TestTables.plan(behind, 0)).get(60, SECONDS);
            recording.stop();
            recording.dump(file);

            assertThat(result.isComplete()).isTrue();
            SessionProgress session = result.sessions().get(0);
            assertThat(session.bytesResumed()).as("of the first attempt").isPositive();
            assertThat(sender.counters().bytesSent()).isGreaterThanOrEqualTo(session.bytesReceived());
            assertThat(RecordingFile.readAllEvents(file)).anySatisfy(event -> {
                assertThat(event.getEventType().getName()).isEqualTo("io.sluice.Session");
                assertThat(event.getString("direction")).isEqualTo("in");
                assertThat(event.getString("failure")).isEmpty();
                assertThat(event.getLong("bytes")).isEqualTo(session.bytesReceived() - session.bytesResumed());
            });
        }
    }

    /** The data connection ends after so many bytes, and with the next one, after its bytes, the control connection. */
    private void endSession(long afterBytes, Way way, Socket from, Socket to) throws IOException, InterruptedException {
        if (way.equals(new Way(1, false))) {
            byte[] buffer = new byte[8 << 10];
            for (long left = afterBytes; left > 0; ) {
                int read = from.getInputStream().read(buffer, 0, (int) Math.min(buffer.length, left));
                to.getOutputStream().write(buffer, 0, read);
                left -= read;
            }
        } else if (way.connection() == 2) {
            control.join().close();
        } else {
            if (way.connection() == 0) {
                control.complete(from);
            }
            Relay.Rule.PASS.pass(way, from, to);
        }
    }

    private static long bytesOf(Path data) throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    @Test
    void a_flight_recording_tells_why_an_install_failed() throws Exception {
        Path file = temp.resolve("recording.jfr");
        try (Recording recording = new Recording();
                TwoNodes cluster = new TwoNodes(temp, FIXTURE)) {
            cluster.targetStore.isDropping = true;
            recording.enable("io.sluice.Install");
            recording.start();
            cluster.fetchAll();
            recording.stop();
            recording.dump(file);

            assertThat(RecordingFile.readAllEvents(file)).anySatisfy(event -> {
                assertThat(event.getEventType().getName()).isEqualTo("io.sluice.Install");
                assertThat(event.getString("failure")).contains("is being dropped");
            });
        }
    }

    @Test
    void streaming_yields_to_a_database_that_suffers_and_still_arrives() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        StreamOptions considerate = StreamOptions.builder()
                .throughput(Limit.STREAM_THROUGHPUT_INBOUND, 16 << 10) // long enough to be asked
                .foregroundLoad(() -> {
                    if (asked.incrementAndGet() > 20) {
                        throw new IllegalStateException("the database has a defect");
                    }
                    return true;
                })
                .build();
        try (TwoNodes cluster = new TwoNodes(temp, FIXTURE, considerate)) {
            assertThat(cluster.fetchAll().isComplete()).isTrue();
            cluster.assertTargetEqualsSource();
            assertThat(asked).hasPositiveValue();
        }
    }
}
