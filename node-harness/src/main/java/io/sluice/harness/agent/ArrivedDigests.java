package io.sluice.harness.agent;

import io.sluice.harness.agent.AgentMessages.Fetch;
import io.sluice.harness.content.DigestWorkers;
import io.sluice.harness.content.StoredDigest;
import io.sluice.harness.content.StoredRuns;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRange;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How received SSTables store their ranges. Each is read when it has arrived, from the page cache and while others are
 * on their way, so that little is left to read when a coordinator asks. Thread-safe.
 */
final class ArrivedDigests {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivedDigests.class);

    private final DigestWorkers workers;
    private final Map<UUID, Fetch> orders;
    private final int maxRanges;

    // Guarded by this.
    private final Map<Descriptor, Begun> begun = new HashMap<>();
    private int heldRanges;

    /** What is read of an SSTable. */
    private record Begun(UUID planId, List<TokenRange> ranges, Future<StoredRuns> runs) {}

    /**
     * Reads nothing yet.
     *
     * @param orders of the plans that were started, by their ids; thread-safe
     * @param maxRanges of all SSTables together, for each of which a few hundred bytes are held; what is more is read
     *     when it is asked for
     */
    ArrivedDigests(DigestWorkers workers, Map<UUID, Fetch> orders, int maxRanges) {
        this.workers = workers;
        this.orders = orders;
        this.maxRanges = maxRanges;
    }

    /** Begins to read an SSTable. */
    synchronized void begin(UUID planId, Path data) {
        Fetch order = orders.get(planId);
        Optional<Descriptor.Named> name = Descriptor.parse(String.valueOf(data.getFileName()));
        if (order == null || name.isEmpty()) {
            return;
        }
        List<TokenRange> ranges = order.ranges().ranges();
        if (ranges.size() <= maxRanges - heldRanges
                && !begun.containsKey(name.get().descriptor())) {
            heldRanges += ranges.size();
            begun.put(
                    name.get().descriptor(),
                    new Begun(planId, ranges, workers.begin(() -> Landings.open(data), ranges)));
        }
    }

    /**
     * The digest of each range, in their order.
     *
     * @param sstables all that a plan has brought of a table
     * @throws IOException if a file cannot be read, or the thread is interrupted while it waits
     */
    List<StoredDigest> of(List<SSTable> sstables, List<TokenRange> ranges) throws IOException {
        List<StoredRuns> runs = new ArrayList<>();
        List<SSTable> unread = new ArrayList<>();
        for (SSTable sstable : sstables) {
            take(sstable.descriptor(), ranges).ifPresentOrElse(runs::add, () -> unread.add(sstable));
        }
        runs.addAll(workers.verified(unread, ranges));
        return StoredRuns.digests(runs, ranges);
    }

    private Optional<StoredRuns> take(Descriptor sstable, List<TokenRange> ranges) throws IOException {
        Begun its;
        synchronized (this) {
            its = begun.remove(sstable);
            heldRanges -= its == null ? 0 : its.ranges().size();
        }
        if (its == null || !its.ranges().equals(ranges)) {
            return Optional.empty();
        }
        try {
            return Optional.of(its.runs().get());
        } catch (ExecutionException e) {
            LOG.debug("{} is read again: it was installed meanwhile, or cannot be read", sstable, e);
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while digests are computed");
        }
    }

    /** Ends what is read of plans that were forgotten. */
    synchronized void retainOrdered() {
        begun.values().removeIf(its -> {
            boolean isOver = !orders.containsKey(its.planId());
            if (isOver) {
                its.runs().cancel(true);
                heldRanges -= its.ranges().size();
            }
            return isOver;
        });
    }
}
