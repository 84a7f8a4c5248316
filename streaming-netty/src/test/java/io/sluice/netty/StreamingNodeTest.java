package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.ContentDigest;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.mode.TransferMode;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.SSTableSpan;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.OfferedAs;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.throttle.Limit;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two nodes, real sockets, real SSTables of real Cassandra. */
@ExtendWith(LeakCheck.class)
class StreamingNodeTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");

    @TempDir
    Path temp;

    static Stream<Path> fixtures() throws IOException {
        try (Stream<Path> fixtures = Files.list(FIXTURES)) {
            return fixtures
                    .flatMap(fixture -> Stream.of("nb", "oa", "da").map(fixture::resolve))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void moves_every_file_of_every_table_unchanged(Path fixture) throws Exception {
        try (Cluster cluster = new Cluster(temp, fixture)) {
            PlanResult result = cluster.fetchAll();

            assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
            cluster.assertTargetEqualsSource();
            cluster.assertNothingIsLeftBehind();
        }
    }

    /** Stretches that begin and end at, before and between partitions of the table. */
    private static TokenRanges someOf(List<SSTable> sstables, Random random) throws IOException {
        List<Token> tokens = new ArrayList<>();
        for (SSTable sstable : sstables) {
            try (PartitionCursor cursor = sstable.partitions()) {
                for (Optional<PartitionEntry> next = cursor.next(); next.isPresent(); next = cursor.next()) {
                    tokens.add(next.get().token());
                }
            }
        }
        List<TokenRange> ranges = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            long a = tokens.get(random.nextInt(tokens.size())).value();
            long b = random.nextBoolean()
                    ? tokens.get(random.nextInt(tokens.size())).value()
                    : random.nextLong();
            ranges.add(TokenRange.of(Math.max(Math.min(a, b), Long.MIN_VALUE + 1) - 1, Math.max(a, b)));
        }
        return TokenRanges.of(ranges);
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void moves_parts_of_every_table(Path fixture) throws Exception {
        try (Cluster cluster = new Cluster(temp, fixture)) {
            cluster.assertMovesParts(new Random(fixture.toString().hashCode()));
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void moves_parts_of_every_table_as_rows(Path fixture) throws Exception {
        StreamOptions noSlices = StreamOptions.builder().streamSlices(false).build();
        try (Cluster cluster = new Cluster(temp, fixture, noSlices)) {
            List<OfferedAs> offered =
                    cluster.assertMovesParts(new Random(fixture.toString().hashCode()));

            assertThat(offered)
                    .allMatch(offer -> offer.mode() == TransferMode.WHOLE
                            || (offer.mode() == TransferMode.ROWS
                                    && offer.reason().contains("stream_slices is false")));
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void moves_every_table_as_rows_if_the_database_asks_for_them(Path fixture) throws Exception {
        try (Cluster cluster = new Cluster(temp, fixture)) {
            cluster.sourceStore.onlyRows = "there is a view on it";

            List<OfferedAs> offered = cluster.assertMoves(TokenRanges.FULL);

            assertThat(offered)
                    .hasSameSizeAs(cluster.sourceSSTables())
                    .allMatch(offer -> offer.mode() == TransferMode.ROWS)
                    .allMatch(offer -> offer.reason().contains("there is a view on it"));
        }
    }

    @Test
    void moves_whole_tables_as_rows_if_files_are_switched_off() throws Exception {
        StreamOptions noFiles =
                StreamOptions.builder().streamEntireSSTables(false).build();
        try (Cluster cluster =
                new Cluster(temp, FIXTURES.resolve("multi_sstable").resolve("nb"), noFiles)) {
            assertThat(cluster.assertMoves(TokenRanges.FULL))
                    .hasSize(3)
                    .allMatch(offer -> offer.mode() == TransferMode.ROWS)
                    .allMatch(offer -> offer.reason().contains("stream_entire_sstables is false"));
        }
    }

    @Test
    void installs_no_rows_of_a_damaged_table() throws Exception {
        StreamOptions noFiles =
                StreamOptions.builder().streamEntireSSTables(false).build();
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("netflix").resolve("nb"), noFiles)) {
            flipLastByte(cluster.sourceSSTables().get(0).path(Component.DATA));

            PlanResult result = cluster.fetchAll();

            assertThat(result.isComplete()).isFalse();
            assertThat(result.tables().get(0).reason())
                    .contains("CORRUPT_AT_SOURCE")
                    .contains("rows of nb-")
                    .contains("CRC-32");
            assertThat(cluster.targetStore.live).isEmpty();
        }
    }

    @Test
    void sends_no_part_of_a_damaged_table() throws Exception {
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("netflix").resolve("nb"))) {
            SSTable victim = cluster.sourceSSTables().get(0);
            flipLastByte(victim.path(Component.DATA));

            PlanResult result = cluster.fetch(
                    cluster.table,
                    TokenRanges.of(new TokenRange(
                            victim.firstToken(), new Token(victim.lastToken().value()))));

            assertThat(result.isComplete()).isFalse();
            assertThat(result.tables().get(0).reason())
                    .contains("CORRUPT_AT_SOURCE")
                    .contains("Data.db at offset")
                    .contains("CRC-32");
            assertThat(cluster.targetStore.live).isEmpty();
            cluster.assertNothingIsLeftBehind();
        }
    }

    @Test
    void moves_unchanged_files_at_a_limited_rate() throws Exception {
        StreamOptions slow = StreamOptions.builder()
                .connectionsPerHost(1)
                .throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 4 << 20)
                .build();
        try (Cluster cluster =
                new Cluster(temp, FIXTURES.resolve("multi_sstable").resolve("nb"), slow)) {
            PlanResult result = cluster.fetchAll();

            assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
            cluster.assertTargetEqualsSource();
        }
    }

    @Test
    void moves_files_that_are_longer_than_any_extent() throws Exception {
        Path table = Files.createDirectories(temp.resolve("long/ks/t-51d1ce00e52711f18440cfee58406264"));
        new DataSetWriter(DataSet.ofBytes(7, 72L << 20), Version.NB, WriterOptions.DEFAULTS.withoutCompression())
                .write(table, 1);
        try (Cluster cluster = new Cluster(temp, temp.resolve("long"))) {
            assertThat(cluster.sourceSSTables().get(0).lengthBytes(Component.DATA))
                    .isGreaterThan(Extent.MAX_LENGTH_BYTES);

            assertThat(cluster.fetchAll().isComplete()).isTrue();

            cluster.assertTargetEqualsSource();
        }
    }

    @Test
    void tells_planners_what_it_holds() throws Exception {
        try (Cluster cluster =
                new Cluster(temp, FIXTURES.resolve("multi_sstable").resolve("nb"))) {
            Map<TableRef, List<SSTableSpan>> spans = cluster.target
                    .spans(cluster.sourceNode, Map.of(cluster.table, TokenRanges.FULL))
                    .get(20, SECONDS);

            assertThat(spans).containsOnlyKeys(cluster.table);
            assertThat(spans.get(cluster.table))
                    .hasSize(3)
                    .allSatisfy(span -> assertThat(span.lengthBytes()).isPositive());
        }
    }

    @Test
    void waits_for_no_answer_for_ever() throws Exception {
        StreamOptions impatient = StreamOptions.builder().keepAliveSeconds(1).build();
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                Cluster cluster = new Cluster(temp, FIXTURES.resolve("kv").resolve("nb"), impatient)) {
            Node frozen =
                    new Node(UUID.randomUUID(), "frozen", new Address("127.0.0.1", silent.getLocalPort()), List.of());

            assertThatThrownBy(() -> cluster.target
                            .spans(frozen, Map.of(cluster.table, TokenRanges.FULL))
                            .get(20, SECONDS))
                    .hasMessageContaining("frozen did not answer a query within 6 s");
        }
    }

    @Test
    void a_closed_node_says_that_it_is_closed() throws Exception {
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("kv").resolve("nb"))) {
            cluster.target.close();

            assertThatThrownBy(cluster::fetchAll).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> cluster.target
                            .spans(cluster.sourceNode, Map.of(cluster.table, TokenRanges.FULL))
                            .get(20, SECONDS))
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void executes_a_plan_only_once() throws Exception {
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("kv").resolve("nb"))) {
            PlanResult first = cluster.fetchAll();
            PlanResult second = cluster.fetchAll();

            assertThat(second).isEqualTo(first);
            assertThat(cluster.targetStore.live).hasSize(1);
        }
    }

    @Test
    void refuses_another_plan_under_the_same_id() throws Exception {
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("kv").resolve("nb"))) {
            cluster.fetchAll();

            assertThatThrownBy(() -> cluster.fetch(cluster.table, TokenRanges.of(TokenRange.of(1, 2))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("was another one before");
        }
    }

    @Test
    void refuses_a_plan_for_what_another_one_is_fetching() throws Exception {
        StreamOptions slow = StreamOptions.builder()
                .throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 64 << 10)
                .build();
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("many").resolve("nb"), slow)) {
            StreamRequest request = new StreamRequest(cluster.sourceNode, cluster.table, TokenRanges.FULL);
            var first = cluster.target.execute(new StreamPlan(cluster.planId, Operation.REPLACE, List.of(request)));

            PlanResult second = cluster.target
                    .execute(new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request)))
                    .get(20, SECONDS);

            assertThat(second.tables().get(0).reason())
                    .startsWith("BUSY: plan " + cluster.planId)
                    .contains("wait for it, or cancel it");
            assertThat(second.ranges().get(0).outcome()).isEqualTo(PlanResult.Outcome.REFUSED);
            cluster.target.cancel(cluster.planId, "enough seen");
            assertThat(first.get(20, SECONDS).tables().get(0).reason()).contains("enough seen");
        }
    }

    @Test
    void an_honest_plan_goes_on_beside_many_connections_that_say_nothing() throws Exception {
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("kv").resolve("nb"))) {
            List<Socket> silent = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                silent.add(new Socket(
                        InetAddress.getLoopbackAddress(),
                        cluster.sourceNode.address().port()));
            }
            int closed = 0;
            for (Socket socket : silent) {
                closed += isClosedByPeer(socket) ? 1 : 0;
            }
            assertThat(closed).isGreaterThanOrEqualTo(200);
            for (Socket socket : silent) {
                socket.close();
            }

            assertThat(cluster.fetchAll().isComplete()).isTrue();
        }
    }

    private static boolean isClosedByPeer(Socket socket) throws IOException {
        socket.setSoTimeout(5);
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Test
    void installs_nothing_when_the_database_gives_no_permit() throws Exception {
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("kv").resolve("nb"))) {
            cluster.targetStore.isDropping = true;

            PlanResult result = cluster.fetchAll();

            assertThat(result.tables().get(0).reason()).contains("is being dropped");
            assertThat(cluster.targetStore.live).isEmpty();
        }
    }

    @Test
    void installs_nothing_when_the_source_is_corrupt() throws Exception {
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("netflix").resolve("nb"))) {
            SSTable victim = cluster.sourceSSTables().get(0);
            flipLastByte(victim.path(Component.DATA));

            PlanResult result = cluster.fetchAll();

            assertThat(result.isComplete()).isFalse();
            assertThat(result.tables().get(0).reason())
                    .contains("CORRUPT_AT_SOURCE")
                    .contains("Data.db");
            assertThat(cluster.targetStore.live).isEmpty();
            cluster.assertNothingIsLeftBehind();
        }
    }

    @Test
    void fails_with_a_reason_when_the_source_does_not_know_the_table() throws Exception {
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("kv").resolve("nb"))) {
            cluster.sourceStore.hidden.add(cluster.table.id());

            PlanResult result = cluster.fetchAll();

            assertThat(result.tables().get(0).reason()).contains("UNKNOWN_TABLE");
        }
    }

    @Test
    void fails_with_a_reason_when_nobody_listens() throws Exception {
        StreamOptions once =
                StreamOptions.builder().retries(CutAnywhereTest.ONCE).build();
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("kv").resolve("nb"), once)) {
            cluster.source.close();

            PlanResult result = cluster.fetchAll();

            assertThat(result.tables().get(0).reason()).contains("PEER_LOST").contains("source");
            cluster.assertNothingIsLeftBehind();
        }
    }

    @Test
    void sends_nothing_to_a_node_that_reads_the_table_otherwise() throws Exception {
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("kv").resolve("nb"))) {
            cluster.sourceStore.schemaDigest = 0x11;
            cluster.targetStore.schemaDigest = 0x22;

            PlanResult result = cluster.fetchAll();

            assertThat(result.tables().get(0).reason())
                    .contains("SCHEMA")
                    .contains("0000000000000022 (expected: 0000000000000011, the source's)");
            assertThat(result.ranges().get(0).outcome()).isEqualTo(PlanResult.Outcome.REFUSED);
            assertThat(cluster.sourceStore.pins).hasValue(0);
        }
    }

    private static PlanResult execute(Cluster cluster, long epoch) throws Exception {
        StreamRequest request = new StreamRequest(cluster.sourceNode, cluster.table, TokenRanges.FULL);
        return cluster.target
                .execute(new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request), List.of(), epoch))
                .get(30, SECONDS);
    }

    @Test
    void refuses_an_operation_that_a_newer_one_has_replaced() throws Exception {
        try (Cluster cluster = new Cluster(temp, FIXTURES.resolve("kv").resolve("nb"))) {
            assertThat(execute(cluster, 5).isComplete()).isTrue();

            PlanResult late = execute(cluster, 4);

            assertThat(late.tables().get(0).reason())
                    .startsWith("FENCED")
                    .contains("an operation of epoch 5")
                    .contains("4, the epoch of this one");
            assertThat(late.ranges().get(0).outcome()).isEqualTo(PlanResult.Outcome.REFUSED);
            assertThat(execute(cluster, 5).isComplete()).isTrue();
        }
    }

    private static void flipLastByte(Path file) throws IOException {
        Files.setPosixFilePermissions(file, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 1] ^= 1;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.wrap(bytes));
        }
    }

    /** A source that holds a copy of one fixture, and a target that holds the same table empty. */
    static final class Cluster implements AutoCloseable {
        final Node sourceNode = node("source");
        final Node targetNode = node("target");
        final UUID planId = UUID.randomUUID();
        final DirectoryStore sourceStore;
        final DirectoryStore targetStore;
        final StreamingNode source;
        final StreamingNode target;
        final TableRef table;
        final Path sourceDirectory;
        final Path targetDirectory;

        Cluster(Path temp, Path fixture) throws IOException {
            this(temp, fixture, StreamOptions.builder().connectionsPerHost(2).build());
        }

        Cluster(Path temp, Path fixture, StreamOptions options) throws IOException {
            this(temp, fixture, options, options);
        }

        Cluster(Path temp, Path fixture, StreamOptions sourceOptions, StreamOptions targetOptions) throws IOException {
            TableDirectory original = TableDirectory.find(fixture).get(0);
            table = new TableRef(original.id(), original.keyspace(), original.name());
            String name = original.path().getFileName().toString();
            sourceDirectory = Files.createDirectories(
                    temp.resolve("source").resolve(table.keyspace()).resolve(name));
            targetDirectory = Files.createDirectories(
                    temp.resolve("target").resolve(table.keyspace()).resolve(name));
            try (Stream<Path> files = Files.list(original.path())) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, sourceDirectory.resolve(file.getFileName()));
                }
            }
            sourceStore = new DirectoryStore(temp.resolve("source"), TableDirectory.find(temp.resolve("source")));
            targetStore = new DirectoryStore(
                    temp.resolve("target"),
                    List.of(new TableDirectory(targetDirectory, table.keyspace(), table.name(), table.id())));
            source = StreamingNode.start(sourceNode, sourceOptions, sourceStore);
            try {
                target = StreamingNode.start(targetNode, targetOptions, targetStore);
            } catch (IOException | RuntimeException e) {
                source.close(); // else its threads are there in every test that follows
                throw e;
            }
        }

        PlanResult fetchAll() throws Exception {
            return fetch(table);
        }

        PlanResult fetch(TableRef wanted) throws Exception {
            return fetch(wanted, TokenRanges.FULL);
        }

        PlanResult fetch(TableRef wanted, TokenRanges ranges) throws Exception {
            StreamRequest request = new StreamRequest(sourceNode, wanted, ranges);
            return target.execute(new StreamPlan(planId, Operation.REPLACE, List.of(request)))
                    .get(30, SECONDS);
        }

        List<SSTable> sourceSSTables() throws IOException {
            return open(sourceDirectory);
        }

        private List<SSTable> open(Path directory) throws IOException {
            List<SSTable> sstables = new java.util.ArrayList<>();
            for (Descriptor descriptor :
                    new TableDirectory(directory, table.keyspace(), table.name(), table.id()).descriptors()) {
                sstables.add(SSTable.open(directory, descriptor));
            }
            sstables.sort(java.util.Comparator.comparing(SSTable::bytesOnDisk).thenComparing(SSTable::firstToken));
            return sstables;
        }

        long streamedBytes(SSTable sstable) {
            return sstable.components().stream()
                    .filter(Component::isStreamed)
                    .mapToLong(sstable::lengthBytes)
                    .sum();
        }

        /** Fetches some stretches, and returns how. */
        List<OfferedAs> assertMovesParts(Random random) throws Exception {
            return assertMoves(someOf(sourceSSTables(), random));
        }

        List<OfferedAs> assertMoves(TokenRanges wanted) throws Exception {
            List<SSTable> held = sourceSSTables();
            PlanResult result = fetch(table, wanted);

            assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
            List<SSTable> received = open(targetDirectory);
            for (SSTable sstable : received) {
                assertThat(Verification.verify(sstable).problems()).isEmpty();
            }
            assertThat(ContentDigest.of(received, TokenRanges.FULL)).isEqualTo(ContentDigest.of(held, wanted));
            assertNothingIsLeftBehind();
            return result.sessions().stream()
                    .flatMap(session -> session.offered().stream())
                    .toList();
        }

        void assertTargetEqualsSource() throws IOException {
            List<SSTable> sent = sourceSSTables();
            List<SSTable> received = open(targetDirectory);
            assertThat(received).hasSameSizeAs(sent);
            assertThat(targetStore.live).hasSameSizeAs(sent);
            for (SSTable original : sent) {
                assertThat(received).anySatisfy(copy -> assertSameFiles(original, copy));
            }
        }

        private static void assertSameFiles(SSTable original, SSTable copy) throws IOException {
            for (Component component : original.components()) {
                if (component.isStreamed()) {
                    assertThat(copy.path(component)).hasSameBinaryContentAs(original.path(component));
                }
            }
            assertThat(copy.components()).contains(Component.TOC);
        }

        void assertNothingIsLeftBehind() throws Exception {
            source.close();
            target.close();
            assertThat(sourceStore.pins).hasValue(0);
            for (DirectoryStore store : List.of(sourceStore, targetStore)) {
                try (Stream<Path> left = Files.list(store.stagingDirectory())) {
                    assertThat(left.map(path -> path.getFileName().toString())
                                    .filter(name -> !name.equals("complete-plans")))
                            .containsExactlyInAnyOrder("lock", "node");
                }
            }
        }

        private static Node node(String name) {
            try {
                return new Node(
                        TestTables.id(name),
                        name,
                        new Address("127.0.0.1", FreePort.onLoopback()),
                        List.of(new Token(name.hashCode())));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            source.close();
            target.close();
        }
    }
}
