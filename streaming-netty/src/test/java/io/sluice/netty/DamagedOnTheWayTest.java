package io.sluice.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.netty.FaultProxy.Fault;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.SessionSettings;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Bytes are changed, and connections cut, between two nodes: real sockets, real files, a table of five extents. */
@Timeout(120)
@ExtendWith(LeakCheck.class)
class DamagedOnTheWayTest {
    private static final String TABLE = "t-00000000000000000000000000000042";
    private static final int WINDOW_EXTENTS = 4;
    private static final Extent VICTIM =
            new Extent(0, Component.DATA, SessionSettings.EXTENT_LENGTH_BYTES, SessionSettings.EXTENT_LENGTH_BYTES);

    @TempDir
    Path temp;

    private final List<AutoCloseable> open = new ArrayList<>();
    private StreamingNode receiver;
    private TableRef table;

    @BeforeEach
    void start_the_receiver() throws IOException {
        receiver = start(node("receiver"));
        TableDirectory directory = TableDirectory.find(temp.resolve("receiver")).get(0);
        table = new TableRef(directory.id(), directory.keyspace(), directory.name());
    }

    @AfterEach
    void close_all() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private static Node node(String name) throws IOException {
        return new Node(UUID.randomUUID(), name, new Address("127.0.0.1", FreePort.onLoopback()), List.of());
    }

    private Path directory(String node) throws IOException {
        return Files.createDirectories(temp.resolve(node).resolve("ks").resolve(TABLE));
    }

    private StreamingNode start(Node node) throws IOException {
        directory(node.name());
        Path data = temp.resolve(node.name());
        StreamOptions options = StreamOptions.builder().connectionsPerHost(1).build();
        StreamingNode started = StreamingNode.start(node, options, new DirectoryStore(data, TableDirectory.find(data)));
        open.add(started);
        return started;
    }

    private Node source(String name) throws IOException {
        new DataSetWriter(DataSet.ofBytes(3, 36L << 20), Version.NB, WriterOptions.DEFAULTS).write(directory(name), 1);
        Node node = node(name);
        start(node);
        return node;
    }

    private FaultProxy between(Node source, BiFunction<Extent, Integer, Fault> script) throws IOException {
        FaultProxy proxy = new FaultProxy(source.address(), script);
        open.add(proxy);
        return proxy;
    }

    private StreamRequest from(Node source, Address address) {
        return new StreamRequest(new Node(source.id(), source.name(), address, List.of()), table, TokenRanges.FULL);
    }

    private PlanResult fetch(StreamRequest request, List<StreamRequest> alternates) throws Exception {
        return receiver.execute(new StreamPlan(UUID.randomUUID(), Operation.REPLACE, List.of(request), alternates))
                .get(100, SECONDS);
    }

    private List<SSTable> sstables(String node) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor :
                TableDirectory.find(temp.resolve(node)).get(0).descriptors()) {
            sstables.add(SSTable.open(directory(node), descriptor));
        }
        return sstables;
    }

    private void assertReceiverHasWhat(String source) throws IOException {
        assertThat(ContentDigest.of(sstables("receiver"), TokenRanges.FULL))
                .isEqualTo(ContentDigest.of(sstables(source), TokenRanges.FULL));
    }

    private static BiFunction<Extent, Integer, Fault> flip(int times) {
        return (extent, time) -> extent.equals(VICTIM) && time <= times ? Fault.FLIP : Fault.NONE;
    }

    @Test
    void only_the_extent_in_which_a_byte_was_changed_is_asked_for_again() throws Exception {
        for (int times = 1; times <= 2; times++) {
            Node source = source("source" + times);
            try (FaultProxy proxy = new FaultProxy(source.address(), flip(times))) {
                PlanResult result = fetch(from(source, proxy.address()), List.of());

                assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
                assertThat(proxy.passed()).hasSizeGreaterThanOrEqualTo(5).containsEntry(VICTIM, times + 1);
                proxy.passed().remove(VICTIM);
                assertThat(proxy.passed().values()).containsOnly(1);
            }
        }
    }

    @Test
    void a_way_that_damages_it_three_times_is_named_and_another_replica_sends() throws Exception {
        Node bad = source("source");
        Node good = source("replica");
        FaultProxy proxy = between(bad, flip(Integer.MAX_VALUE));

        PlanResult result = fetch(from(bad, proxy.address()), List.of(from(good, good.address())));

        assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
        assertThat(result.ranges()).extracting(range -> range.source().name()).containsOnly("replica");
        assertThat(proxy.passed()).containsEntry(VICTIM, 3);
        assertReceiverHasWhat("replica");
    }

    @Test
    void nothing_is_installed_if_nobody_else_has_it() throws Exception {
        Node source = source("source");
        FaultProxy proxy = between(source, flip(Integer.MAX_VALUE));

        PlanResult result = fetch(from(source, proxy.address()), List.of());

        assertThat(result.isComplete()).isFalse();
        assertThat(result.tables().get(0).reason())
                .contains("CORRUPT_IN_FLIGHT")
                .contains("nb-1-big-Data.db")
                .contains("corrupted in transit at offset 8388608")
                .contains("attempt 3 of 3");
        assertThat(sstables("receiver")).isEmpty();
    }

    @Test
    @Tag("full")
    void a_cut_in_the_middle_of_an_extent_costs_what_was_on_its_way() throws Exception {
        Node source = source("source");
        FaultProxy proxy =
                between(source, (extent, time) -> extent.equals(VICTIM) && time == 1 ? Fault.CUT : Fault.NONE);

        PlanResult result = fetch(from(source, proxy.address()), List.of());

        assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
        assertThat(proxy.passed()).containsEntry(VICTIM, 2);
        assertThat(proxy.passed().values().stream().filter(times -> times > 1).count())
                .isLessThanOrEqualTo(WINDOW_EXTENTS);
        assertReceiverHasWhat("source");
    }
}
