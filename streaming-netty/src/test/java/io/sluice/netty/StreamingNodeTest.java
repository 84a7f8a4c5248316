package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.Deadlines;
import io.sluice.streaming.Limit;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes, real sockets, real SSTables of real Cassandra. */
@ExtendWith(LeakCheck.class)
class StreamingNodeTest {
    @TempDir
    Path temp;

    @Test
    void moves_whole_tables_as_rows_if_files_are_switched_off() throws Exception {
        StreamOptions noFiles =
                StreamOptions.builder().streamEntireSSTables(false).build();
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("multi_sstable").resolve("nb"), noFiles)) {
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
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("netflix").resolve("nb"), noFiles)) {
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
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("netflix").resolve("nb"))) {
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
    void names_a_damaged_index_as_damage_and_not_as_a_broken_disk() throws Exception {
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("netflix").resolve("oa"))) {
            SSTable victim = cluster.sourceSSTables().get(0);
            Path index = victim.path(Component.INDEX);
            byte[] whole = Files.readAllBytes(index);
            Files.write(index, Arrays.copyOf(whole, whole.length / 2));

            PlanResult result = cluster.fetch(
                    cluster.table,
                    TokenRanges.of(new TokenRange(
                            victim.firstToken(), new Token(victim.lastToken().value() - 1))));

            assertThat(result.isComplete()).isFalse();
            assertThat(result.tables().get(0).reason())
                    .contains("CORRUPT_AT_SOURCE")
                    .contains("Index.db at offset");
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
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("multi_sstable").resolve("nb"), slow)) {
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
        try (TwoNodes cluster = new TwoNodes(temp, temp.resolve("long"))) {
            assertThat(cluster.sourceSSTables().get(0).lengthBytes(Component.DATA))
                    .isGreaterThan(Extent.MAX_LENGTH_BYTES);

            assertThat(cluster.fetchAll().isComplete()).isTrue();

            cluster.assertTargetEqualsSource();
        }
    }

    @Test
    void tells_planners_what_it_holds() throws Exception {
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("multi_sstable").resolve("nb"))) {
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
        Duration second = Duration.ofSeconds(1);
        StreamOptions impatient = StreamOptions.builder()
                .deadlines(new Deadlines(second.dividedBy(5), second, second, second, second))
                .build();
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                TwoNodes cluster =
                        new TwoNodes(temp, TwoNodes.FIXTURES.resolve("kv").resolve("nb"), impatient)) {
            Node frozen =
                    new Node(UUID.randomUUID(), "frozen", new Address("127.0.0.1", silent.getLocalPort()), List.of());

            assertThatThrownBy(() -> cluster.target
                            .spans(frozen, Map.of(cluster.table, TokenRanges.FULL))
                            .get(20, SECONDS))
                    .hasMessageContaining("frozen did not answer a query within 1 s");
        }
    }

    @Test
    void a_closed_node_says_that_it_is_closed() throws Exception {
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("kv").resolve("nb"))) {
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
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("kv").resolve("nb"))) {
            PlanResult first = cluster.fetchAll();
            PlanResult second = cluster.fetchAll();

            assertThat(second).isEqualTo(first);
            assertThat(cluster.targetStore.live).hasSize(1);
        }
    }

    @Test
    void refuses_another_plan_under_the_same_id() throws Exception {
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("kv").resolve("nb"))) {
            cluster.fetchAll();

            assertThatThrownBy(() -> cluster.fetch(cluster.table, TokenRanges.of(TokenRange.of(1, 2))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("has the id of another plan");
        }
    }

    @Test
    void refuses_a_plan_for_what_another_one_is_fetching() throws Exception {
        StreamOptions slow = StreamOptions.builder()
                .throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 64 << 10)
                .build();
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("many").resolve("nb"), slow)) {
            StreamRequest request = new StreamRequest(cluster.sourceNode, cluster.table, TokenRanges.FULL);
            var first = cluster.target.execute(new StreamPlan(cluster.planId, Operation.REPLACE, List.of(request)));

            StreamPlan other = new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request));

            PlanResult second = cluster.target.execute(other).get(20, SECONDS);

            assertThat(second.tables().get(0).reason())
                    .startsWith("BUSY: plan " + cluster.planId)
                    .contains("wait for it, or cancel it");
            assertThat(second.ranges().get(0).outcome()).isEqualTo(PlanResult.Outcome.REFUSED);
            cluster.target.cancel(cluster.planId, "enough seen");
            assertThat(first.get(20, SECONDS).tables().get(0).reason()).contains("enough seen");
            cluster.target.throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 0);
            cluster.source.throughput(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, 0);
            assertThat(cluster.target.execute(other).get(20, SECONDS).isComplete())
                    .as("the refused plan, when it may run")
                    .isTrue();
        }
    }

    @Test
    void an_honest_plan_goes_on_beside_many_connections_that_say_nothing() throws Exception {
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("kv").resolve("nb"))) {
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
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("kv").resolve("nb"))) {
            cluster.targetStore.isDropping = true;

            PlanResult result = cluster.fetchAll();

            assertThat(result.tables().get(0).reason()).contains("is being dropped");
            assertThat(cluster.targetStore.live).isEmpty();
        }
    }

    @Test
    void installs_nothing_when_the_source_is_corrupt() throws Exception {
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("netflix").resolve("nb"))) {
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
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("kv").resolve("nb"))) {
            cluster.sourceStore.hidden.add(cluster.table.id());

            PlanResult result = cluster.fetchAll();

            assertThat(result.tables().get(0).reason()).contains("UNKNOWN_TABLE");
        }
    }

    @Test
    void fails_with_a_reason_when_nobody_listens() throws Exception {
        StreamOptions once =
                StreamOptions.builder().retries(CutAnywhereTest.ONCE).build();
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("kv").resolve("nb"), once)) {
            cluster.source.close();

            PlanResult result = cluster.fetchAll();

            assertThat(result.tables().get(0).reason()).contains("PEER_LOST").contains("source");
            cluster.assertNothingIsLeftBehind();
        }
    }

    @Test
    void sends_nothing_to_a_node_that_reads_the_table_otherwise() throws Exception {
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("kv").resolve("nb"))) {
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

    private static PlanResult execute(TwoNodes cluster, long epoch) throws Exception {
        StreamRequest request = new StreamRequest(cluster.sourceNode, cluster.table, TokenRanges.FULL);
        return cluster.target
                .execute(new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request), List.of(), epoch))
                .get(30, SECONDS);
    }

    @Test
    void refuses_an_operation_that_a_newer_one_has_replaced() throws Exception {
        try (TwoNodes cluster =
                new TwoNodes(temp, TwoNodes.FIXTURES.resolve("kv").resolve("nb"))) {
            assertThat(execute(cluster, 5).isComplete()).isTrue();

            PlanResult late = execute(cluster, 4);

            assertThat(late.tables().get(0).reason())
                    .startsWith("FENCED")
                    .contains("an operation of epoch 5")
                    .contains("4, the epoch of this operation");
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
}
