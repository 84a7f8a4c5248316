package io.sluice.streaming.install;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.SystemError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The highest known epoch of each range of each table: fences an operation that was replaced by a newer one. Durable on
 * at least one volume before the newer operation begins.
 *
 * <p>Thread-safe. Commits run concurrently; a commit that has begun ends before a newer epoch of its table is admitted.
 * A commit that hangs holds up admissions of operations with its table, and then later commits of that table, but
 * nothing of other tables: an admission that waits holds no lock. Operations without an epoch wait for nothing.
 */
final class Epochs {
    /** A file in the root of staging. */
    static final String NAME = "epochs";

    private static final Logger LOG = LoggerFactory.getLogger(Epochs.class);
    private static final String FIRST_LINE = "sluice-epochs 1";
    static final int MAX_LENGTH_BYTES = 64 << 20;

    private final Volumes volumes;
    private final Predicate<UUID> isDropped;
    /** By table: held for reading by commits, for writing while a newer epoch is admitted. */
    private final Map<UUID, ReentrantReadWriteLock> tables = new ConcurrentHashMap<>();
    /** Held by one admission at a time, with the locks of its tables. */
    private final Lock admission = new ReentrantLock();
    /**
     * By table and epoch: the ranges for which the epoch is the highest. Replaced as a whole, never changed: by the
     * holder of the admission, and of the locks of the tables whose epochs differ.
     */
    private volatile Map<UUID, Map<Long, TokenRanges>> highest;

    private Epochs(Volumes volumes, Predicate<UUID> isDropped, Map<UUID, Map<Long, TokenRanges>> highest) {
        this.volumes = volumes;
        this.isDropped = isDropped;
        this.highest = highest;
    }

    /**
     * Reads the epochs of all volumes, and merges them: a volume that was missing or full may lack some, and gets them
     * now, because the others may be missing at the next start. A file that is corrupt or too long is renamed with a
     * log message: then only the epochs of other volumes, and those admitted from now on, are fenced.
     *
     * @param isDropped asks the database whether a table was dropped, so that nothing more is installed of it
     * @throws IOException if a disk does not read the file: what it fences must not be forgotten for an error that may
     *     pass
     */
    static Epochs open(Volumes volumes, Predicate<UUID> isDropped) throws IOException {
        Map<UUID, Map<Long, TokenRanges>> highest = new HashMap<>();
        Set<Map<UUID, Map<Long, TokenRanges>>> known = new HashSet<>();
        for (StagingVolume volume : volumes.all()) {
            Map<UUID, Map<Long, TokenRanges>> here = read(volume.disk(), volume.root());
            known.add(here);
            here.forEach((table, epochs) -> epochs.forEach(
                    (epoch, ranges) -> raise(highest.computeIfAbsent(table, none -> new TreeMap<>()), epoch, ranges)));
        }
        Epochs epochs = new Epochs(volumes, isDropped, highest);
        if (known.size() > 1) {
            try {
                epochs.publish(encode(highest));
            } catch (IOException | StreamException e) {
                // No worse than before: the next admitted operation publishes all of them.
                LOG.warn("cannot write all epochs to volumes that lack some: {}", e.getMessage(), e);
            }
        }
        return epochs;
    }

    private static Map<UUID, Map<Long, TokenRanges>> read(Disk disk, Path root) throws IOException {
        Path file = root.resolve(NAME);
        if (!disk.exists(file)) {
            return Map.of();
        }
        long lengthBytes = disk.size(file);
        if (lengthBytes > MAX_LENGTH_BYTES) { // none of this version: it writes no longer one
            putAside(disk, file, lengthBytes + " bytes (expected: at most " + MAX_LENGTH_BYTES + ")");
            return Map.of();
        }
        try {
            return decode(disk.read(file, MAX_LENGTH_BYTES));
        } catch (UnreadableLineException damaged) { // not if the disk fails: the next read may succeed
            putAside(disk, file, String.valueOf(damaged.getMessage()));
            return Map.of();
        }
    }

    private static void putAside(Disk disk, Path file, String problem) throws IOException {
        Path aside = file.resolveSibling(NAME + ".damaged");
        disk.rename(file, aside);
        LOG.error(
                "{}: {}; moved to {}: operations that were replaced before this start are no longer fenced;"
                        + " make sure that none of them is still running, then remove the file",
                file,
                problem,
                aside);
    }

