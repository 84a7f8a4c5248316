package io.sluice.streaming.install;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The highest epoch that was seen of each range of each table: an operation that a newer one has replaced, and that
 * does not know so, installs nothing more. Durable before the newer operation begins.
 *
 * <p>Thread-safe. Commits run side by side; one that has begun ends before a newer epoch is admitted.
 */
final class Epochs {
    /** In the root of staging. */
    static final String NAME = "epochs";

    private static final Logger LOG = LoggerFactory.getLogger(Epochs.class);
    private static final String FIRST_LINE = "sluice-epochs 1";
    private static final int MAX_LENGTH_BYTES = 64 << 20;

    private final Volumes volumes;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    /** By table and epoch: the ranges of which it is the highest. Guarded by the lock. */
    private final Map<UUID, Map<Long, TokenRanges>> highest;

    private Epochs(Volumes volumes, Map<UUID, Map<Long, TokenRanges>> highest) {
        this.volumes = volumes;
        this.highest = highest;
    }

    /**
     * Reads what an earlier process knew: of each volume, since one that is back after it was missing may have missed
     * some. A file that is damaged is quarantined: then only what others say, and what is admitted from now on, is
     * fenced, and the log says so.
     */
    static Epochs open(Volumes volumes) throws IOException {
        Map<UUID, Map<Long, TokenRanges>> highest = new HashMap<>();
        for (StagingVolume volume : volumes.all()) {
            read(volume.disk(), volume.root())
                    .forEach((table, epochs) -> epochs.forEach((epoch, ranges) ->
                            raise(highest.computeIfAbsent(table, none -> new TreeMap<>()), epoch, ranges)));
        }
        return new Epochs(volumes, highest);
    }

    private static Map<UUID, Map<Long, TokenRanges>> read(Disk disk, Path root) throws IOException {
        Path file = root.resolve(NAME);
        if (!disk.exists(file)) {
            return Map.of();
        }
        try {
            return decode(disk.read(file, MAX_LENGTH_BYTES));
        } catch (UnreadableLineException damaged) {
            Path aside = root.resolve(NAME + ".damaged");
            disk.rename(file, aside);
            LOG.error(
                    "{}: {}; moved to {}: operations that were replaced before this start are not known any more;"
                            + " make sure that none of them is still running, then remove it",
                    file,
                    damaged.getMessage(),
                    aside);
            return Map.of();
        }
    }

    /** The epoch counts where no newer one does. */
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
     * From now on operations of older epochs install nothing in these ranges.
     *
     * @throws StreamException of code {@link ErrorCode#FENCED} if one of them is older itself; then nothing changes
     * @throws IOException if that cannot be made durable; then nothing was admitted
     */
    void admit(List<Fence> fences) throws IOException {
        lock.writeLock().lock();
        try {
            Map<UUID, Map<Long, TokenRanges>> next = new HashMap<>();
            highest.forEach((table, epochs) -> next.put(table, new TreeMap<>(epochs)));
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
                highest.clear();
                highest.putAll(next);
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** On each volume, as any of them may be missing at the next start; one that fails now leaves it to the others. */
    private void publish(byte[] content) throws IOException {
        volumes.onEach(volume -> volume.disk().publish(volume.root().resolve(NAME), content));
    }

    /** Something that may only be done by the newest operation. */
    interface Step<T> {
        T run() throws IOException;
    }

    /**
     * Does something before which no newer operation is admitted.
     *
     * @throws StreamException of code {@link ErrorCode#FENCED} if one was admitted before; then nothing is done
     */
    <T> T ifNewest(Fence fence, Step<T> step) throws IOException {
        lock.readLock().lock();
        try {
            requireNewest(fence);
            return step.run();
        } finally {
            lock.readLock().unlock();
        }
    }

    private void requireNewest(Fence fence) {
        if (fence.epoch() == 0) {
            return;
        }
        highest.getOrDefault(fence.tableId(), Map.of()).forEach((epoch, ranges) -> {
            if (epoch > fence.epoch() && !ranges.intersection(fence.ranges()).isEmpty()) {
                throw new StreamException(
                        ErrorCode.FENCED,
                        "table " + fence.tableId() + ": an operation of epoch " + epoch
                                + " fetches ranges of it to this node (expected: none newer than "
                                + fence.epoch() + ", the epoch of this one); nothing more of it is installed");
            }
        });
    }

    private static byte[] encode(Map<UUID, Map<Long, TokenRanges>> epochs) {
        StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
        epochs.forEach((table, byEpoch) -> byEpoch.forEach((epoch, ranges) -> {
            for (TokenRange range : ranges.ranges()) {
                text.append(table).append(' ').append(epoch).append(' ');
                text.append(range.start().value())
                        .append(' ')
                        .append(range.end().value())
                        .append('\n');
            }
        }));
        return SealedText.seal(text.toString());
    }

    /** What the bytes say: by table and epoch its ranges. */
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
