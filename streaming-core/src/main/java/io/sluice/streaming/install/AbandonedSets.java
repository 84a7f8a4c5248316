package io.sluice.streaming.install;

import io.sluice.streaming.log.LogKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Staged sets of failed plans, retained within limits, and while their space is not needed, so that the next attempt
 * can resume. Thread-safe.
 */
final class AbandonedSets implements RetainedData {
    private static final Logger LOG = LoggerFactory.getLogger(AbandonedSets.class);
    private static final long HOUR_NANOS = 3_600_000_000_000L;

    private final Disk disk;
    private final Path root;
    private final Predicate<UUID> isDropped;
    private final StagingLimits limits;
    private final List<Kept> sets = new ArrayList<>();
    /** Sets that were too old at the last check, with the uptime of that check. */
    private final Map<Path, Long> foundOld = new HashMap<>();

    private record Kept(UUID tableId, Path directory, long bytes, long modifiedMillis) {}

    /** @param isDropped whether a table was dropped, so that its received data is never needed */
    AbandonedSets(Disk disk, Path root, Predicate<UUID> isDropped, StagingLimits limits) {
        this.disk = disk;
        this.root = root;
        this.isDropped = isDropped;
        this.limits = limits;
    }

    /** Retains a set; removes the oldest sets if the limit is exceeded. Returns the removed ones. */
    synchronized List<Path> add(UUID tableId, Path directory) throws IOException {
        giveBack(tableId, directory);
        // Retained sets must not use space that is needed. The newest stays: the next attempt needs it.
        List<Path> removed = new ArrayList<>();
        while (bytes() > (disk.usableBytes(root) + bytes()) / 100 * limits.keptPercent() && sets.size() > 1) {
            Kept oldest = sets.get(0);
            if (remove(oldest, "to free space")) {
                removed.add(oldest.directory());
            }
        }
        return removed;
    }

    /** Retains a set that was adopted and could not be used: what is retained has not grown, so nothing is removed. */
    synchronized void giveBack(UUID tableId, Path directory) throws IOException {
        long bytes = 0;
        for (Path file : disk.list(directory)) {
            bytes += disk.size(file);
        }
        insert(new Kept(tableId, directory, bytes, disk.modifiedMillis(directory.resolve(Journal.NAME))));
    }

    private void insert(Kept set) {
        sets.add(set);
        sets.sort(Comparator.comparingLong(Kept::modifiedMillis));
    }

    /** Removes the oldest set. */
    @Override
    public synchronized boolean removeNext() {
        if (sets.isEmpty()) {
            return false;
        }
        remove(sets.get(0), "its space is needed");
        return true;
    }

    /**
     * Removes sets that were too old at a check at least an hour of uptime ago and still are, and sets of dropped
     * tables.
     */
    void expire(long nowMillis, long uptimeNanos) {
        Set<UUID> dropped = new HashSet<>();
        for (UUID table : tables()) {
            if (isDropped.test(table)) { // without a lock: this calls the database
                dropped.add(table);
            }
        }
        expire(nowMillis, uptimeNanos, dropped);
    }

    private synchronized Set<UUID> tables() {
        return sets.stream().map(Kept::tableId).collect(Collectors.toSet());
    }

    private synchronized void expire(long nowMillis, long uptimeNanos, Set<UUID> dropped) {
        for (Kept set : List.copyOf(sets)) {
            if (dropped.contains(set.tableId())) {
                remove(set, "its table was dropped");
            } else if (nowMillis - set.modifiedMillis() < limits.keptAge().toMillis()) {
                foundOld.remove(set.directory());
            } else if (uptimeNanos - foundOld.computeIfAbsent(set.directory(), first -> uptimeNanos) >= HOUR_NANOS) {
                remove(set, "it is older than " + limits.keptAge());
            }
        }
    }

    /** Whether it is removed; if the disk fails, it is no longer retained, and the next start finds what is left. */
    private boolean remove(Kept set, String why) {
        sets.remove(set);
        foundOld.remove(set.directory());
        String plan = String.valueOf(parentOf(set.directory()).getFileName());
        LogKeys.Scope scope = new LogKeys(plan, null, set.tableId().toString()).enter();
        try {
            delete(set);
            LOG.info("{}: removed {} bytes of an interrupted transfer: {}", set.directory(), set.bytes(), why);
            return true;
        } catch (IOException e) {
            LOG.warn(
                    "{}: cannot remove {} bytes of an interrupted transfer ({}), trying again at the next start: {}",
                    set.directory(),
                    set.bytes(),
                    why,
                    e.getMessage(),
                    e);
            return false;
        } finally {
            scope.leave();
        }
    }

    private void delete(Kept set) throws IOException {
        for (Path file : disk.list(set.directory())) {
            disk.delete(file);
        }
        disk.delete(set.directory());
        removeIfEmpty(parentOf(set.directory()));
    }

    /** Whether a set of a table is retained. */
    synchronized boolean has(UUID tableId) {
        return sets.stream().anyMatch(set -> set.tableId().equals(tableId));
    }

    /**
     * Makes the retained data of a table available in {@code directory}: either it is there already, or the newest set
     * of another plan is renamed. Does nothing if there is neither.
     *
     * @return the bytes of the set, if there was one
     * @throws IOException if the disk fails; a set that it has not renamed stays retained
     */
    synchronized OptionalLong adopt(UUID tableId, Path directory) throws IOException {
        sets.removeIf(set -> set.tableId().equals(tableId) && isGone(set));
        Optional<Kept> own =
                sets.stream().filter(set -> set.directory().equals(directory)).findFirst();
        Optional<Kept> newest =
                sets.stream().filter(set -> set.tableId().equals(tableId)).reduce((older, newer) -> newer);
        if (own.isEmpty() && newest.isEmpty()) {
            return OptionalLong.empty();
        }
        Kept set = own.orElseGet(newest::get);
        if (own.isEmpty()) {
            disk.rename(set.directory(), directory);
        }
        sets.remove(set);
        foundOld.remove(set.directory());
        if (own.isEmpty()) {
            disk.syncDirectory(parentOf(directory));
            removeIfEmpty(parentOf(set.directory()));
        }
        return OptionalLong.of(set.bytes());
    }

    /** An operator who needs the space may have removed it. */
    private boolean isGone(Kept set) {
        if (disk.isDirectory(set.directory())) {
            return false;
        }
        LOG.warn("{}: {} retained bytes are gone: they were removed by another process", set.directory(), set.bytes());
        foundOld.remove(set.directory());
        return true;
    }

    /** Forgets a set: the caller removes it. No other plan adopts it from now on. */
    synchronized void forget(Path directory) {
        sets.removeIf(set -> set.directory().equals(directory));
        foundOld.remove(directory);
    }

    private void removeIfEmpty(Path plan) throws IOException {
        if (disk.list(plan).isEmpty()) {
            disk.delete(plan);
        }
    }

    private static Path parentOf(Path directory) {
        return directory.resolveSibling(".").normalize();
    }

    @Override
    public synchronized long bytes() {
        return sets.stream().mapToLong(Kept::bytes).sum();
    }
}
