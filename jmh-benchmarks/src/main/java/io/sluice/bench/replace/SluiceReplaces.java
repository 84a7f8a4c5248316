package io.sluice.bench.replace;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.sluice.bench.process.Machine;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.FetchState.Phase;
import io.sluice.harness.admin.RingTables;
import io.sluice.harness.admin.RingView;
import io.sluice.harness.cluster.Cluster;
import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.cluster.ProcessUsage;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.report.SluiceVersion;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What {@code ./sluice replace-node} does: nodes of its own with the files of Cassandra's. Not thread-safe. */
final class SluiceReplaces implements Contender {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long POLL_MILLIS = 20;

    private final Arena arena;
    private final List<List<Long>> tokens;
    private final SluiceConfig config;

    /** @param tokens of each node of Cassandra, in their order */
    SluiceReplaces(Arena arena, List<List<Long>> tokens, SluiceConfig config) {
        this.arena = arena;
        this.tokens = tokens;
        this.config = config;
    }

    @Override
    public String name() {
        return SluiceVersion.TEXT;
    }

    @Override
    public String what() {
        return "nodes of ./sluice replace-node with the same files and tokens, all processes new in each repetition: from"
                + " the order to replace until the table is installed. It compares every byte with a checksum of its"
                + " source, and all is synced before it is installed.";
    }

    @Override
    public boolean isVerified() {
        return true;
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    /** When it was over, and what the replacement then said. */
    private record End(long nanos, FetchState state) {}

    @Override
    public Replacement replace(Consumer<String> told) throws IOException, InterruptedException {
        told.accept("nodes start");
        double load = Machine.load();
        Path joinedHome = home(arena.nodes().size() + 1);
        try (Cluster cluster = new Cluster(arena.home(), config)) {
            List<Node> members = new ArrayList<>();
            for (int i = 0; i < arena.nodes().size(); i++) {
                members.add(node(i + 1, tokens.get(i), cluster));
            }
            Node dead = members.get(members.size() - 1);
            Node joining = node(members.size() + 1, tokens.get(members.size() - 1), cluster)
                    .in(dead.location().dc(), dead.location().rack());
            List<NodeProcess> sources = cluster.start(members.subList(0, members.size() - 1));
            NodeProcess replacement = cluster.start(List.of(joining)).get(0);
            arena.prepareMemory();
            told.accept("they stream");
            Ring ring = new Ring(members, new Replication.Simple(ReplaceCase.REPLICAS));
            AdminRequests.Fetch order = new AdminRequests.Fetch(
                    UUID.randomUUID(),
                    new TopologyChange.Replace(dead, joining),
                    List.of(new RingTables(RingView.of(ring), List.of(table()))));
            return replace(order, replacement, sources, load, told);
        } finally {
            delete(joinedHome);
        }
    }

    private Replacement replace(
            AdminRequests.Fetch order,
            NodeProcess replacement,
            List<NodeProcess> sources,
            double load,
            Consumer<String> told)
            throws IOException, InterruptedException {
        CpuMeter receiver = CpuMeter.start(List.of(replacement::usage));
        List<Supplier<ProcessUsage>> usages = new ArrayList<>();
        sources.forEach(source -> usages.add(source::usage));
        CpuMeter senders = CpuMeter.start(usages);
        long began = System.nanoTime();
        replacement.admin().fetch(order);
        End end = awaitEnd(order.planId(), replacement);
        double receiverCpu = receiver.seconds();
        double sourceCpu = senders.seconds();
        requireInstalled(end.state());
        told.accept("what was received is compared");
        List<SSTable> came = came(replacement.home());
        arena.requireSame(name(), came);
        List<SessionProgress> sessions = end.state().sessions();
        return new Replacement(
                (end.nanos() - began) / NANOS_PER_SECOND,
                Optional.empty(),
                receiverCpu,
                sourceCpu,
                sessions.stream().mapToLong(SessionProgress::bytesReceived).sum(),
                came.size(),
                modes(sessions),
                load);
    }

    /**
     * Looks every few milliseconds. Between two looks the node itself knows how long it has streamed, so that the end
     * is known more exactly than by the look that saw it.
     */
    private static End awaitEnd(UUID plan, NodeProcess replacement) throws IOException, InterruptedException {
        Optional<Long> streamsSince = Optional.empty();
        while (true) {
            Thread.sleep(POLL_MILLIS);
            FetchState state = replacement.admin().fetchState(plan);
            long now = System.nanoTime();
            if (state.phase() == Phase.STREAMING && streamsSince.isEmpty()) {
                streamsSince = Optional.of(now - state.streamingNanos());
            }
            if (state.hasEnded()) {
                long ended = streamsSince
                        .map(since -> since + state.streamingNanos())
                        .orElse(now);
                return new End(Math.min(ended, now), state);
            }
        }
    }

    private void requireInstalled(FetchState state) throws IOException {
        boolean isInstalled = state.result().isPresent() && state.result().get().isComplete();
        if (!isInstalled) {
            throw new IOException(name() + ": not installed: "
                    + state.failure()
                            .map(Object::toString)
                            .orElseGet(() -> state.result().toString())
                    + " (logs: " + arena.home() + ")");
        }
    }

    private List<SSTable> came(NodeHome home) throws IOException {
        return TableFiles.open(GivenNode.of(home.data(), arena.dead().table())
                .orElseThrow(() -> new IOException(name() + ": no SSTable came to " + home.root())));
    }

    private static String modes(List<SessionProgress> sessions) {
        Map<String, Long> modes = sessions.stream()
                .flatMap(session -> session.offered().stream())
                .collect(Collectors.groupingBy(
                        offer -> offer.mode().name().toLowerCase(Locale.ROOT), TreeMap::new, Collectors.counting()));
        return modes.entrySet().stream()
                .map(mode -> mode.getValue() + " " + mode.getKey())
                .collect(Collectors.joining(", "));
    }

    private TableRef table() {
        return new TableRef(
                arena.dead().table().id(),
                arena.dead().table().keyspace(),
                arena.dead().table().name());
    }

    private Path home(int number) {
        return arena.home().resolve(name(number));
    }

    /** The folder of a node, in which the files of a node of Cassandra lie before it starts. */
    static String name(int number) {
        return "node" + number;
    }

    private static Node node(int number, List<Long> tokens, Cluster cluster) throws IOException {
        return new Node(
                        new UUID(0, number),
                        name(number),
                        cluster.freeAddress(number),
                        tokens.stream().map(Token::new).toList())
                .in("datacenter1", "rack1");
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }
}