    /** Adds an epoch for ranges without a newer one. */
    private static void raise(Map<Long, TokenRanges> epochs, long epoch, TokenRanges ranges) {
        TokenRanges rest = ranges;
        for (Map.Entry<Long, TokenRanges> other : epochs.entrySet()) {
            rest = other.getKey() > epoch ? rest.minus(other.getValue()) : rest;
        }
        TokenRanges raised = rest;
        epochs.replaceAll((other, had) -> other < epoch ? had.minus(raised) : had);
        epochs.merge(epoch, raised, TokenRanges::union);
        epochs.values().removeIf(TokenRanges::isEmpty);
    }

    /**
     * Fences these ranges: from now on operations of older epochs install nothing in them. Forgets dropped tables.
     *
     * @throws StreamException of code {@link ErrorCode#FENCED} if a newer operation was admitted; of code
     *     {@link ErrorCode#LIMIT} if the next start could not read so many epochs; then nothing changes
     * @throws IOException if the epochs cannot be made durable; then nothing is admitted
     */
    void admit(List<Fence> fences) throws IOException {
        List<Lock> locks = new ArrayList<>();
        fences.stream()
                .filter(fence -> fence.epoch() > 0)
                .map(Fence::tableId)
                .distinct()
                .forEach(table -> locks.add(lock(table).writeLock()));
        if (locks.isEmpty()) {
            return;
        }
        Set<UUID> gone = dropped(); // before any lock: the database may hang
        locks.add(admission);
        take(locks);
        try {
            Map<UUID, Map<Long, TokenRanges>> next = new HashMap<>();
            highest.forEach((table, epochs) -> next.put(table, new TreeMap<>(epochs)));
            next.keySet().removeAll(gone);
            for (Fence fence : fences) {
                requireNewest(fence);
                if (fence.epoch() > 0) {
                    Map<Long, TokenRanges> epochs = next.computeIfAbsent(fence.tableId(), table -> new TreeMap<>());
                    epochs.replaceAll((epoch, ranges) -> ranges.minus(fence.ranges()));
                    epochs.values().removeIf(TokenRanges::isEmpty);
                    epochs.merge(fence.epoch(), fence.ranges(), TokenRanges::union);
                }
            }
            if (!next.equals(highest)) {
                publish(encode(next));
                highest = next;
            }
        } finally {
            locks.forEach(Lock::unlock);
        }
    }

    /** Takes all locks. While it waits for one it holds no other: who needs the others does not wait, too. */
    private static void take(List<Lock> locks) {
        locks.get(0).lock();
        int held = 1;
        while (held < locks.size()) {
            if (locks.get(held).tryLock()) {
                held++;
            } else {
                locks.subList(0, held).forEach(Lock::unlock);
                Collections.swap(locks, 0, held); // then waits for this one
                locks.get(0).lock();
                held = 1;
            }
        }
    }

    /** The known tables that were dropped; if the database fails, they are asked for again at the next admission. */
    private Set<UUID> dropped() {
        Set<UUID> dropped = new HashSet<>();
        try {
            highest.keySet().stream().filter(isDropped).forEach(dropped::add);
        } catch (StreamException e) {
            LOG.warn("cannot ask which tables were dropped, keeping their epochs: {}", e.getMessage(), e);
            VirtualMachineErrors.handOn(e);
        }
        return dropped;
    }

    private ReentrantReadWriteLock lock(UUID table) {
        return tables.computeIfAbsent(table, any -> new ReentrantReadWriteLock());
    }

    /**
     * Writes to each volume, because any of them may be missing at the next start; a failing or full volume is skipped
     * if others succeed. It gets all epochs with the next ones, or at the next start ({@link #open}); they are
     * forgotten only if all volumes that have them are missing then.
     */
    private void publish(byte[] content) throws IOException {
        List<StagingVolume> written = new ArrayList<>();
        List<IOException> full = new ArrayList<>();
        volumes.onEach(volume -> {
            try {
                volume.disk().publish(volume.root().resolve(NAME), content);
                written.add(volume);
            } catch (IOException e) {
                if (!SystemError.isFull(e)) {
                    throw e;
                }
                LOG.warn("{}: lacks the latest epochs until there is space for them: {}", volume, e.getMessage());
                full.add(e);
            }
        });
        if (written.isEmpty() && !full.isEmpty()) {
            throw full.get(0);
        }
    }

