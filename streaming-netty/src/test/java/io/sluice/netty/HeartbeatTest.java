package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.netty.SilentProxy.Way;
import io.sluice.netty.security.TestAuthority;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.Limit;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.install.ForwardingFile;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A data connection on which nothing comes through is noticed by both ends, in whatever state it is, while the control
 * connection is well; one on which there is nothing to say lives on. The deadline for bytes is out of reach here. One
 * way alone, and connections without TLS: {@code SilentConnectionTest} of the simulation.
 */
@Timeout(90)
@ExtendWith(LeakCheck.class)
@Tag("full")
class HeartbeatTest {
    private static final Duration SILENCE = Duration.ofSeconds(4); // more than a busy machine stalls
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int DATA = 1; // the second connection: the first is the control connection
    private static final long SLOW = 4 << 20;

    @TempDir
    Path temp;

    private static StreamOptions.Builder options() {
        return StreamOptions.builder()
                .connectionsPerHost(1)
                .deadlines(new Deadlines(Duration.ofMillis(200), SILENCE, LONG, LONG, LONG));
    }

    private StreamingNode source(Node self, StreamOptions options) throws Exception {
        return StreamingNode.start(self, options, TestTables.store(temp.resolve("source"), 1, 40 << 20));
    }

    private StreamingNode receiver(StreamOptions options, Disk disk) throws Exception {
        return StreamingNode.start(
                TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 1, 0), disk);
    }

    private static StreamPlan plan(Node source, SilentProxy proxy) {
        return TestTables.plan(new Node(source.id(), source.name(), proxy.address(), List.of()), 0);
    }

    private static void requireInstalled(CompletableFuture<PlanResult> result) throws Exception {
        assertThat(result.get(30, SECONDS).tables()).allMatch(PlanResult.TableResult::installed, "installed");
    }

    @ParameterizedTest
    @CsvSource({
        // Before the welcome; a hello that is swallowed, too, is the same for the receiver.
        "TO_RECEIVER, 0",
        "BOTH, 0",
        // In the middle of an extent of 8 MiB.
        "BOTH, 3000000"
    })
    void a_connection_that_falls_silent_is_noticed_by_both_ends(Way way, long afterBytes) throws Exception {
        Node source = TestTables.node("source");
        try (StreamingNode sender = source(source, options().build());
                SilentProxy proxy = new SilentProxy(source.address(), DATA, way, afterBytes);
                StreamingNode receiver = receiver(options().build(), new FileSystemDisk())) {
            CompletableFuture<PlanResult> result = receiver.execute(plan(source, proxy));

            proxy.awaitBothGone();

            requireInstalled(result);
            assertThat(proxy.connections())
                    .as("control, the silent one, another")
                    .isEqualTo(3);
            assertThat(sender.counters().sessionsFailed()).isZero();
        }
    }

    @Test
    void also_one_on_which_nothing_was_asked_for() throws Exception {
        Node source = TestTables.node("source");
        try (StreamingNode sender = source(source, options().build());
                SilentProxy proxy = new SilentProxy(source.address(), DATA, Way.BOTH, Long.MAX_VALUE);
                StreamingNode receiver = receiver(
                        options()
                                .throughput(Limit.STREAM_THROUGHPUT_INBOUND, SLOW)
                                .build(),
                        new FileSystemDisk())) {
            StreamPlan plan = plan(source, proxy);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            pause(receiver, plan);
            assertThat(proxy.connections()).isEqualTo(2);

            proxy.mute();
            proxy.awaitBothGone();

            receiver.resume(plan.id());
            requireInstalled(result);
            assertThat(sender.counters().sessionsFailed()).isZero();
        }
    }

    @Test
    void one_that_has_nothing_to_say_lives_on() throws Exception {
        TestAuthority authority = new TestAuthority(temp.resolve("pki"), "authority");
        StreamOptions.Builder there = options().tls(authority.node("source", "127.0.0.1"));
        StreamOptions.Builder here =
                options().throughput(Limit.STREAM_THROUGHPUT_INBOUND, SLOW).tls(authority.node("target", "127.0.0.1"));
        Node source = TestTables.node("source");
        try (StreamingNode sender = source(source, there.build());
                SilentProxy proxy = new SilentProxy(source.address(), DATA, Way.BOTH, Long.MAX_VALUE);
                StreamingNode receiver = receiver(here.build(), new FileSystemDisk())) {
            StreamPlan plan = plan(source, proxy);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            pause(receiver, plan);

            Thread.sleep(3 * SILENCE.toMillis()); // longer than who has something to say may be silent

            receiver.resume(plan.id());
            requireInstalled(result);
            assertThat(proxy.connections()).isEqualTo(2);
            assertThat(sender.counters().sessionsFailed()).isZero();
        }
    }

    /** Asks for nothing more, and waits until what was asked for is here. */
    private static void pause(StreamingNode receiver, StreamPlan plan) throws Exception {
        await().until(() -> received(receiver, plan) > 0);
        receiver.pause(plan.id());
        receiver.throughput(Limit.STREAM_THROUGHPUT_INBOUND, 0);
        AtomicLong before = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(500)).until(() -> {
            long now = received(receiver, plan);
            return before.getAndSet(now) == now;
        });
    }

    private static long received(StreamingNode receiver, StreamPlan plan) throws Exception {
        return receiver.progress(plan.id()).get().stream()
                .mapToLong(SessionProgress::bytesReceived)
                .sum();
    }

    @Test
    void a_receiver_whose_disk_is_slow_says_that_it_lives() throws Exception {
        Node source = TestTables.node("source");
        StallingDisk disk = new StallingDisk();
        try (StreamingNode sender = source(source, options().build());
                SilentProxy proxy = new SilentProxy(source.address(), DATA, Way.BOTH, Long.MAX_VALUE);
                StreamingNode receiver = receiver(options().build(), disk)) {
            requireInstalled(receiver.execute(plan(source, proxy)));

            assertThat(disk.hasStalled).isTrue();
            assertThat(proxy.connections()).isEqualTo(2);
            assertThat(sender.counters().sessionsFailed()).isZero();
        }
    }

    /** A file that nobody writes to stands for a disk that does not answer: opening it does not return. */
    @Test
    void a_source_whose_disk_hangs_says_that_it_lives() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "needs mkfifo");
        Node source = TestTables.node("source");
        StreamOptions here = options()
                .deadlines(new Deadlines(Duration.ofMillis(200), SILENCE, LONG, SILENCE.multipliedBy(3), LONG))
                .retries(CutAnywhereTest.ONCE)
                .throughput(Limit.STREAM_THROUGHPUT_INBOUND, SLOW)
                .build();
        try (StreamingNode sender = source(source, options().build());
                StreamingNode receiver = receiver(here, new FileSystemDisk())) {
            StreamPlan plan = TestTables.plan(source, 0);
            CompletableFuture<PlanResult> result = receiver.execute(plan);
            pause(receiver, plan);
            List<Path> files = sourceFiles();
            for (Path file : files) {
                Files.delete(file);
                assertThat(new ProcessBuilder("/usr/bin/mkfifo", file.toString())
                                .start()
                                .waitFor())
                        .isZero();
            }
            receiver.resume(plan.id());

            assertThat(result.get(30, SECONDS).tables().get(0).reason())
                    .as("it is the bytes that are missed, not a heartbeat")
                    .contains("TIMEOUT: session with source: waited")
                    .contains("s for bytes");
            for (Path file : files) { // the disk answers
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)
                        .close();
            }
            await().until(() -> sender.sending().get().isEmpty());
        }
    }

    private List<Path> sourceFiles() throws IOException {
        try (Stream<Path> files = Files.list(TestTables.folder(temp.resolve("source"), TestTables.table(0)))) {
            return files.filter(file -> file.toString().endsWith("Data.db")).toList();
        }
    }

    /** One write takes longer than a peer may be silent. */
    private static final class StallingDisk implements ForwardingDisk {
        private final Disk real = new FileSystemDisk();
        final AtomicBoolean hasStalled = new AtomicBoolean();

        @Override
        public Disk real() {
            return real;
        }

        @Override
        public DiskFile create(Path file) throws IOException {
            DiskFile made = real.create(file);
            return new ForwardingFile() {
                @Override
                public DiskFile real() {
                    return made;
                }

                @Override
                public int write(ByteBuffer bytes, long position) throws IOException {
                    if (file.toString().endsWith("Data.db") && hasStalled.compareAndSet(false, true)) {
                        try {
                            Thread.sleep(3 * SILENCE.toMillis());
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    }
                    return ForwardingFile.super.write(bytes, position);
                }
            };
        }
    }
}
