package io.sluice.cassandra.load;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.ClusterView;
import io.sluice.cassandra.ring.CqlCluster;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.Push;
import io.sluice.cassandra.send.SharedThrottle;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Loads the SSTables of a folder into a live cluster: {@link #prepare}, then once {@link #run}. The sessions with
 * different nodes run side by side, those with one node one after the other. {@link #progress} and {@link #cancel} are
 * for any thread.
 */
public final class BulkLoad {
    private final CqlCluster cluster;
    private final CassandraLinks links;
    private final LoadOptions options;
    private final Map<String, ClusterView> views;
    private final List<Delivery> deliveries;
    private final UUID planId = Uuids.timeBased();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong total; // about, until the slices of a delivery are cut
    private final AtomicLong slicesCut = new AtomicLong();
    private final List<Push> running = new ArrayList<>();
    private boolean isCancelled;

    private BulkLoad(
            CqlCluster cluster,
            CassandraLinks links,
            LoadOptions options,
            Map<String, ClusterView> views,
            List<Delivery> deliveries) {
        this.cluster = cluster;
        this.links = links;
        this.options = options;
        this.views = views;
        this.deliveries = List.copyOf(deliveries);
        this.total = new AtomicLong(
                deliveries.stream().mapToLong(Delivery::lengthBytes).sum());
    }

    /**
     * Finds the tables and who gets what of them; sends nothing.
     *
     * @param folder of a table, of a keyspace, or of all data
     * @param cluster and {@code links} stay the caller's to close, after the run
     * @throws StreamException if a table is unknown, or a node cannot take it
     */
    public static BulkLoad prepare(Path folder, CqlCluster cluster, CassandraLinks links, LoadOptions options)
            throws IOException {
        List<TableDirectory> tables = TableDirectory.find(folder);
        if (tables.isEmpty()) {
            throw new StreamException(
                    ErrorCode.UNKNOWN_TABLE, folder + ": no table (expected: folders <keyspace>/<table>-<id>)");
        }
        Map<String, ClusterView> views = new HashMap<>();
        Map<CassandraNode, Integer> versions = new HashMap<>();
        List<Delivery> deliveries = new ArrayList<>();
        for (TableDirectory directory : tables) {
            List<SSTable> sstables = new ArrayList<>();
            for (Descriptor descriptor : directory.descriptors()) {
                sstables.add(SSTable.open(directory.path(), descriptor));
            }
            if (sstables.isEmpty()) {
                continue;
            }
            String keyspace = options.keyspace().orElse(directory.keyspace());
            ClusterView view = views.computeIfAbsent(keyspace, cluster::view);
            List<Receiver> receivers = new ArrayList<>();
            view.owned()
                    .forEach((node, owned) -> receivers.add(new Receiver(
                            node, owned, versions.computeIfAbsent(node, unknown -> agreedVersion(unknown, links)))));
            receivers.sort(Comparator.comparing(receiver -> receiver.node().toString()));
            deliveries.addAll(LoadPlanner.plan(table(view, directory), sstables, receivers));
        }
        return new BulkLoad(cluster, links, options, views, deliveries);
    }

    private static LiveTable table(ClusterView view, TableDirectory directory) {
        return view.table(directory.name())
                .orElseThrow(() -> new StreamException(
                        ErrorCode.UNKNOWN_TABLE,
                        directory.path() + ": the cluster has no table " + view.keyspace() + "." + directory.name()
                                + " (create it as it was where the files come from)"));
    }

    private static int agreedVersion(CassandraNode node, CassandraLinks links) {
        try (OutgoingLink link = links.connect(node.streaming(), Optional.empty())) {
            return link.version();
        }
    }

    /** Who gets what. */
    public List<Delivery> deliveries() {
        return deliveries;
    }

    /** Of all sessions; how the nodes name the load in their logs. */
    public UUID planId() {
        return planId;
    }

    /** How far it is. */
    public LoadProgress progress() {
        long slices = deliveries.stream().mapToLong(Delivery::slices).sum();
        long already = sent.get(); // before the total, which never falls below it
        return new LoadProgress(already, total.get(), slicesCut.get(), slices);
    }

    /** Ends all sessions as failed, and starts no other. */
    public void cancel() {
        synchronized (running) {
            isCancelled = true;
            running.forEach(Push::cancel);
        }
    }

    /** Sends all, and waits for what the nodes say; a failed delivery stops no other. */
    public List<LoadResult> run() throws InterruptedException {
        if (deliveries.isEmpty()) {
            return List.of();
        }
        var throttle = new SharedThrottle(options.bytesPerSecond());
        Map<CassandraNode, List<Delivery>> byNode = deliveries.stream()
                .collect(Collectors.groupingBy(delivery -> delivery.receiver().node()));
        ExecutorService threads = Executors.newFixedThreadPool(byNode.size());
        try {
            List<Future<List<LoadResult>>> futures = new ArrayList<>();
            byNode.values().forEach(ofNode -> futures.add(threads.submit(() -> deliverAll(ofNode, throttle))));
            List<LoadResult> results = new ArrayList<>();
            for (Future<List<LoadResult>> future : futures) {
                results.addAll(future.get());
            }
            results.sort(Comparator.comparing(
                    result -> result.delivery().receiver().node().toString()));
            return results;
        } catch (ExecutionException defect) {
            throw new StreamException(ErrorCode.INTERNAL, "a delivery ended by " + defect.getCause(), defect);
        } finally {
            threads.shutdownNow();
        }
    }

    private List<LoadResult> deliverAll(List<Delivery> ofNode, SharedThrottle throttle) throws InterruptedException {
        List<LoadResult> results = new ArrayList<>();
        for (Delivery delivery : ofNode) {
            results.add(deliver(delivery, results.size(), throttle));
        }
        return results;
    }

    private LoadResult deliver(Delivery delivery, int sessionIndex, SharedThrottle throttle)
            throws InterruptedException {
        CassandraNode node = delivery.receiver().node();
        var order = new Push.Order(
                node.streaming(),
                planId,
                sessionIndex,
                delivery.table().id(),
                delivery.transfers(),
                options.connectionsPerHost(),
                options.timeout());
        AtomicLong ofThis = new AtomicLong();
        Push push = new Push(order, links, throttle, new Push.Listener() {
            @Override
            public void sent(long lengthBytes) {
                ofThis.addAndGet(lengthBytes);
                sent.addAndGet(lengthBytes);
            }

            @Override
            public void cut() {
                slicesCut.incrementAndGet();
            }

            @Override
            public void prepared(long lengthBytes) {
                total.addAndGet(lengthBytes - delivery.lengthBytes());
            }
        });
        synchronized (running) {
            running.add(push);
            if (isCancelled) {
                push.cancel();
            }
        }
        long start = System.nanoTime();
        Optional<String> failure =
                push.run().map(reason -> withCause(reason, node).toString());
        return new LoadResult(delivery, ofThis.get(), System.nanoTime() - start, failure);
    }

    private Failure withCause(Failure failure, CassandraNode node) {
        if (failure.code() != ErrorCode.PEER_LOST) {
            return failure;
        }
        return cluster.failureCause(planId, node)
                .map(cause -> new Failure(failure.code(), failure.reason() + "; the node says: " + cause))
                .orElse(failure);
    }

    /**
     * What changed in the cluster since {@link #prepare}, as a sentence: then some replicas may lack what was loaded.
     * Empty if ring and tables are as they were.
     */
    public Optional<String> changedMeanwhile() {
        for (ClusterView before : views.values()) {
            ClusterView now;
            try {
                if (cluster.isAs(before)) {
                    continue;
                }
                now = cluster.view(before.keyspace());
            } catch (StreamException gone) {
                return Optional.of("after the load: " + gone.getMessage());
            }
            if (!now.owned().equals(before.owned())) {
                return Optional.of("the ring of " + before.keyspace()
                        + " changed while it was loaded: load again, or run nodetool repair " + before.keyspace());
            }
            Optional<LiveTable> lost = deliveries.stream()
                    .map(Delivery::table)
                    .filter(table -> table.keyspace().equals(before.keyspace()))
                    .filter(table -> now.table(table.name())
                            .filter(there -> there.id().equals(table.id()))
                            .isEmpty())
                    .findFirst();
            if (lost.isPresent()) {
                return Optional.of(lost.get() + " was dropped while it was loaded: create it again, and load again");
            }
        }
        return Optional.empty();
    }
}
