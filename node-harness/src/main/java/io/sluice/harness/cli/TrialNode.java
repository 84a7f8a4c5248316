package io.sluice.harness.cli;

import io.sluice.harness.admin.AdminClient;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.RingTables;
import io.sluice.harness.admin.RingView;
import io.sluice.harness.config.SluiceConfig;
import io.sluice.harness.node.NodeMain;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node in this process, which streams a table of another one so that its classes are loaded. What fails here costs
 * other processes only time: it ends the trial, and is no failure. Confined to one thread, which closes it.
 */
final class TrialNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrialNode.class);
    private static final String LOOPBACK = "127.0.0.1";
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int MAX_LOOKS = 1_000;
    private static final long STOP_SECONDS = 30;
    private static final Token HALF_RING = new Token(0);

    private final Node node;
    private final Path data;
    private final AdminClient client;
    private final CompletableFuture<Void> running;

    private TrialNode(Node node, Path data, AdminClient client, CompletableFuture<Void> running) {
        this.node = node;
        this.data = data;
        this.client = client;
        this.running = running;
    }

    /**
     * Starts it; it may not be up yet.
     *
     * @param data its data directory
     * @param home of Sluice
     * @param work for its token and its log
     */
    static TrialNode start(String name, Path data, Path home, Path work) throws IOException {
        Node node = new Node(UUID.randomUUID(), name, new Address(LOOPBACK, FreePort.onLoopback()), List.of(HALF_RING));
        Address admin = new Address(LOOPBACK, FreePort.onLoopback());
        Path token = AdminToken.file(work);
        AdminToken shared = AdminToken.readOrCreate(token);
        SluiceConfig config = SluiceConfig.read(home.resolve("conf/sluice.yaml"))
                .with(Map.of(
                        "node_name", name,
                        "node_id", node.id().toString(),
                        "storage_port", Integer.toString(node.address().port()),
                        "admin_port", Integer.toString(admin.port()),
                        "admin_token_file", token.toString(),
                        "data_file_directories", data.toString(),
                        "log_directory", work.toString()));
        // Not the common pool, which may have a single thread: a node takes one until it ends.
        CompletableFuture<Void> running =
                CompletableFuture.runAsync(() -> serve(config), task -> startDaemon("trial-" + name, task));
        return new TrialNode(node, data, new AdminClient(name, admin, shared), running);
    }

    private static void startDaemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true); // one that hangs must not keep the process
        thread.start();
    }

    private static void serve(SluiceConfig config) {
        try {
            NodeMain.run(config, false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    AdminClient client() {
        return client;
    }

    /** Whether it has not ended, up or not. */
    boolean isRunning() {
        return !running.isDone();
    }

    /** Waits until it is up; returns false if it will not be. */
    boolean isUp() {
        for (int looks = 0; looks < MAX_LOOKS && !running.isDone(); looks++) {
            try {
                client.status();
                return true;
            } catch (IOException notYet) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
        return false;
    }

    /**
     * Takes the place of a third node, which had all that {@code source} has: whole SSTables are sent.
     *
     * @return whether all of it was installed
     */
    boolean replaceAnother(TrialNode source) throws IOException {
        Node dead =
                new Node(UUID.randomUUID(), "dead", new Address(LOOPBACK, 1), List.of(new Token(Long.MAX_VALUE / 2)));
        return fetch(
                new TopologyChange.Replace(dead, node),
                new Ring(List.of(source.node, dead), new Replication.Simple(2)),
                source);
    }

    /**
     * Joins {@code source}, and gets half of all: SSTables are cut.
     *
     * @return whether all of it was installed
     */
    boolean takeHalfOf(TrialNode source) throws IOException {
        Node alone = new Node(
                source.node.id(), source.node.name(), source.node.address(), List.of(new Token(Long.MAX_VALUE)));
        return fetch(
                new TopologyChange.Bootstrap(node, false), new Ring(List.of(alone), new Replication.Simple(1)), source);
    }

    private boolean fetch(TopologyChange change, Ring ring, TrialNode source) throws IOException {
        List<TableRef> tables = new ArrayList<>();
        for (TableDirectory table : TableDirectory.find(source.data)) {
            tables.add(new TableRef(table.id(), table.keyspace(), table.name()));
        }
        UUID plan = UUID.randomUUID();
        client.fetch(new AdminRequests.Fetch(plan, change, List.of(new RingTables(RingView.of(ring), tables))));
        FetchState state = client.fetchState(plan);
        for (int looks = 0; looks < MAX_LOOKS && !state.hasEnded(); looks++) {
            LockSupport.parkNanos(LOOK_NANOS);
            state = client.fetchState(plan);
        }
        return state.result().filter(PlanResult::isComplete).isPresent();
    }

    @Override
    public void close() {
        try {
            if (isUp()) { // waits for one that is about to be
                client.stop();
            }
        } catch (IOException unanswered) {
            LOG.info("{} cannot be asked to stop: {}", node.name(), unanswered.getMessage());
        }
        running.exceptionally(logged -> null) // by the node
                .completeOnTimeout(null, STOP_SECONDS, TimeUnit.SECONDS) // one that hangs must not hold up a build
                .join();
    }
}