    /** A step that only the newest operation may perform. */
    interface Step<T> {
        T run() throws IOException;
    }

    /**
     * Performs a step, during which no newer operation with the table is admitted.
     *
     * @throws StreamException of code {@link ErrorCode#FENCED} if a newer one was admitted before; then the step is not
     *     performed
     */
    <T> T ifNewest(Fence fence, Step<T> step) throws IOException {
        if (fence.epoch() == 0) {
            return step.run();
        }
        Lock lock = lock(fence.tableId()).readLock();
        lock.lock();
        try {
            requireNewest(fence);
            return step.run();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Checks that no newer operation was admitted; one may be admitted at any time. Waits for nothing.
     *
     * @throws StreamException of code {@link ErrorCode#FENCED} otherwise
     */
    void requireNewest(Fence fence) {
        if (fence.epoch() == 0) {
            return;
        }
        highest.getOrDefault(fence.tableId(), Map.of()).forEach((epoch, ranges) -> {
            if (epoch > fence.epoch() && !ranges.intersection(fence.ranges()).isEmpty()) {
                throw new StreamException(
                        ErrorCode.FENCED,
                        "table " + fence.tableId() + ": an operation of epoch " + epoch
                                + " fetches ranges of the table to this node (expected: none newer than "
                                + fence.epoch()
                                + ", the epoch of this operation); this operation installs nothing more of the table");
            }
        });
    }

    /** @throws StreamException of code {@link ErrorCode#LIMIT} if the next start could not read so much */
    private static byte[] encode(Map<UUID, Map<Long, TokenRanges>> epochs) {
        StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
        epochs.forEach((table, byEpoch) -> byEpoch.forEach((epoch, ranges) -> {
            for (TokenRange range : ranges.ranges()) {
                text.append(table).append(' ').append(epoch).append(' ');
                text.append(range.start().value())
                        .append(' ')
                        .append(range.end().value())
                        .append('\n');
                requireReadable(text.length(), epochs);
            }
        }));
        return SealedText.seal(text.toString());
    }

    /** @param textBytes without the seal; all of it is ASCII: a character is a byte */
    private static void requireReadable(int textBytes, Map<UUID, Map<Long, TokenRanges>> epochs) {
        if (textBytes > MAX_LENGTH_BYTES - SealedText.SEAL_BYTES) {
            Map<UUID, Integer> ranges = new HashMap<>();
            epochs.forEach((table, byEpoch) -> ranges.put(
                    table,
                    byEpoch.values().stream()
                            .mapToInt(each -> each.ranges().size())
                            .sum()));
            UUID most = Collections.max(ranges.keySet(), Comparator.comparing(ranges::get));
            throw new StreamException(
                    ErrorCode.LIMIT,
                    "epochs of this node: their list, a line for each range and table ("
                            + ranges.values().stream()
                                    .mapToLong(Integer::longValue)
                                    .sum() + " ranges of "
                            + ranges.size() + " tables, " + ranges.get(most) + " of table " + most
                            + "), would be longer than " + MAX_LENGTH_BYTES
                            + " bytes, and could not be read again; no epoch was changed (stream fewer and wider"
                            + " ranges; dropped tables are not in the list)");
        }
    }

    /** Decodes the file: ranges by table and epoch. */
    static Map<UUID, Map<Long, TokenRanges>> decode(byte[] bytes) throws UnreadableLineException {
        Map<UUID, Map<Long, List<TokenRange>>> read = new HashMap<>();
        int number = 1;
        for (String line : SealedText.open(bytes, FIRST_LINE)) {
            number++;
            String[] words = line.split(" ", 4);
            try {
                read.computeIfAbsent(UUID.fromString(words[0]), table -> new TreeMap<>())
                        .computeIfAbsent(Long.parseLong(words[1]), epoch -> new ArrayList<>())
                        .add(TokenRange.of(Long.parseLong(words[2]), Long.parseLong(words[3])));
            } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
                throw new UnreadableLineException(number, line, malformed);
            }
        }
        Map<UUID, Map<Long, TokenRanges>> epochs = new HashMap<>();
        read.forEach((table, byEpoch) -> {
            Map<Long, TokenRanges> ranges = new TreeMap<>();
            byEpoch.forEach((epoch, list) -> ranges.put(epoch, TokenRanges.of(list)));
            epochs.put(table, ranges);
        });
        return epochs;
    }
}
