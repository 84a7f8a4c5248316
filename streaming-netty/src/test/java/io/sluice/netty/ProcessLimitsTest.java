package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.install.Disk;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.FileSystemDisk;
import io.sluice.streaming.install.ForwardingDisk;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that runs out of what the system lends it says so, and goes on when it has some again. */
@Timeout(120)
@Tag("full")
class ProcessLimitsTest {
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "kv", "nb");
    private static final int SPARE = 8;

    @TempDir
    Path temp;

    private static int descriptors(Process process) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            return (int) open.count();
        }
    }

    /** Descriptors of a node that does nothing: connections of the last session are closed some seconds after it. */
    private static int settled(Process process) throws Exception {
        AtomicInteger least = new AtomicInteger(Integer.MAX_VALUE);
        await().pollInterval(Duration.ofMillis(100))
                .during(Duration.ofSeconds(4))
                .until(() -> {
                    int now = descriptors(process);
                    return now >= least.getAndAccumulate(now, Math::min);
                });
        return least.get();
    }

    private static void copy(TwoNodes cluster, Path data) throws IOException {
        Path folder = data.resolve(cluster.table.keyspace())
                .resolve(cluster.sourceDirectory.getFileName().toString());
        Files.createDirectories(folder);
        try (Stream<Path> files = Files.list(cluster.sourceDirectory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, folder.resolve(file.getFileName()));
            }
        }
    }

    private static boolean fetch(TwoNodes cluster, Node source) throws Exception {
        StreamRequest request = new StreamRequest(source, cluster.table, TokenRanges.FULL);
        return cluster.target
                .execute(new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request)))
                .get(30, SECONDS)
                .isComplete();
    }

    @Test
    void a_node_without_file_descriptors_says_so_and_accepts_again_when_there_are_some() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "needs prlimit");
        int port = FreePort.onLoopback();
        try (TwoNodes cluster = new TwoNodes(temp, FIXTURE)) {
            Path data = temp.resolve("limited");
            copy(cluster, data);
            Path errors = temp.resolve("errors");
            List<String> words = JavaCommand.words(
                    List.of("-Xmx64m", "-Dlogback.configurationFile=quiet.xml"),
                    NodeProcess.class.getName(),
                    "limited",
                    port,
                    data,
                    0);
            List<Socket> sockets = new ArrayList<>();
            try (StartedProcess started =
                    StartedProcess.start(new ProcessBuilder(words).redirectError(errors.toFile()))) {
                Process process = started.process();
                started.awaitLine("ready");
                Node limited = NodeProcess.node("limited", port);
                assertThat(fetch(cluster, limited)).isTrue(); // all classes are loaded
                String limit = "--nofile=" + (settled(process) + SPARE);
                StartedProcess.run("/usr/bin/prlimit", "--pid", Long.toString(process.pid()), limit);

                for (int i = 0; i < 3 * SPARE; i++) {
                    sockets.add(new Socket(InetAddress.getLoopbackAddress(), port));
                }
                await().until(() -> Files.readString(errors).contains("cannot accept a connection"));
                for (Socket socket : sockets) {
                    socket.close();
                }

                assertThat(fetch(cluster, limited)).isTrue();
                assertThat(process.isAlive()).isTrue();
                assertThat(Files.readString(errors)).contains("EMFILE").contains("'ulimit -n'");
            }
        }
    }

    /** A process that has no descriptor left for the n-th file. */
    private static final class NoMoreFiles implements ForwardingDisk {
        private final Disk real = new FileSystemDisk();

        @Override
        public Disk real() {
            return real;
        }

        @Override
        public DiskFile create(Path file) throws IOException {
            if (file.toString().endsWith(".db")) {
                throw new IOException(file + ": Too many open files");
            }
            return real.create(file);
        }
    }

    @Test
    void a_plan_that_fails_for_want_of_descriptors_names_the_limit_and_the_setting() throws Exception {
        try (TwoNodes cluster = new TwoNodes(temp, FIXTURE)) {
            Path data = temp.resolve("third");
            String name = cluster.targetDirectory.getFileName().toString();
            Files.createDirectories(data.resolve(cluster.table.keyspace()).resolve(name));
            DirectoryStore store = new DirectoryStore(data, TableDirectory.find(data));
            RetryPolicy twice = new RetryPolicy(2, 2, Duration.ofMillis(10), Duration.ofMillis(10));
            Node third = NodeProcess.node("third", FreePort.onLoopback());
            try (StreamingNode node = StreamingNode.start(
                    third, StreamOptions.builder().retries(twice).build(), store, new NoMoreFiles())) {
                StreamRequest request = new StreamRequest(cluster.sourceNode, cluster.table, TokenRanges.FULL);
                PlanResult result = node.execute(new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request)))
                        .get(30, SECONDS);

                assertThat(result.tables().get(0).reason())
                        .contains("LIMIT")
                        .contains("create " + store.stagingDirectory())
                        .contains("EMFILE")
                        .contains("'ulimit -n'")
                        .contains("streaming_connections_per_host");
                assertThat(store.table(cluster.table.id())).map(TableRef::name).contains(cluster.table.name());
            }
        }
    }

    /**
     * One task that runs out of memory: at the first file, in the thread of a connection; or when an SSTable is synced.
     */
    private static final class NoMoreMemory implements ForwardingDisk {
        private final Disk real = new FileSystemDisk();
        private final boolean isInConnection;
        private final AtomicInteger thrown = new AtomicInteger();

        NoMoreMemory(boolean isInConnection) {
            this.isInConnection = isInConnection;
        }

        @Override
        public Disk real() {
            return real;
        }

        private void runOut(Path file) {
            if (file.toString().endsWith("Data.db") && thrown.getAndIncrement() == 0) {
                throw new OutOfMemoryError("Cannot reserve 1048576 bytes of direct buffer memory");
            }
        }

        @Override
        public DiskFile create(Path file) throws IOException {
            if (isInConnection) {
                runOut(file);
            }
            return real.create(file);
        }

        @Override
        public void syncFile(Path file) throws IOException {
            if (!isInConnection) {
                runOut(file);
            }
            real.syncFile(file);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 1", "false, 1", "true, 2", "false, 2"})
    void a_task_that_runs_out_of_memory_fails_with_the_settings_named_and_is_tried_again(
            boolean isInConnection, int attempts) throws Exception {
        Node source = TestTables.node("source");
        NoMoreMemory disk = new NoMoreMemory(isInConnection);
        StreamOptions options = StreamOptions.builder()
                .retries(new RetryPolicy(attempts, attempts, Duration.ofMillis(10), Duration.ofMillis(10)))
                .build();
        try (StreamingNode sender =
                        StreamingNode.start(source, options, TestTables.store(temp.resolve("source"), 1, 4 << 10));
                StreamingNode receiver = StreamingNode.start(
                        TestTables.node("target"), options, TestTables.store(temp.resolve("target"), 1, 0), disk)) {
            PlanResult result = receiver.execute(TestTables.plan(source, 0)).get(30, SECONDS);

            assertThat(disk.thrown).hasPositiveValue();
            await().until(() -> sender.sending().get().isEmpty()); // it may be the last to know of the end
            if (attempts == 1) {
                assertThat(result.tables().get(0).reason())
                        .contains("LIMIT")
                        .contains("Cannot reserve 1048576 bytes of direct buffer memory")
                        .contains("-Xmx")
                        .contains("streaming_memory");
            } else {
                assertThat(result.isComplete()).isTrue();
            }
        }
    }
}
