package io.sluice.cassandra.receive;

import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.ClusterView;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Takes a whole table: from each node that owns some of it all that it owns, so that a write which one replica has
 * missed comes from another. Up to four nodes give at once, each in a session of its own. If one fails, what the others
 * gave, if any did, stays in a folder beside the target, and the next attempt asks only who is missing. {@link #cancel}
 * and the counts are for any thread.
 */
public final class PullFromAll {
    private static final int MOST_AT_ONCE = 4;

    private final PulledParts parts;
    private final CassandraLinks links;
    private final List<Share> shares;
    private volatile boolean isCancelled;

    /**
     * What one node gives. Its pull is empty if an earlier attempt has brought it.
     *
     * @param part folder for it
     * @param unverified how many SSTables of an earlier attempt came without checksums of their data
     */
    private record Share(CassandraNode node, Path part, Optional<Pull> pull, int unverified) {}

    /**
     * What is wanted.
     *
     * @param tableId of the table in the cluster
     * @param target folder of the table, {@code <keyspace>/<table>-<id>}, which must not exist
     * @param timeout after how long without progress a session fails
     */
    public record Order(ClusterView view, String table, UUID tableId, Path target, Duration timeout) {}

    /**
     * How it ended.
     *
     * @param sstables in the target; none if {@code failures} are there, or no node has anything
     * @param failures reasons by node
     */
    public record Result(List<SSTable> sstables, Map<CassandraNode, String> failures) {
        public Result {
            sstables = List.copyOf(sstables);
            failures = Map.copyOf(failures);
        }
    }

    /**
     * Decides who is asked for what; asks nobody yet.
     *
     * @throws java.nio.file.FileAlreadyExistsException if the target exists
     */
    public PullFromAll(Order order, CassandraLinks links) throws IOException {
        this.parts = PulledParts.at(order.target());
        this.links = links;
        List<Share> all = new ArrayList<>();
        for (Map.Entry<CassandraNode, TokenRanges> one : order.view().owned().entrySet()) {
            if (!one.getValue().isEmpty()) {
                all.add(share(order, one.getKey(), one.getValue()));
            }
        }
        all.sort(Comparator.comparing(share -> share.node().toString()));
        this.shares = List.copyOf(all);
    }

    private Share share(Order order, CassandraNode node, TokenRanges owned) throws IOException {
        Path part = parts.of(node, owned);
        if (Files.exists(part)) {
            return new Share(node, part, Optional.empty(), PulledParts.unverified(part));
        }
        var pull = new Pull.Order(
                node.streaming(),
                order.view().keyspace(),
                order.table(),
                order.tableId(),
                owned,
                part,
                order.timeout());
        return new Share(node, part, Optional.of(new Pull(pull, links, PulledParts::note)), 0);
    }

    /** Whom it asks, by node; how their logs name the session. */
    public Map<CassandraNode, UUID> plans() {
        Map<CassandraNode, UUID> plans = new HashMap<>();
        shares.forEach(share -> share.pull().ifPresent(pull -> plans.put(share.node(), pull.planId())));
        return plans;
    }

    /** Where the SSTables of each node lie until all are there. */
    public Path partsFolder() {
        return parts.folder();
    }

    /**
     * Whether a node has given what it owns, in this attempt or an earlier one, and it lies in {@link #partsFolder}.
     */
    public boolean hasParts() {
        return shares.stream().anyMatch(share -> Files.exists(share.part()));
    }

    /** Nodes that are not asked, since an earlier attempt has brought what they own. */
    public List<CassandraNode> here() {
        return shares.stream()
                .filter(share -> share.pull().isEmpty())
                .map(Share::node)
                .toList();
    }

    /** Bytes that the nodes will send, as far as they have said. */
    public long promisedBytes() {
        return pulls().stream().mapToLong(Pull::promisedBytes).sum();
    }

    /** Bytes of files that were received in this attempt. */
    public long receivedBytes() {
        return pulls().stream().mapToLong(Pull::receivedBytes).sum();
    }

    /** How many SSTables came without checksums of their data, in this attempt or an earlier one. */
    public int unverified() {
        return shares.stream()
                .mapToInt(share ->
                        share.unverified() + share.pull().map(Pull::unverified).orElse(0))
                .sum();
    }

    private List<Pull> pulls() {
        return shares.stream().flatMap(share -> share.pull().stream()).toList();
    }

    /** Ends all sessions as failed, and begins no other; what was received of others stays for the next attempt. */
    public void cancel() {
        isCancelled = true;
        pulls().forEach(Pull::cancel);
    }

    /**
     * Asks all nodes that are missing, and makes the target if all have given.
     *
     * @throws IOException if the disk fails, or another process makes the target
     */
    public Result run() throws IOException, InterruptedException {
        FolderLock lock = parts.lock();
        try {
            for (Share share : shares) {
                if (share.pull().isEmpty() && !Files.exists(share.part())) {
                    throw new NoSuchFileException(share.part() + ": removed by another command (begin again)");
                }
            }
            return runAlone();
        } finally {
            lock.close();
        }
    }

    private Result runAlone() throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(MOST_AT_ONCE);
        Map<CassandraNode, String> failures = new HashMap<>();
        try {
            Map<Share, Future<List<SSTable>>> running = new LinkedHashMap<>();
            shares.forEach(share -> share.pull()
                    .ifPresent(
                            pull -> running.put(share, threads.submit(() -> isCancelled ? cancelled() : pull.run()))));
            for (Map.Entry<Share, Future<List<SSTable>>> one : running.entrySet()) {
                failure(one.getValue())
                        .ifPresent(reason -> failures.put(one.getKey().node(), reason));
            }
        } finally {
            threads.shutdownNow();
        }
        if (!failures.isEmpty()) {
            parts.removeIfEmpty();
            return new Result(List.of(), failures);
        }
        return new Result(parts.install(shares.stream().map(Share::part).toList()), failures);
    }

    private static List<SSTable> cancelled() {
        throw new StreamException(ErrorCode.CANCELLED, "cancelled");
    }

    private static Optional<String> failure(Future<List<SSTable>> pull) throws IOException, InterruptedException {
        try {
            pull.get();
            return Optional.empty();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StreamException failed) {
                return Optional.of(String.valueOf(failed.getMessage()));
            }
            if (e.getCause() instanceof IOException disk) {
                throw new IOException(disk.getMessage(), disk);
            }
            throw new StreamException(ErrorCode.INTERNAL, "a pull ended by " + e.getCause(), e);
        }
    }
}
