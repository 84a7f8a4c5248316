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
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Loads the SSTables of a folder into a live cluster: {@link #prepare}, then {@link #run} once. Sessions with different
 * nodes run in parallel, sessions with the same node one after the other. Any thread may call {@link #progress} and
 * {@link #cancel}.
 */
public final class BulkLoad {
    private static final Pattern FRAME = Pattern.compile("at \\S+\\(.*|\\.{3} \\d+ more");
    private static final int MAX_REPORT_CHARS = 500;

    private final CqlCluster cluster;
    private final CassandraLinks links;
    private final LoadOptions options;
    private final Map<String, ClusterView> views;
    private final List<Delivery> deliveries;
    private final List<LeftOut> leftOut;
    private final Set<String> keyspacesLeftOut;
    private final List<ViewLeftOut> viewsLeftOut;
    private final UUID planId = Uuids.timeBased();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong total; // estimated until all slices of a delivery are cut
    private final AtomicLong slicesCut = new AtomicLong();
    private final List<Push> running = new ArrayList<>();
    private boolean isCancelled;

    private BulkLoad(
            CqlCluster cluster,
            CassandraLinks links,
            LoadOptions options,
            Map<String, ClusterView> views,
            List<Delivery> deliveries,
            List<LeftOut> leftOut,
            Set<String> keyspacesLeftOut,
            List<ViewLeftOut> viewsLeftOut) {
        this.cluster = cluster;
        this.links = links;
        this.options = options;
        this.views = views;
        this.deliveries = List.copyOf(deliveries);
        this.leftOut = List.copyOf(leftOut);
        this.keyspacesLeftOut = keyspacesLeftOut;
        this.viewsLeftOut = viewsLeftOut;
        this.total = new AtomicLong(
                deliveries.stream().mapToLong(Delivery::lengthBytes).sum());
    }

    /**
     * Finds the tables and decides which node receives what; sends nothing.
     *
     * @param folder of a table, of one of its snapshots, of a keyspace, or of all data, of which keyspaces of Cassandra
     *     itself are left out
     * @param cluster closed by the caller after the run, as are {@code links}
     * @throws StreamException if there is no SSTable, a table is unknown or has other columns, nobody owns any of it, a
     *     node cannot accept it or does not answer, or an ignored node is not in the ring, or is the only owner of some
     *     of the data
     */
    public static BulkLoad prepare(Path folder, CqlCluster cluster, CassandraLinks links, LoadOptions options)
            throws IOException {
        LoadedTables tables = LoadedTables.in(folder);
        IgnoredNodes.requireKnown(cluster.nodes(), options.ignored());
        Map<String, ClusterView> views = new HashMap<>();
        Map<CassandraNode, Integer> versions = new HashMap<>();
        List<Delivery> deliveries = new ArrayList<>();
        List<LeftOut> leftOut = new ArrayList<>();
        MatchedTables matched = MatchedTables.of(
                tables.tables(), options.keyspace(), keyspace -> views.computeIfAbsent(keyspace, cluster::view));
        for (MatchedTables.Match match : matched.tables()) {
            LiveTable table = match.table();
            List<SSTable> sstables = match.sstables();
            ClusterView view = match.view();
            Set<CassandraNode> ignored = IgnoredNodes.among(view.owned().keySet(), options.ignored());
            leftOut.addAll(IgnoredNodes.of(table, sstables, view.owned(), ignored));
            List<Receiver> receivers = new ArrayList<>();
            view.owned().forEach((node, owned) -> {
                if (!ignored.contains(node)) {
                    int version = versions.computeIfAbsent(node, unknown -> agreedVersion(unknown, links));
                    receivers.add(new Receiver(node, owned, version));
                }
            });
            receivers.sort(Comparator.comparing(receiver -> receiver.node().toString()));
            deliveries.addAll(LoadPlanner.plan(table, sstables, receivers));
        }
        return new BulkLoad(
                cluster, links, options, views, deliveries, leftOut, tables.leftOut(), matched.viewsLeftOut());
    }

    /** Agrees on a version with a node. Only of one to which there is no way the error says how to do without it. */
    static int agreedVersion(CassandraNode node, CassandraLinks links) {
        try (OutgoingLink link = links.connect(node.streaming(), Optional.empty())) {
            return link.version();
        } catch (StreamException e) {
            if (!isDown(e)) {
                throw e;
            }
            throw new StreamException(
                    ErrorCode.PEER_LOST,
                    e.getMessage() + " (start it, or load without it: --ignore "
                            + node.streaming().getAddress().getHostAddress() + ")",
                    e);
        }
    }

    private static boolean isDown(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) { // refused, or no answer
                return true;
            }
        }
        return false;
    }

    /** Which node receives what. */
    public List<Delivery> deliveries() {
        return deliveries;
    }

    /** What ignored nodes own of the data, and lack after the load. */
    public List<LeftOut> leftOut() {
        return leftOut;
    }

    /** Names of Cassandra's own keyspaces in the folder, of which nothing is loaded. */
    public Set<String> keyspacesLeftOut() {
        return keyspacesLeftOut;
    }

    /** Materialized views in the folder, by name, and whether the nodes write them. */
    public List<ViewLeftOut> viewsLeftOut() {
        return viewsLeftOut;
    }

    /** Plan id of all sessions; the nodes log the load under this id. */
    public UUID planId() {
        return planId;
    }

    /** Progress of the load so far. */
    public LoadProgress progress() {
        long slices = deliveries.stream().mapToLong(Delivery::slices).sum();
        long already = sent.get(); // read before the total, which is never less
        return new LoadProgress(already, total.get(), slicesCut.get(), slices);
    }

    /** Fails all sessions and starts no more. */
    public void cancel() {
        synchronized (running) {
            isCancelled = true;
            running.forEach(Push::cancel);
        }
    }

    /** Sends everything and waits for the nodes to confirm; a failed delivery does not stop the others. */
    public List<LoadResult> run() throws InterruptedException {
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
            throw new IllegalStateException(
                    "a delivery failed with " + defect.getCause() + " (others may be live: load again)", defect);
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
        AtomicLong ofAll = new AtomicLong(Long.MAX_VALUE); // until it is known
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
                ofAll.set(lengthBytes);
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
                push.run().map(reason -> withCause(reason, node) + visible(ofThis.get(), ofAll.get()));
        return new LoadResult(delivery, ofThis.get(), System.nanoTime() - start, failure);
    }

    /** A node adopts files, or writes their rows, only when it has all of a table. */
    static String visible(long sentBytes, long ofBytes) {
        return sentBytes < ofBytes
                ? " (nothing of it is visible there; load again)"
                : " (it was sent all, so it is not known what of it is visible there; load again)";
    }

    private Failure withCause(Failure failure, CassandraNode node) {
        if (failure.code() != ErrorCode.PEER_LOST) {
            return failure;
        }
        return cluster.failureCause(planId, node)
                .map(cause ->
                        new Failure(failure.code(), failure.reason() + "; the node reports: " + withoutFrames(cause)))
                .orElse(failure);
    }

    /** The lines of a node's report but the frames of its stack traces, in one line of bounded length. */
    static String withoutFrames(String report) {
        String lines = report.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !FRAME.matcher(line).matches())
                .collect(Collectors.joining("; "));
        return lines.length() <= MAX_REPORT_CHARS ? lines : lines.substring(0, MAX_REPORT_CHARS) + "…";
    }

    /**
     * Describes what changed in the cluster since {@link #prepare}; some replicas may then lack part of the load. Empty
     * if neither ring nor tables changed.
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
            Optional<String> change = deliveries.stream()
                    .map(Delivery::table)
                    .filter(table -> table.keyspace().equals(before.keyspace()))
                    .flatMap(table -> change(table, now.table(table.name())).stream())
                    .findFirst();
            if (change.isPresent()) {
                return change;
            }
        }
        return Optional.empty();
    }

    /** How a table that was loaded differs in what concerns its SSTables; empty if it does not. */
    static Optional<String> change(LiveTable before, Optional<LiveTable> now) {
        if (now.filter(there -> there.id().equals(before.id())).isEmpty()) {
            return Optional.of(before + " was dropped while it was loaded: create it again, and load again");
        }
        if (!now.get().attachedIndexes().equals(before.attachedIndexes())) {
            return Optional.of(before + " has other storage-attached indexes than when the load began, "
                    + now.get().attachedIndexes() + ", which may lack what was loaded: create these again");
        }
        return isAsBefore(before, now.get())
                ? Optional.empty()
                : Optional.of(before + " was altered while it was loaded: see whether the nodes can read what was"
                        + " loaded, and load again if something is missing");
    }

    /** Other options, or types that the table does not have, change nothing of what was loaded. */
    private static boolean isAsBefore(LiveTable before, LiveTable now) {
        boolean isKnown = before.columns().isPresent() && now.columns().isPresent();
        return isKnown
                ? now.columns().equals(before.columns())
                : withoutOptions(now.cql()).equals(withoutOptions(before.cql()));
    }

    private static String withoutOptions(String cql) {
        int end = cql.indexOf(") WITH ");
        return end < 0 ? cql : cql.substring(0, end);
    }
}
